# etcd, the API server, the controller manager and the scheduler, in cp.

control_plane_start() {
  component_start etcd cp etcd --data-dir "$state/cp/etcd" --unsafe-no-fsync \
    --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 \
    --listen-peer-urls http://127.0.0.1:2380

  # Tests that kill the operator at every write find the writes in this log. The components' own
  # reads are most of the traffic and would hide them.
  cat >"$state/cp/audit-policy.yaml" <<'POLICY'
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: None
  verbs: [get, list, watch]
  userGroups: [system:nodes]
- level: None
  verbs: [get, list, watch]
  users: [system:apiserver, system:kube-controller-manager, system:kube-scheduler, system:kube-proxy]
- level: None
  resources: [{group: coordination.k8s.io, resources: [leases]}]
  users: [system:apiserver]
- level: None
  resources: [{group: coordination.k8s.io, resources: [leases]}]
  userGroups: [system:nodes]
- level: Metadata
POLICY

  # Names of nodes do not resolve: logs and exec reach the kubelets by address.
  component_start kube-apiserver cp "$kubernetes_bin/kube-apiserver" \
    --etcd-servers http://127.0.0.1:2379 --advertise-address "${address[cp]}" --secure-port 6443 \
    --service-cluster-ip-range "$service_network,$service_network6" --allow-privileged=true \
    --authorization-mode Node,RBAC --enable-admission-plugins NodeRestriction \
    --client-ca-file "$certificates/ca.crt" \
    --tls-cert-file "$certificates/kube-apiserver.crt" --tls-private-key-file "$certificates/kube-apiserver.key" \
    --kubelet-client-certificate "$certificates/kubelet-client.crt" \
    --kubelet-client-key "$certificates/kubelet-client.key" --kubelet-preferred-address-types InternalIP \
    --service-account-issuer https://kubernetes.default.svc \
    --service-account-key-file "$certificates/service-accounts.pub" \
    --service-account-signing-key-file "$certificates/service-accounts.key" \
    --audit-policy-file "$state/cp/audit-policy.yaml" --audit-log-path "$logs/audit.log" \
    --audit-log-maxsize 200 --audit-log-maxbackup 2
}

# What needs an API server that answers; nothing here waits.
control_plane_finish() {
  component_start kube-controller-manager cp "$kubernetes_bin/kube-controller-manager" \
    --kubeconfig "$certificates/kube-controller-manager.kubeconfig" --leader-elect=false \
    --use-service-account-credentials=true --cluster-cidr "$pod_network,$pod_network6" --bind-address 127.0.0.1 \
    --root-ca-file "$certificates/ca.crt" \
    --service-account-private-key-file "$certificates/service-accounts.key"
  component_start kube-scheduler cp "$kubernetes_bin/kube-scheduler" \
    --kubeconfig "$certificates/kube-scheduler.kubeconfig" --leader-elect=false --bind-address 127.0.0.1
}

kubectl() { "$kubernetes_bin/kubectl" --kubeconfig "$kubeconfig" --request-timeout 5s "$@"; }

api_ready() { kubectl get --raw /readyz; }
