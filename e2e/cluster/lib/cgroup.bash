# A cgroup for each node, in every hierarchy of cgroup v1. The kubelet makes its pods' below.

hierarchies=/sys/fs/cgroup
node_cgroup() { echo "nettest-$1"; } # NODE

cgroup_up() { # NODE
  local hierarchy group
  group=$(node_cgroup "$1")
  [[ -d $hierarchies/cpuset ]] || fail "no cgroup v1 at $hierarchies"
  for hierarchy in "$hierarchies"/*/; do
    [[ -e $hierarchy/cgroup.procs ]] && mkdir -p "$hierarchy/$group"
  done
  # A new cpuset is empty, and nothing can run in it.
  cat "$hierarchies/cpuset/cpuset.cpus" >"$hierarchies/cpuset/$group/cpuset.cpus"
  cat "$hierarchies/cpuset/cpuset.mems" >"$hierarchies/cpuset/$group/cpuset.mems"
}

cgroup_down() { # NODE
  local hierarchy group
  group=$(node_cgroup "$1")
  for hierarchy in "$hierarchies"/*/; do
    [[ -d $hierarchy/$group ]] || continue
    # The kernel takes a moment to let go of the processes that have just ended.
    await 5 eval "find '$hierarchy/$group' -depth -type d -exec rmdir {} + ; ! test -d '$hierarchy/$group'" ||
      fail "cgroup $hierarchy$group is still in use"
  done
}
