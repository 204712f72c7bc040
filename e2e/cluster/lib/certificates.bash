# One authority, and what it signs. Valid for a year: the cluster lives for minutes.

certificates_up() {
  mkdir -p "$certificates"
  openssl ecparam -name prime256v1 -genkey -noout -out "$certificates/ca.key"
  openssl req -x509 -new -key "$certificates/ca.key" -subj /CN=nettest-e2e -days 365 -out "$certificates/ca.crt"
  # Signs service-account tokens.
  openssl ecparam -name prime256v1 -genkey -noout -out "$certificates/service-accounts.key"
  openssl ec -in "$certificates/service-accounts.key" -pubout -out "$certificates/service-accounts.pub"

  certificate kube-apiserver /CN=kube-apiserver serverAuth \
    "IP:127.0.0.1,IP:${address[cp]},IP:$kubernetes_service,DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc"
  client admin /O=system:masters/CN=admin
  client kubelet-client /O=system:masters/CN=kube-apiserver-kubelet-client
  client kube-controller-manager /CN=system:kube-controller-manager
  client kube-scheduler /CN=system:kube-scheduler
  client kube-proxy /CN=system:kube-proxy
  local node
  for node in "${nodes[@]}"; do
    client "$node" "/O=system:nodes/CN=system:node:$node"
  done
  cp "$certificates/admin.kubeconfig" "$kubeconfig"
  chmod 600 "$kubeconfig"
} 2>"$logs/certificates.log"

certificate() { # NAME SUBJECT USAGE [ALTERNATIVE_NAMES]
  local file=$certificates/$1
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$file.key" -subj "$2" |
    openssl x509 -req -CA "$certificates/ca.crt" -CAkey "$certificates/ca.key" -set_serial "0x$(openssl rand -hex 8)" \
      -days 365 -out "$file.crt" \
      -extfile <(printf 'keyUsage=digitalSignature\nextendedKeyUsage=%s\n%s' "$3" "${4:+subjectAltName=$4}")
}

# A client's certificate, with the kubeconfig that uses it.
client() { # NAME SUBJECT
  certificate "$1" "$2" clientAuth
  cat >"$certificates/$1.kubeconfig" <<KUBECONFIG
apiVersion: v1
kind: Config
clusters:
- name: nettest
  cluster: {server: "$api", certificate-authority-data: $(base64 -w 0 "$certificates/ca.crt")}
users:
- name: $1
  user: {client-certificate-data: $(base64 -w 0 "$certificates/$1.crt"), client-key-data: $(base64 -w 0 "$certificates/$1.key")}
contexts:
- name: nettest
  context: {cluster: nettest, user: $1}
current-context: nettest
KUBECONFIG
}
