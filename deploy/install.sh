#!/bin/sh
# Installs Berth from a release:
#   sh install.sh --from berth-VERSION-linux-x64.tar.gz [--key public.pem] [--images FOLDER] [any flag of berth-server up]
# It checks the machine and the archive, unpacks it to /opt/berth/VERSION, and hands over to `berth-server up`.
set -eu

fail() {
  printf '%s FIX: %s\n' "$1" "$2" >&2
  exit 1
}

from=
key=
isValue=
for word in "$@"; do
  # Rotates the arguments: what is not ours stays, in its order.
  shift
  case $isValue in
  from) from=$word isValue= ;;
  key) key=$word isValue= ;;
  *)
    case $word in
    --from) isValue=from ;;
    --key) isValue=key ;;
    *) set -- "$@" "$word" ;;
    esac
    ;;
  esac
done

[ -n "$from" ] || fail "The archive of a release is missing." "sh install.sh --from berth-VERSION-linux-x64.tar.gz"
[ -f "$from" ] || fail "There is no file $from." "sh install.sh --from FILE, with the path of the archive"
[ "$(uname -s)" = Linux ] || fail "This system is $(uname -s)." "install on Linux"
[ "$(uname -m)" = x86_64 ] || fail "This machine is $(uname -m)." "install on a machine with x64"
[ "$(id -u)" = 0 ] || fail "This account may not install." "sudo sh install.sh --from $from"
for program in sha256sum tar gzip df openssl; do
  command -v "$program" >/dev/null || fail "The program $program is missing." "apt-get install coreutils tar gzip openssl"
done

folder=$(cd "$(dirname "$from")" && pwd)
archive=$(basename "$from")
case $archive in
berth-*-linux-x64.tar.gz) ;;
*) fail "$archive is not named like an archive of a release." "give it back its name, berth-VERSION-linux-x64.tar.gz" ;;
esac
version=${archive#berth-}
version=${version%-linux-x64.tar.gz}
image=berth-$version-image-linux-x64.tar

sums=$folder/SHA256SUMS
[ -f "$sums" ] || fail "SHA256SUMS does not lie beside the archive." "put SHA256SUMS of the release into $folder"
if [ -n "$key" ]; then
  [ -f "$sums.sig" ] || fail "SHA256SUMS.sig does not lie beside the archive." "put it into $folder"
  openssl pkeyutl -verify -rawin -pubin -inkey "$key" -in "$sums" -sigfile "$sums.sig" >/dev/null 2>&1 ||
    fail "The signature of SHA256SUMS does not belong to $key." "fetch the release and the key again, from where you trust them"
else
  echo "The signature was not checked, because no --key was given. The hashes are checked."
fi
# Of each file that is there. Names with a star are binary.
matches() {
  wanted=$(awk -v name="$1" '$2 == name || $2 == "*" name { print $1 }' "$sums")
  [ -n "$wanted" ] && [ "$wanted" = "$(sha256sum "$folder/$1" | cut -d ' ' -f 1)" ]
}
matches "$archive" || fail "$archive does not have the hash of SHA256SUMS." "fetch the release again"
if [ -f "$folder/$image" ]; then
  matches "$image" || fail "$image does not have the hash of SHA256SUMS." "fetch the release again"
  set -- "$@" --control-image "$folder/$image"
fi

target=/opt/berth/$version
if [ ! -f "$target/release.json" ]; then
  mkdir -p /opt/berth
  freeMb=$(df -Pm /opt/berth | awk 'NR == 2 { print $4 }')
  [ "$freeMb" -ge 2000 ] || fail "/opt/berth has $freeMb MB free; 2000 are needed." "make room below /opt, then run the same command again"
  rm -rf "$target.new"
  mkdir "$target.new"
  tar --extract --gzip --file "$folder/$archive" --directory "$target.new" --strip-components 1 --no-same-owner
  # A release that was unpacked in part has another name.
  rm -rf "$target"
  mv "$target.new" "$target"
fi
exec "$target/bin/berth-server" up --archive "$folder/$archive" "$@"
