#!/bin/sh
# Makes this machine a runner of a deployment. The api serves it behind the values apiUrl, nodeUrl, gateways and sandboxImage:
#   sh berth-join.sh TOKEN SHA256 [--cacert FILE] [any flag of berth-server join]
# It fetches the release of the api, checks its hash, unpacks it to /opt/berth/VERSION, and hands over to `berth-server join`.
set -eu

fail() {
  printf '%s FIX: %s\n' "$1" "$2" >&2
  exit 1
}

again="make a new line on the first machine: berth-server create-join-token --command"
[ $# -ge 2 ] || fail "The token or the hash of the release is missing." "$again"
token=$1 wanted=$2
shift 2
authority=
if [ "${1-}" = --cacert ]; then
  authority=${2:?--cacert needs the path of a file}
  shift 2
fi
[ "$(uname -s)" = Linux ] || fail "This system is $(uname -s)." "use a machine with Linux"
[ "$(uname -m)" = x86_64 ] || fail "This machine is $(uname -m)." "use a machine with x64"
[ "$(id -u)" = 0 ] || fail "This account may not install." "run the same line with sudo"
for program in curl sha256sum tar gzip df; do
  command -v "$program" >/dev/null || fail "The program $program is missing." "apt-get install curl coreutils tar gzip"
done

mkdir -p /opt/berth
freeMb=$(df -Pm /opt/berth | awk 'NR == 2 { print $4 }')
[ "$freeMb" -ge 2000 ] || fail "/opt/berth has $freeMb MB free; 2000 are needed." "make room below /opt, then run the same line again"
# Left behind by a kill.
rm -rf /opt/berth/joining.*
work=$(mktemp -d /opt/berth/joining.XXXXXX)
trap 'rm -rf "$work"' EXIT
# In files that only root reads: arguments are shown to every account.
printf 'Authorization: Bearer %s\n' "$token" >"$work/header"
printf '%s\n' "$token" >"$work/token"
curl -fsS ${authority:+--cacert "$authority"} --header "@$work/header" --output "$work/release.tar.gz" "${apiUrl:?}/install/release" ||
  fail "The release cannot be fetched from $apiUrl. A token that is used, expired or of another deployment is answered with 401." "$again"
[ "$(sha256sum "$work/release.tar.gz" | cut -d ' ' -f 1)" = "$wanted" ] ||
  fail "The release from $apiUrl does not have the hash of the line: it was changed, or another version was installed since." "$again"
mkdir "$work/release"
tar --extract --gzip --file "$work/release.tar.gz" --directory "$work/release" --strip-components 1 --no-same-owner
version=$(sed -n 's/^ *"version": "\([^"/]*\)".*/\1/p' "$work/release/release.json")
target=/opt/berth/${version:?the release names no version}
if [ ! -f "$target/release.json" ]; then
  rm -rf "$target"
  mv "$work/release" "$target"
fi
"$target/bin/berth-server" join --token-file "$work/token" --node-url "${nodeUrl:?}" --gateways "${gateways?}" \
  ${sandboxImage:+--sandbox-image "$sandboxImage"} "$@"
