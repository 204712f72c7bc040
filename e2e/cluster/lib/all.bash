# Everything that the scripts share.
cluster_library=$(dirname "${BASH_SOURCE[0]}")
for part in paths addresses output machine component network cgroup certificates control-plane node image lock; do
  source "$cluster_library/$part.bash"
done
