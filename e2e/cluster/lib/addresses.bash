# Every address of the cluster, in one place.

nodes=(node1 node2 node3)
machines=(cp "${nodes[@]}")

machine_network=172.31.0.0/24
declare -A address=([root]=172.31.0.254 [cp]=172.31.0.1 [node1]=172.31.0.11 [node2]=172.31.0.12 [node3]=172.31.0.13)
# The cluster's second family, unique local addresses that read like those of the first.
declare -A address6=([root]=fd00:172:31::254 [cp]=fd00:172:31::1 [node1]=fd00:172:31::11 [node2]=fd00:172:31::12 [node3]=fd00:172:31::13)

pod_network=10.244.0.0/16
declare -A pod_subnet=([node1]=10.244.1.0/24 [node2]=10.244.2.0/24 [node3]=10.244.3.0/24)
pod_network6=fd00:10:244::/48
declare -A pod_subnet6=([node1]=fd00:10:244:1::/64 [node2]=fd00:10:244:2::/64 [node3]=fd00:10:244:3::/64)

service_network=10.96.0.0/16
service_network6=fd00:10:96::/112
kubernetes_service=10.96.0.1
dns_service=10.96.0.10

declare -A zone=([node1]=a [node2]=b [node3]=b)

api=https://${address[cp]}:6443
prometheus=http://${address[cp]}:9090
