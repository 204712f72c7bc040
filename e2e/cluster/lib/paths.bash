# Where everything is. Sourced by every script here; sets names, does nothing.
#
# Two places, with different lives: the cache outlives a cluster (binaries, images, peers: slow
# to make, keyed by version), the state directory is one cluster's and goes with it.

cluster_source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
repository=$(cd "$cluster_source/../.." && pwd)

cache=${NETTEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/nettest}
state=${NETTEST_CLUSTER_DIR:-/run/nettest-cluster}

# The version a module of ours requires: go.mod is the only place where it is written.
required_version() { # MODULE GO_MOD
  sed -n "s|^\(require \)\?\s*$1 \(v[0-9][^ ]*\).*|\2|p" "$2" | head -n 1
}

kubernetes_version=$(required_version k8s.io/kubernetes "$cluster_source/kubernetes/go.mod")
helm_version=$(required_version helm.sh/helm/v4 "$cluster_source/helm/go.mod")

kubernetes_bin=$cache/kubernetes-$kubernetes_version/bin
helm_bin=$cache/helm-$helm_version/bin
peers=$cache/peers
images=$cache/images

certificates=$state/certificates
logs=$state/logs
kubeconfig=$state/kubeconfig
