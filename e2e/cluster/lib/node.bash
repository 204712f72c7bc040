# A node: containerd, the kubelet and kube-proxy, in a machine of its own.

containerd_socket() { echo "$state/$1/containerd.sock"; } # NODE

containerd_start() { # NODE
  local folder=$state/$1
  mkdir -p "$folder/cni"
  cat >"$folder/cni/10-bridge.conflist" <<CNI
{
  "cniVersion": "1.0.0",
  "name": "pods",
  "plugins": [
    {
      "type": "bridge", "bridge": "cni0", "isGateway": true, "hairpinMode": true, "ipMasq": false,
      "ipam": {
        "type": "host-local", "dataDir": "$folder/addresses",
        "ranges": [[{"subnet": "${pod_subnet[$1]}"}], [{"subnet": "${pod_subnet6[$1]}"}]],
        "routes": [{"dst": "0.0.0.0/0"}, {"dst": "::/0"}]
      }
    },
    {"type": "portmap", "capabilities": {"portMappings": true}},
    {"type": "bandwidth", "capabilities": {"bandwidth": true}}
  ]
}
CNI
  # Lowering oom_score_adj is not allowed to us, and there is no AppArmor.
  cat >"$folder/containerd.toml" <<TOML
version = 2
root = "$folder/containerd"
state = "/run/containerd"
disabled_plugins = ["io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs"]
[grpc]
address = "$(containerd_socket "$1")"
[plugins."io.containerd.internal.v1.opt"]
path = "$folder/opt"
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "localhost/pause:dev"
restrict_oom_score_adj = true
disable_apparmor = true
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "/usr/lib/cni"
conf_dir = "$folder/cni"
[plugins."io.containerd.grpc.v1.cri".containerd]
snapshotter = "overlayfs"
TOML
  component_start "containerd-$1" "$1" containerd --config "$folder/containerd.toml"
}

containerd_ready() { ctr --address "$(containerd_socket "$1")" version; } # NODE

# Imports image archives, whatever is in them.
import_images() { # NODE TAR...
  local node=$1 tar
  shift
  for tar in "$@"; do
    on "$node" ctr --address "$(containerd_socket "$node")" --namespace k8s.io images import "$tar" >/dev/null
  done
}

# node1 and node2 keep CPUs back in different ways, so that their exclusive CPUs differ and that
# node1 still has 900m for small pods: with a whole CPU reserved on both, an operator's own
# request would take a node's only exclusive CPU. node3 is like node1.
reservation() { # NODE
  case $1 in
    node2) echo 'reservedSystemCPUs: "1"' ;;
    *) echo 'kubeReserved: {cpu: 100m}' ;;
  esac
}

kubelet_start() { # NODE
  local folder=$state/$1
  mkdir -p "$folder/kubelet"
  cat >"$folder/kubelet.yaml" <<YAML
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: ${address[$1]}
clusterDNS: [$dns_service]
clusterDomain: cluster.local
containerRuntimeEndpoint: unix://$(containerd_socket "$1")
authentication:
  anonymous: {enabled: false}
  webhook: {enabled: true}
  x509: {clientCAFile: $certificates/ca.crt}
authorization: {mode: Webhook}
readOnlyPort: 0
healthzBindAddress: 127.0.0.1
podLogsDir: $folder/pod-logs
# This computer has cgroup v1, and does not let us lower oom_score_adj.
failCgroupV1: false
cgroupDriver: cgroupfs
cgroupRoot: /$(node_cgroup "$1")
featureGates: {KubeletInUserNamespace: true}
oomScoreAdj: 0
failSwapOn: false
cpuManagerPolicy: static
$(reservation "$1")
# Nothing can be pulled again: never evict or collect because the computer's disk fills up.
imageGCHighThresholdPercent: 100
imageGCLowThresholdPercent: 99
evictionHard: {memory.available: 100Mi, nodefs.available: 1%, imagefs.available: 1%}
YAML
  component_start "kubelet-$1" "$1" "$kubernetes_bin/kubelet" \
    --config "$folder/kubelet.yaml" --kubeconfig "$certificates/$1.kubeconfig" --root-dir "$folder/kubelet" \
    --cert-dir "$folder/kubelet/pki" --hostname-override "$1" --node-ip "${address[$1]},${address6[$1]}" \
    --node-labels "topology.kubernetes.io/zone=${zone[$1]}"
}

kube_proxy_start() { # NODE
  # The table of connections is the whole computer's; its size is not ours to change.
  component_start "kube-proxy-$1" "$1" "$kubernetes_bin/kube-proxy" \
    --kubeconfig "$certificates/kube-proxy.kubeconfig" --hostname-override "$1" \
    --proxy-mode iptables --cluster-cidr "$pod_network,$pod_network6" --conntrack-max-per-core 0 \
    --healthz-bind-address 127.0.0.1:10256 --metrics-bind-address 127.0.0.1:10249
}

node_ready() { # NODE
  [[ $(kubectl get node "$1" -o 'jsonpath={.status.conditions[?(@.type=="Ready")].status}') == True ]]
}
