#!/bin/sh
# Installs osctl @TAG@: downloads the executable for this machine, verifies signature and checksum, and moves it into
# place. It also replaces an installed one. Nothing is changed if anything fails.
#
# Usage: sh install.sh [--to DIRECTORY] [--from URL]
#
#   --to DIRECTORY   where to install it, created if needed (default: /usr/local/bin)
#   --from URL       where the files of the release are (default: @URL@)
set -u

tag=@TAG@
key=@KEY@
from=@URL@
to=/usr/local/bin

fail() {
  printf 'error: %s\n' "$1" >&2
  [ -z "${2-}" ] || printf 'hint: %s\n' "$2" >&2
  exit 1
}

has() {
  command -v "$1" >/dev/null 2>&1
}

while [ $# -gt 0 ]; do
  case $1 in
    --to | --from) [ $# -gt 1 ] || fail "No value for $1" ;;
  esac
  case $1 in
    --to) to=$2 && shift 2 ;;
    --from) from=${2%/} && shift 2 ;;
    -h | --help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p;}' "$0" && exit ;;
    *) fail "Unknown argument \"$1\"" "See: sh install.sh --help" ;;
  esac
done

case $(uname -s) in
  Linux) system=linux ;;
  Darwin) system=darwin ;;
  *) fail "There is no osctl for $(uname -s)" "On Windows, download osctl-windows-amd64.exe" ;;
esac
case $(uname -m) in
  x86_64 | amd64) machine=amd64 ;;
  aarch64 | arm64) machine=arm64 ;;
  *) fail "There is no osctl for $(uname -m)" ;;
esac
file=osctl-$system-$machine

# OpenSSL 3 signs and verifies with Ed25519 keys; LibreSSL and earlier versions do not.
if has minisign; then
  verifier=minisign
elif has openssl && case $(openssl version) in "OpenSSL "[3-9]*) ;; *) false ;; esac then
  verifier=openssl
else
  fail "Cannot verify the signature: neither minisign nor OpenSSL 3 is installed" "Install minisign"
fi
has curl || has wget || fail "Cannot download: neither curl nor wget is installed"

made=
if [ ! -d "$to" ]; then
  mkdir -p "$to" 2>/dev/null || fail "Cannot create $to" "Run it as root, or choose another directory: --to \$HOME/.local/bin"
  made=$to
fi
# Leaves no empty directory behind if anything fails.
trap '[ -z "$made" ] || rmdir "$made" 2>/dev/null' EXIT
# In the same directory, so that the executable is replaced in one step.
work=$(mktemp -d "$to/.osctl-install.XXXXXX" 2>/dev/null) ||
  fail "Cannot write to $to" "Run it as root, or choose another directory: --to \$HOME/.local/bin"
trap 'rm -rf "$work"; [ -z "$made" ] || rmdir "$made" 2>/dev/null' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

download() {
  if has curl; then
    reason=$(curl --fail --silent --show-error --location --output "$work/$1" "$from/$1" 2>&1)
  else
    reason=$(wget -q -O "$work/$1" "$from/$1" 2>&1)
  fi || fail "Cannot download $from/$1${reason:+: $reason}" "Check the network, or pass another address with --from"
}

# verify_ed25519 SIGNATURE FILE: true if the raw signature is right.
verify_ed25519() {
  openssl pkeyutl -verify -pubin -keyform DER -inkey "$work/key.der" -rawin -in "$2" -sigfile "$1" >/dev/null 2>&1
}

decode() {
  openssl base64 -d -A
}

# What minisign does: the hash of the file is signed, then that signature together with the trusted comment.
verify_with_openssl() {
  printf '%s' "$key" | decode >"$work/key" || return
  { printf '\060\052\060\005\006\003\053\145\160\003\041\000' && tail -c 32 "$work/key"; } >"$work/key.der"
  sed -n 2p "$sums.minisig" | decode >"$work/first" || return
  [ "$(dd if="$work/first" bs=1 count=2 2>/dev/null)" = ED ] || return
  tail -c 64 "$work/first" >"$work/signature"
  openssl dgst -blake2b512 -binary "$sums" >"$work/hash" || return
  verify_ed25519 "$work/signature" "$work/hash" || return
  { cat "$work/signature" && printf '%s' "$comment"; } >"$work/commented"
  sed -n 4p "$sums.minisig" | decode >"$work/second" || return
  verify_ed25519 "$work/second" "$work/commented"
}

verify_signature() {
  if [ "$verifier" = minisign ]; then
    minisign -V -q -P "$key" -m "$sums" >/dev/null 2>&1
  else
    verify_with_openssl
  fi
}

hash_file() {
  if has sha256sum; then
    sha256sum "$1"
  elif has shasum; then
    shasum -a 256 "$1"
  else
    openssl dgst -sha256 -r "$1"
  fi | cut -d ' ' -f 1
}

sums=$work/SHA256SUMS
download SHA256SUMS
download SHA256SUMS.minisig
comment=$(sed -n '3s/^trusted comment: //p' "$sums.minisig")
verify_signature || fail "The signature of $from/SHA256SUMS is wrong" "Do not use these files; report it"
# The files of an earlier release are signed as well.
[ "$comment" = "osctl $tag" ] || fail "$from has \"$comment\" instead of osctl $tag" "Use the install.sh of that release"
download "$file"
wanted=$(sed -n "s/ [ *]$file\$//p" "$sums")
[ -n "$wanted" ] || fail "SHA256SUMS does not name $file"
found=$(hash_file "$work/$file")
[ "$found" = "$wanted" ] || fail "The checksum of $file is $found instead of $wanted" "Do not use this file; report it"

chmod 755 "$work/$file" && mv -f "$work/$file" "$to/osctl" || fail "Cannot write $to/osctl"
echo "osctl $tag is installed as $to/osctl"
case :$PATH: in
  *:"$to":*) ;;
  *) echo "hint: Add $to to PATH" >&2 ;;
esac
