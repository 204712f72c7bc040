# Building images with buildah, as root and without a registry or a running service.

# buildah's own store is in the cache: nothing of ours goes to the computer's.
buildah_store=(--storage-driver vfs --root "$cache/buildah" --runroot "$cache/buildah-run")

# Builds a context and writes the image to a tar. ARGUMENTS are buildah's.
build_image() { # TAG TAR CONTEXT [ARGUMENTS...]
  local tag=$1 tar=$2 context=$3
  shift 3
  mkdir -p "$(dirname "$tar")"
  # Layers are not kept: a stale one would be worse than a copy of a few files is slow.
  buildah "${buildah_store[@]}" bud --quiet --isolation chroot --pull-never --no-cache --layers=false \
    --tag "$tag" "$@" "$context" >/dev/null
  rm -f "$tar.new"
  buildah "${buildah_store[@]}" push --quiet "$tag" "docker-archive:$tar.new:$tag"
  buildah "${buildah_store[@]}" rmi "$tag" >/dev/null
  mv "$tar.new" "$tar"
}
