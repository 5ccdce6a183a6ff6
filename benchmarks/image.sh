#!/usr/bin/env bash
# Builds the container image and proves that it does what docs/operations.md says of it.
#   benchmarks/image.sh          build from the Dockerfile, then check
#   benchmarks/image.sh IMAGE    check an image that podman has already
#
# No Docker engine is needed: buildah builds and podman runs, in a storage of their own that is removed at the end. Where the base image cannot
# be pulled, Debian by debootstrap with this machine's Swift toolchain stands in for it. Where podman cannot run a container, or with
# IMAGE_RUN=chroot, the image runs in namespaces with a read-only root as the image's user. What could not be proved is listed at the end.
# As root; about 5 GB of disk under TMPDIR.
set -euo pipefail
cd "$(dirname "$0")/.."
source=$PWD
image=${1:-}
swift_image=$(sed -nE 's/^ARG SWIFT_IMAGE=//p' Dockerfile)
[ "$(id -u)" -eq 0 ] || { echo "image: root is needed, for namespaces and debootstrap" >&2; exit 1; }
for tool in buildah podman runc debootstrap swift nsenter unshare setpriv openssl ip fc-cache ldd; do
  command -v "$tool" >/dev/null || { echo "image: $tool is missing (.ci/setup image)" >&2; exit 1; }
done

work=$(mktemp -d "${TMPDIR:-/tmp}/avatar-image.XXXXXX")
storage=()
if [ -z "$image" ]; then
  storage=(--root "$work/storage" --runroot "$work/run" --storage-driver overlay)
  # Without overlay each layer is a whole copy.
  podman "${storage[@]}" info >/dev/null 2>&1 || storage=(--root "$work/storage" --runroot "$work/run" --storage-driver vfs)
