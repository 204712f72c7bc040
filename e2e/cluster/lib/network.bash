# The wires: a bridge in cp, a veth from it to each node and one to the computer itself, so that
# tests reach the API, the nodes, the pods and the ClusterIPs from where they run.

bridge=br0
root_link=nettest0

network_up() {
  local name
  on cp ip link add "$bridge" type bridge
  on cp ip addr add "${address[cp]}/24" dev "$bridge"
  on cp ip addr add "${address6[cp]}/64" dev "$bridge" nodad
  on cp ip link set "$bridge" up

  wire root "$root_link"
  for name in "${nodes[@]}"; do
    wire "$name" eth0
    on "$name" ip route add default via "${address[cp]}"
    on "$name" ip -6 route add default via "${address6[cp]}"
    refuse_unknown_services "$name"
  done

  for name in "${machines[@]}"; do
    forward "$name"
  done
  for name in root "${machines[@]}"; do
    routes_to_pods "$name"
  done
}

# A veth from the bridge to a machine.
wire() { # MACHINE DEVICE
  local target=1 cp
  [[ $1 == root ]] || target=$(machine_init "$1")
  cp=$(machine_init cp)
  ip link add "$2" netns "$target" type veth peer name "veth-$1" netns "$cp"
  on cp ip link set "veth-$1" master "$bridge" up
  on "$1" ip addr add "${address[$1]}/24" dev "$2"
  # Nobody else can have the address: looking for one (duplicate address detection) takes a second.
  on "$1" ip addr add "${address6[$1]}/64" dev "$2" nodad
  on "$1" ip link set "$2" up
}

forward() { # MACHINE
  on "$1" sh -c '
    ip link set lo up
    echo 1 >/proc/sys/net/ipv4/ip_forward
    echo 1 >/proc/sys/net/ipv6/conf/all/forwarding
    echo 0 >/proc/sys/net/ipv4/conf/all/rp_filter
    # Traffic between two pods of a node crosses a bridge only: without this a reply would miss
    # the translation of a Service address.
    echo 1 >/proc/sys/net/bridge/bridge-nf-call-iptables
    echo 1 >/proc/sys/net/bridge/bridge-nf-call-ip6tables'
}

# A ClusterIP that no Service has is refused at once; it would circle between a node and cp
# until its time to live is over. What kube-proxy has translated does not match any more.
refuse_unknown_services() { # NODE
  local chain
  for chain in FORWARD OUTPUT; do
    on "$1" iptables -A "$chain" -d "$service_network" -j REJECT
    on "$1" ip6tables -A "$chain" -d "$service_network6" -j REJECT
  done
}

# To the pods of every other node; to ClusterIPs too from where no kube-proxy runs.
routes_to_pods() { # MACHINE
  local node
  for node in "${nodes[@]}"; do
    [[ $node == "$1" ]] && continue
    on "$1" ip route add "${pod_subnet[$node]}" via "${address[$node]}"
    on "$1" ip -6 route add "${pod_subnet6[$node]}" via "${address6[$node]}"
  done
  if [[ -z ${zone[$1]:-} ]]; then
    on "$1" ip route add "$service_network" via "${address[node1]}"
    on "$1" ip -6 route add "$service_network6" via "${address6[node1]}"
  fi
}

network_down() {
  ip link delete "$root_link" 2>/dev/null || true
}
