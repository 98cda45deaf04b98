#!/bin/sh
# osctl @TAG@ for @PLATFORM@ in one file: this script, then a compressed archive of the runtime and
# the program. The first start unpacks it into the user's cache folder; later ones only exec.

# True when FOLDER holds all of the program and only we can have put it there.
osctl_whole() {
  [ -O "$1" ] && [ ! -L "$1" ] && [ -f "$1/.whole" ] && [ -s "$1/mod.js" ] &&
    [ -f "$1/deno" ] && [ -s "$1/deno" ] && [ -O "$1/deno" ] && [ -x "$1/deno" ]
}

# True when others cannot rename what we make in FOLDER: it is ours, or has the sticky bit.
osctl_safe() {
  case $1 in /*) [ -O "$1" ] || [ -k "$1" ] ;; *) return 1 ;; esac
}

# osctl_start FOLDER ARG...: becomes the program in FOLDER; returns when it is not whole.
osctl_start() {
  osctl_whole "$1" || return 0
  osctl_folder=$1
  shift
  # What the user set for a runtime of their own is put aside; the program takes it back at once.
  for osctl_name in @SHIELDED@; do
    eval "[ -z \"\${$osctl_name+set}\" ] ||
      { export OSCTL_KEPT_$osctl_name=\"\$$osctl_name\"; unset $osctl_name; }"
  done
  export DENO_DIR="$osctl_folder/cache" DENO_NO_UPDATE_CHECK=1
  exec "$osctl_folder/deno" @FLAGS@ "$osctl_folder/mod.js" "$@"
}

# True while a living process with a lower number than ours unpacks into FOLDER.
osctl_busy() {
  for osctl_other in "$1"/new.*; do
    osctl_number=${osctl_other##*/new.}
    osctl_number=${osctl_number%%.*}
    [ "$osctl_number" -lt $$ ] && kill -0 "$osctl_number" && return 0
  done 2>/dev/null
  return 1
}

# Any number of processes may fill FOLDER at once and die at any point: each file is renamed into
# its place, and the mark comes last.
osctl_unpack() {
  umask 077
  mkdir -p "$1" || return
  [ -O "$1" ] && [ ! -L "$1" ] || { echo "It belongs to someone else"; return 1; }
  osctl_new=$(mktemp -d "$1/new.$$.XXXXXX") || return
  trap 'rm -rf "$osctl_new"' EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM

  # One does the work; the others wait for it, but not for ever.
  osctl_turn=0
  while [ "$osctl_turn" -lt 100 ] && ! osctl_whole "$1" && osctl_busy "$1"; do
    osctl_turn=$((osctl_turn + 1))
    sleep 0.1 2>/dev/null || sleep 1
  done
  osctl_whole "$1" && return

  { tail -c +@OFFSET@ "$0" | gzip -dc && : >"$osctl_new/.whole"; } | tar -xmof - -C "$osctl_new"
  [ -f "$osctl_new/.whole" ] || return
  [ -x "$osctl_new/deno" ] || { echo "Programs may not be run from there"; return 1; }
  # A crash of the machine must not leave the mark without what it stands for.
  sync "$osctl_new"/* || sync
  for osctl_file in "$osctl_new"/*; do
    [ ! -d "$1/${osctl_file##*/}" ] || rm -rf "$1/${osctl_file##*/}"
  done
  mv -f "$osctl_new"/* "$1/" && mv -f "$osctl_new/.whole" "$1/.whole" && rm -rf "$1"/new.*
}

# Runs a command with the system's programs first, also when PATH is empty.
osctl_with() {
  PATH=/usr/bin:/bin${PATH:+:$PATH} "$@"
}

# osctl_try FOLDER ARG...: unpacks into FOLDER and starts; returns when that cannot be.
osctl_try() {
  osctl_said=$(osctl_with osctl_unpack "$1" </dev/null 2>&1)
  osctl_start "$@"
  osctl_why="$osctl_why
  $1: $osctl_said"
}

osctl_fail() {
  printf '%s\n' "error: Cannot unpack osctl: $1" "hint: $2" >&2
  exit 1
}

# The cache folder, unless it is another user's, as after sudo.
case ${XDG_CACHE_HOME-} in
  /*) osctl_home=$XDG_CACHE_HOME osctl_cache=$XDG_CACHE_HOME/osctl/@HASH@ ;;
  *) osctl_home=${HOME-} osctl_cache=${HOME-}/@CACHES@/osctl/@HASH@ ;;
esac
[ -O "$osctl_home" ] && osctl_start "$osctl_cache" "$@"
# Else a folder for temporary files.
osctl_temp=${TMPDIR-}
osctl_safe "$osctl_temp" || osctl_temp=/tmp
osctl_safe "$osctl_temp" || osctl_temp=
for osctl_found in "$osctl_temp/osctl-@HASH@-"*; do osctl_start "$osctl_found" "$@"; done

for osctl_tool in gzip id mkdir mktemp mv rm sleep tail tar; do
  osctl_with command -v "$osctl_tool" >/dev/null ||
    osctl_fail "\"$osctl_tool\" is not there" "Install it in /usr/bin or /bin"
done
[ -e "$osctl_home" ] || [ "$osctl_home" = "${HOME-}" ] ||
  osctl_with mkdir -p -m 700 "$osctl_home" 2>/dev/null
osctl_why=
[ -O "$osctl_home" ] && osctl_try "$osctl_cache" "$@"
if [ -n "$osctl_temp" ]; then
  osctl_found=$osctl_temp/osctl-@HASH@-$(osctl_with id -u)
  osctl_try "$osctl_found" "$@"
  # Someone else was there first, perhaps on purpose: take a name that nobody can foresee.
  if [ -e "$osctl_found" ] && ! [ -O "$osctl_found" ]; then
    osctl_try "$(osctl_with mktemp -d "$osctl_found.XXXXXX")" "$@"
  fi
fi
osctl_fail "No folder takes it:$osctl_why" \
  "Set XDG_CACHE_HOME to a folder of yours with @SIZE@ MB free from which programs may be run"
