#!/usr/bin/env bash
# Creates dist/VERSION from the last commit, with the same bytes on every machine:
#
#   directory and hardware  an archive for each platform, with the licences of what is
#                           linked, and a CycloneDX bill of materials
#   sandbox-fake-for-demonstrations  the same; never part of production
#   gateway-configuration   what Traefik is started with
#   backend-client          the TypeScript client as npm installs it
#   images                  for two platforms, where there is Docker with buildx
#   SHA256SUMS              of all of these
#
#   deploy/release/release.sh v1.2.3
#   PROGRAMS=hardware PLATFORMS=linux/arm64 deploy/release/release.sh v1.2.3
#
# Refuses a version that is not semantic or has no section in CHANGELOG.md, and a work tree
# with changes. Needs GNU tar; the same Go and gzip give the same bytes. Images carry the certificates of this
# machine, so only the programs in them are the same.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. deploy/release/modules.sh
umask 022
export LC_ALL=C GOWORK=off GOFLAGS='' CGO_ENABLED=0 GOAMD64=v1 GOARM64=v8.0 GOEXPERIMENT=''

readonly version=${1:-} root=$PWD
read -ra programs <<<"${PROGRAMS:-directory hardware sandbox}"
read -ra platforms <<<"${PLATFORMS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64}"

refuse() { echo "release: $*" >&2; exit 1; }

check() {
  local number='(0|[1-9][0-9]*)' label='(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)' tagged
  [[ $version =~ ^v$number\.$number\.$number(-$label(\.$label)*)?$ ]] ||
    refuse "'$version' is not a semantic version such as v1.2.3 (make release VERSION=v1.2.3)"
  [[ -z $(git status --porcelain) ]] || refuse "the work tree has changes:"$'\n'"$(git status --porcelain)"
  awk -v begin="## [${version#v}] - " 'index($0, begin) == 1 { found = 1 } END { exit !found }' CHANGELOG.md ||
    refuse "CHANGELOG.md has no section [${version#v}]"
  if tagged=$(git rev-parse --quiet --verify "refs/tags/$version^{commit}"); then
    [[ $tagged == "$(git rev-parse HEAD)" ]] || refuse "the tag $version is another commit"
  fi
}

folder() { # program: the folder of its module
  if [[ $1 == sandbox ]]; then echo deploy/sandbox; else echo "services/$1"; fi
}

shipped_as() { # program: how its files are called
  if [[ $1 == sandbox ]]; then echo sandbox-fake-for-demonstrations; else echo "$1"; fi
}

# pack NAME makes the archive of the folder $work/NAME.
pack() {
  tar -C "$work" --format=gnu --sort=name --owner=0 --group=0 --numeric-owner --mode='a=rX,u+w' --mtime="@$seconds" \
    -cf - "$1" | gzip -n -9 >"$out/$1.tar.gz"
  echo "$1.tar.gz"
}

program() { # program platform
  local module name
  module=$(folder "$1") name=$(shipped_as "$1")_${version}_${2/\//_}
  mkdir "$work/$name"
  (
    export GOOS=${2%/*} GOARCH=${2#*/}
    cd "$module"
    # The flags of `make build`, whose packages are then compiled already.
    go build -trimpath -buildvcs=false -gcflags 'all=-dwarf=false' -o "$work/$name/$1" \
      -ldflags "-s -w -X main.version=$version -X main.commit=$commit -X main.date=$date" .
    "$root/deploy/release/licences.sh" . >"$work/$name/THIRD_PARTY_LICENSES"
  )
  cp CHANGELOG.md "$module/README.md" "$work/$name/"
  [[ ! -e deploy/env/$1.env.example ]] || cp "deploy/env/$1.env.example" "$work/$name/"
  pack "$name"
  bom "$work/tools" "$work/$name/$1" "$out/$name.cdx.json" "$version"
}

gateway() {
  local name=gateway-configuration_$version
  mkdir "$work/$name"
  cp -r CHANGELOG.md gateway/README.md gateway/traefik.yml gateway/start.sh gateway/dynamic "$work/$name/"
  pack "$name"
}

# client makes what `npm pack` would, without Node: the generated files are committed.
client() {
  local from=proto-free-contracts
  mkdir "$work/package"
  cp -r "$from/README.md" "$from/typescript/directory" "$from/typescript/hardware" "$work/package/"
  sed 's/"private": true/"version": "'"${version#v}"'"/' "$from/typescript/package.json" >"$work/package/package.json"
  pack package
  mv "$out/package.tar.gz" "$out/backend-client-${version#v}.tgz"
}

# images wraps the Linux programs of the archives.
images() {
  local platform program name
  if ! docker buildx version >/dev/null 2>&1 || ! docker info >/dev/null 2>&1; then
    echo 'no images: there is no Docker engine with buildx here'
    return
  fi
  for platform in "${platforms[@]}"; do
    [[ $platform == linux/* ]] || continue
    for program in "${programs[@]}"; do
      name=$(shipped_as "$program")_${version}_${platform/\//_}
      BIN=$work/$name TAG=$version-${platform#*/} VERSION=$version REVISION=$commit CREATED=$date \
        BUILD="buildx build --load --provenance=false --platform $platform" deploy/docker/prebuilt.sh "$program"
      docker save "backend/$program:$version-${platform#*/}" | gzip -n >"$out/$name.image.tar.gz"
    done
  done
}

check
commit=$(git rev-parse --short=12 HEAD) date=$(git log -1 --format=%cI) seconds=$(git log -1 --format=%ct)
readonly commit date seconds target=$root/dist/$version
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
readonly work out=$work/out
mkdir "$out" "$work/source" "$work/tools"

# Only what is committed is built, whatever else lies in this folder.
git archive HEAD | tar -C "$work/source" -xmf -
cd "$work/source"
bom_tool "$work/tools"
for platform in "${platforms[@]}"; do
  for one in "${programs[@]}"; do program "$one" "$platform"; done
done
gateway
client
images
(cd "$out" && sha256sum -- * >"$work/SHA256SUMS")
mv "$work/SHA256SUMS" "$out/"

rm -rf "$target"
mkdir -p "$root/dist"
cp -r "$out" "$target"
echo "dist/$version: $(wc -l <"$target/SHA256SUMS") files, all in SHA256SUMS"