fi
# crun refuses the hybrid control groups of some machines; runc takes them. Limits are named because podman would raise
# them, which not every machine allows.
pod=(podman "${storage[@]}" --cgroup-manager cgroupfs --runtime "$(command -v runc)")
limits=(--ulimit nofile=16384:16384 --ulimit nproc=4096:4096)
name=avatar-image-$$
server=
mounted=
clean() {
  set +e
  if [ -n "$server" ]; then kill -KILL "$server" 2>/dev/null; fi
  "${pod[@]}" rm -f -t 0 "$name" >/dev/null 2>&1
  "${pod[@]}" volume rm "$name" >/dev/null 2>&1
  if [ -n "$mounted" ]; then "${pod[@]}" image umount "$image" >/dev/null 2>&1; fi
  if [ ${#storage[@]} -gt 0 ]; then
    buildah "${storage[@]}" rm --all >/dev/null 2>&1
    "${pod[@]}" rmi --all --force >/dev/null 2>&1
    awk -v under="$work/" 'index($5, under) == 1 {print $5}' /proc/self/mountinfo | sort -r | xargs -r umount
  fi
  rm -rf --one-file-system "$work"
}
trap clean EXIT
trap 'exit 130' INT TERM

passed=0
failed=0
unproved=()
check() { # what is claimed, then a command that proves it
  local claim=$1
  shift
  if "$@" >"$work/output" 2>&1; then
    echo "ok   $claim"
    passed=$((passed + 1))
  else
    echo "FAIL $claim"
    tail -20 "$work/output" | sed 's/^/       /'
    failed=$((failed + 1))
  fi
}
run_tool() { "$@" >"$work/log" 2>&1 || { tail -30 "$work/log" >&2; echo "image: failed: $1 $2" >&2; exit 1; }; }

# -- The base image, or its stand-in.

stand_in() {
  local mirrors container toolchain
  toolchain=$(realpath "$(dirname "$(realpath "$(command -v swift)")")/..")
  mirrors=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Created-By: Packages' | awk '$2 ~ /^bookworm(-|$)/' | sort -u)
  echo "== stand-in: Debian by debootstrap, Swift from this machine"
  run_tool debootstrap --variant=minbase --include=ca-certificates bookworm "$work/debian" \
    "$(awk '$2 == "bookworm" {print $1; exit}' <<<"$mirrors")"
  awk '{print "deb " $1 " " $2 " main"}' <<<"$mirrors" >"$work/debian/etc/apt/sources.list"
  container=$(buildah "${storage[@]}" from scratch)
  run_tool buildah "${storage[@]}" add -q "$container" "$work/debian" /
  rm -rf "$work/debian"
  buildah "${storage[@]}" config --env PATH=/toolchain/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
  # What Swift's own image for Debian 12 brings along.
  run_tool buildah "${storage[@]}" run --isolation chroot "$container" sh -c 'apt-get update -qq &&
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends binutils git libc6-dev libcurl4 libedit2 libgcc-12-dev \
      libncurses6 libsqlite3-0 libstdc++-12-dev libuuid1 libxml2 libz3-4 pkg-config tzdata zlib1g-dev'
  run_tool buildah "${storage[@]}" commit -q --format docker --rm "$container" localhost/swift-stand-in
  swift_image=localhost/swift-stand-in
  build_options=(-v "$toolchain:/toolchain:ro")
  unproved+=("that Swift's own image builds it: it could not be pulled (${pull_fault:0:160}); a stand-in did")
}

if [ -z "$image" ]; then
  build_options=()
  echo "== pull $swift_image"
  if pull_fault=$(timeout 120 buildah "${storage[@]}" pull -q "$swift_image" 2>&1); then
    echo "pulled"
  else
    pull_fault=$(tail -1 <<<"$pull_fault" | tr -d '\n')
    stand_in
  fi
  echo "== build"
  image=localhost/avatar-server-$$
  started=$SECONDS
  run_tool buildah "${storage[@]}" bud --isolation chroot --format docker "${build_options[@]}" \
    --build-arg "SWIFT_IMAGE=$swift_image" -t "$image" "$source"
  echo "built in $((SECONDS - started)) s"
fi

# -- What lies in it.

echo "== contents"
root=$("${pod[@]}" image mount "$image")
mounted=1
setting() { "${pod[@]}" image inspect --format "$1" "$image"; }
bytes=$(setting '{{.Size}}')
echo "     size: $((bytes / 1000000)) MB uncompressed, $(tar -C "$root" -c . | gzip -6 | wc -c | awk '{print int($1 / 1e6)}') MB compressed"
find "$root" -type f -printf '%s /%P\n' | sort -rn | awk 'NR <= 5 {printf "       %5.1f MB %s\n", $1 / 1e6, $2}'
is() { [ "$1" = "$2" ] || { echo "is: $1"; return 1; }; }
loader=$(cd "$root" && find usr/lib usr/lib64 -maxdepth 1 -name 'ld-linux*' -print -quit)
loads_in_root() { env -i "$(command -v chroot)" "$root" "/$loader" --list "$1"; }
matches_none() { ! grep -E "$1"; }
check "under 200 MB" test "$bytes" -lt 200000000
check "user is numeric and not root" is "$(setting '{{.Config.User}}')" 65532:65532
check "health check is avatar-server health" is "$(setting '{{join .HealthCheck.Test " "}}')" "CMD avatar-server health"
check "the cache is a volume" is "$(setting '{{range $k, $v := .Config.Volumes}}{{$k}}{{end}}')" /var/cache/avatar-server
check "the cache belongs to the user" is "$(stat -c %u:%g "$root/var/cache/avatar-server")" 65532:65532
check "of libvips' modules there is the one for HEIF" is "$(find "$root" -path '*vips-modules*' -name '*.so' -printf '%f ')" "vips-heif.so "
check "none of gdk-pixbuf's loaders" is "$(find "$root" -name 'libpixbufloader*')" ""
check "programs: ours and the loader only" is "$(find "$root" -type f -perm /111 ! -name '*.so*' -printf '%P ' | sort)" \
  "usr/local/bin/avatar-server usr/local/bin/avatar-worker "
check "nothing runs as another user" is "$(find "$root" -perm /6000)" ""
check "nothing but the cache and /tmp can be written by the user" is \
  "$(find "$root" ! -type l \( -user 65532 -o -group 65532 -o -perm /2 \) -printf '/%P ')" "/tmp /var/cache/avatar-server "
decoders='vips|jpeg|png|webp|heif|de265|x265|aom|dav1d|rsvg|gdk_pixbuf|cairo|tiff|gif|openjp|jxl|poppler|Magick|OpenEXR|freetype|glib'
server_links=$(loads_in_root /usr/local/bin/avatar-server)
check "avatar-server loads its libraries from the image" grep -q libmicrohttpd <<<"$server_links"
check "avatar-server links no decoder" matches_none "lib($decoders)" <<<"$server_links"
check "avatar-worker does (so that the check above can fail)" grep -qE "lib($decoders)" <<<"$(loads_in_root /usr/local/bin/avatar-worker)"
check "authorities' certificates are there" test "$(grep -c BEGIN "$root/etc/ssl/certs/ca-certificates.crt")" -gt 100
fonts_cached() {
  local said
  said=$(fc-cache --sysroot="$root" --system-only --verbose 2>&1)
  grep -E 'truetype/dejavu: skipping, existing cache is valid: [1-9]' <<<"$said" || { echo "$said"; return 1; }
}
check "the fonts' cache is valid" fonts_cached
recorded() {
  local package
  for package in libc6 libvips42 libheif1 librsvg2-2 libcurl4 libmicrohttpd12 fonts-dejavu-core ca-certificates; do
    grep -q '^Version:' "$root/var/lib/dpkg/status.d/$package" || { echo "$package"; return 1; }
  done
}
check "its Debian packages are recorded for scanners" recorded

# -- Running it: podman, or the nearest that this machine allows.

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=origin.test -addext subjectAltName=DNS:origin.test \
  -keyout "$work/key" -out "$work/certificate" 2>/dev/null
chmod 644 "$work/certificate"
# Writable for the user alone, as a bind mount must be; the named volume below takes its owner from the image.
install -d -o 65532 -g 65532 -m 700 "$work/cache"

podman_start() { # settings…, --, arguments
  local settings=()
  while [ "$1" != -- ]; do settings+=(-e "$1"); shift; done
  shift
  "${pod[@]}" run -d --name "$name" --read-only --read-only-tmpfs=false --cap-drop all --security-opt no-new-privileges "${limits[@]}" \
    --network none --add-host origin.test:127.0.0.1 -v "$name:/var/cache/avatar-server" \
    -v "$work/certificate:/etc/ssl/certs/ca-certificates.crt:ro" "${settings[@]}" "$image" "$@" >"$work/start" 2>&1 ||
    { cat "$work/start"; return 1; }
  server=$("${pod[@]}" inspect --format '{{.State.Pid}}' "$name")
}
podman_inside() { "${pod[@]}" exec "$name" "$@"; }
podman_stop() {
  kill -0 "$server" || return 1 # one that never ran has the status 0 as well
  server=
  "${pod[@]}" stop -t 20 "$name" >/dev/null 2>&1
  is "$("${pod[@]}" inspect --format '{{.State.ExitCode}}' "$name")" 0 || { "${pod[@]}" logs --tail 5 "$name"; return 1; }
  "${pod[@]}" rm "$name" >/dev/null 2>&1
}


# The same settings by hand: a copy of the root, mounted read-only, in namespaces of its own, as the image's user.
chroot_start() {
  settings=()
  while [ "$1" != -- ]; do settings+=("$1"); shift; done
  shift
  mapfile -t -O ${#settings[@]} settings < <(setting '{{range .Config.Env}}{{println .}}{{end}}' | grep .)
  if [ ! -d "$work/root" ]; then
    cp -a "$root" "$work/root"
    mkdir "$work/root/proc" "$work/root/dev"
    echo "127.0.0.1 localhost origin.test" >"$work/root/etc/hosts"
  fi
  unshare --mount --net --pid --ipc --uts --fork --kill-child --propagation private sh -euc '
    root=$1 cache=$2 certificate=$3
    shift 3
    mount --bind "$root" "$root"
    mount -t proc none "$root/proc"
    mount --rbind /dev "$root/dev"
    mount --bind "$cache" "$root/var/cache/avatar-server"
    mount --bind "$certificate" "$root/etc/ssl/certs/ca-certificates.crt"
    mount -o remount,bind,ro "$root"
    ip link set lo up
    exec env -i setpriv --no-new-privs env "$@"' sh "$work/root" "$work/cache" "$work/certificate" "${settings[@]}" \
    "$(command -v chroot)" --userspec=65532:65532 "$work/root" /usr/local/bin/avatar-server "$@" >"$work/start" 2>&1 &
  keeper=$!
  for _ in $(seq 100); do
    server=$(tr -d ' ' <"/proc/$keeper/task/$keeper/children" 2>/dev/null) || { cat "$work/start"; return 1; }
    if [ -n "$server" ] && [ "$(readlink "/proc/$server/exe")" = "$work/root/usr/local/bin/avatar-server" ]; then return 0; fi
    sleep 0.1
  done
  cat "$work/start"
  return 1
}
chroot_inside() {
  env "${settings[@]}" "$(command -v nsenter)" --target "$server" --mount --net --pid --root --setuid 65532 --setgid 65532 -- "$@"
}
chroot_stop() {
  local status=0
  kill -TERM "$server" || return 1
  wait "$keeper" || status=$?
  server=
  is "$status" 0 || { tail -5 "$work/start"; return 1; }
}

start() { "${mode}_start" "$@"; }
inside() { "${mode}_inside" "$@"; }
stop() { "${mode}_stop"; }
healthy() { # within 30 s
  local said=
  for _ in $(seq 60); do
    if said=$(inside avatar-server health 2>&1); then return 0; fi
    sleep 0.5
  done
  echo "$said"
  "${pod[@]}" logs --tail 10 "$name" 2>/dev/null || tail "$work/start"
  return 1
}
field() { awk -v name="$2:" '$1 == name {print $2}' "/proc/$1/status"; }
confined() {
  local worker workers=0
  for worker in $(cat /proc/"$server"/task/*/children); do
    workers=$((workers + 1))
    is "$(field "$worker" Uid) $(field "$worker" CapEff) $(field "$worker" NoNewPrivs) $(field "$worker" Seccomp)" \
      "65532 0000000000000000 1 2" || return 1
    [ "$(field "$worker" Seccomp_filters)" -gt "$(field "$server" Seccomp_filters)" ] || { echo "no filter of its own"; return 1; }
  done
  [ "$workers" -gt 0 ] || { echo "no worker"; return 1; }
}
not_writable() { grep -E '^[^ ]+ / [^ ]+ ro[, ]' "/proc/$server/mounts"; }
pictures() { nsenter --target "$server" --net /usr/bin/python3 benchmarks/image-pictures.py "$@"; }
look_at() { # what for, arguments; its lines count as checks
  local line
  pictures "${@:2}" >"$work/pictures" 2>&1 || true
  grep -q '^ok  ' "$work/pictures" || echo "FAIL $1: $(tail -1 "$work/pictures")" >>"$work/pictures"
  while read -r line; do
    case "$line" in
      ok*) passed=$((passed + 1)) ;;
      FAIL*) failed=$((failed + 1)) ;;
      *) continue ;;
    esac
    echo "$line"
  done <"$work/pictures"
}

# Whether this machine can run any container so: a fault of the image's must not pass for the machine's.
podman_works() {
  local file program
  program=$(type -P true)
  mkdir -p "$work/probe"
  for file in "$program" $(ldd "$program" | grep -o '/[^ ]*'); do cp -L --parents "$file" "$work/probe"; done
  "${pod[@]}" run --rm --read-only --read-only-tmpfs=false --cap-drop all --security-opt no-new-privileges "${limits[@]}" --network none \
    --user 65532:65532 --rootfs "$work/probe" "$program"
}
mode=${IMAGE_RUN:-podman}
podman_fault="IMAGE_RUN asked for it"
if [ "$mode" = podman ] && ! podman_works >"$work/output" 2>&1; then
  podman_fault=$(tail -1 "$work/output" | cut -c1-160)
  mode=chroot
fi
accepted=()
case "$mode" in
  podman) echo "== run: podman, read-only root, no capabilities, no new privileges, podman's own call filter, a new volume" ;;
  chroot)
    echo "== run: namespaces and chroot, read-only root, the image's user, no new privileges, a folder for the cache"
    unproved+=("that it runs in a container under podman ($podman_fault): namespaces and a chroot stood in")
    # The kernel gives no user namespace to whoever is in a chroot.
    accepted=("own-network (errno 1)")
    unproved+=("the workers' own network namespace, which needs a user namespace, and the kernel refuses that in a chroot")
    ;;
  *) echo "image: IMAGE_RUN is podman or chroot" >&2; exit 2 ;;
esac
check "starts" start -- serve --demo
check "avatar-server health exits 0" healthy
if [ "$mode" = podman ]; then
  check "the image's own health check passes" "${pod[@]}" healthcheck run "$name"
  [ -e /run/systemd/private ] || unproved+=("that podman repeats the health check by itself: its timer is systemd's, which does not run here")
fi
check "every worker is confined, as the image's user" confined
check "the root is read-only" not_writable
look_at "pictures" fill Tests/AvatarNormalizeTests/Samples "$work/certificate" "$work/key" "${accepted[@]}"
check "SIGTERM ends it with 0" stop

echo "== run again: on the same cache, as in production, with the origin gone"
production=(AVATAR_LISTEN=0.0.0.0:8080 AVATAR_CONTROL_LISTEN=0.0.0.0:8081 AVATAR_PUBLIC_BASE_URL=https://avatars.example.com
  "AVATAR_SIGNING_KEYS=$(openssl rand -hex 16)" "AVATAR_CONTROL_TOKENS=$(openssl rand -hex 24)" AVATAR_ALLOW_UNSIGNED=true
  AVATAR_FETCH_ALLOW_ADDRESSES=127.0.0.1/32)
check "starts" start "${production[@]}" -- serve
check "avatar-server health exits 0" healthy
look_at "pictures from the cache" again
check "SIGTERM ends it with 0" stop

echo "== not proved here"
unproved+=("architectures other than $(uname -m)" "a named cache volume under Docker or Kubernetes: docs/operations.md says what they need")
printf '   - %s\n' "${unproved[@]}"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
