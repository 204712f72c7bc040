# One script at a time changes the cluster. The lock is in the cache, because the state
# directory comes and goes. Long-running children close descriptor 9, or they would hold it.
lock_cluster() {
  mkdir -p "$cache"
  exec 9>"$cache/cluster.lock"
  flock 9
}
