#!/bin/sh
# osctl @TAG@ for @PLATFORM@ in one file: this script, then a compressed archive of the runtime and
# the program. The first start unpacks it into the user's cache folder; later ones only exec.

osctl_path=/usr/bin:/bin${PATH:+:$PATH}
osctl_newline='
'

# True when FOLDER holds all of the program and only we can have put it there.
osctl_whole() {
  [ -O "$1" ] && [ ! -L "$1" ] && [ -O "$1/.whole" ] && [ ! -L "$1/.whole" ] && [ -s "$1/mod.js" ] &&
    [ -f "$1/deno" ] && [ -s "$1/deno" ] && [ -O "$1/deno" ] && [ -x "$1/deno" ] || return
  # The mark holds the hash of what was unpacked and checked.
  read -r osctl_mark 2>/dev/null <"$1/.whole" && [ "$osctl_mark" = @DIGEST@ ]
}

# Prints "ours" or "theirs" and the real path of FOLDER, then rights and owners: first of what was entered, whatever
# its path leads to by now, then of all folders from the root to it.
osctl_chain() {
  cd -P "$1" || exit
  case $PWD in *"$osctl_newline"*) exit 1 ;; esac
  if [ -O . ]; then printf 'ours %s\n' "$PWD"; else printf 'theirs %s\n' "$PWD"; fi
  set -- "$PWD"
  while [ "$1" != / ]; do
    set -- "${1%/*}" "$@"
    [ -n "$1" ] || { shift; set -- / "$@"; }
  done
  PATH=$osctl_path LC_ALL=C
  export PATH LC_ALL
  # In this order, which is also that of ls: a dot comes before a slash.
  exec ls -ldn . "$@"
}

# True when nobody but us and root can change what is found at FOLDER: every folder on the way is ours or root's, and
# is not writable by others unless it is sticky. So nothing can be swapped between a look and a start. Sets osctl_real
# to the path without links, and osctl_rights to the rights of FOLDER itself.
osctl_closed() {
  osctl_list=$(osctl_chain "$1" 2>/dev/null) || return 1
  osctl_real=${osctl_list%%"$osctl_newline"*}
  case $osctl_real in
    "ours "*) osctl_us= ;;
    *) osctl_us=$(PATH=$osctl_path id -u) ;;
  esac
  osctl_real=${osctl_real#* }
  osctl_rights= osctl_owners=
  set -f
  IFS=$osctl_newline
  for osctl_line in ${osctl_list#*"$osctl_newline"}; do
    IFS=' '
    set -- $osctl_line
    : "${osctl_us:=$3}" "${osctl_rights:=$1}"
    case $1 in
      d????-??-* | d????????[tT]*) osctl_owners="$osctl_owners $3" ;;
      *) osctl_owners="$osctl_owners others" ;;
    esac
  done
  set +f
  IFS=" $osctl_newline"
  for osctl_line in $osctl_owners; do
    case $osctl_line in
      0 | "$osctl_us") ;;
      65534) osctl_limited || return 1 ;;
      *) return 1 ;;
    esac
  done
}

# True in a user namespace without all users: root of the machine then has the number of "nobody".
osctl_limited() {
  { read -r osctl_line osctl_line osctl_line </proc/self/uid_map; } 2>/dev/null &&
    [ "$osctl_line" != 4294967295 ]
}

# True when the part of the path FOLDER that is there can be changed by nobody but us and root.
osctl_safe() {
  osctl_near=$1
  case $osctl_near in /*) ;; *) return 1 ;; esac
  until [ -d "$osctl_near" ]; do
    osctl_near=${osctl_near%/*}
    : "${osctl_near:=/}"
  done
  osctl_closed "$osctl_near"
}

# osctl_start FOLDER ARG...: becomes the program in FOLDER; returns when it is not whole, or others could change it.
osctl_start() {
  osctl_whole "$1" && osctl_closed "$1" && osctl_whole "$osctl_real" || return 0
  # Of the folder itself not even sticky rights are given to others.
  case $osctl_rights in d????-??-*) ;; *) return 0 ;; esac
  osctl_folder=$osctl_real
  shift
  # What the user set for a runtime of their own is put aside; the program takes it back at once.
  for osctl_name in @SHIELDED@; do
    eval "[ -z \"\${$osctl_name+set}\" ] ||
      { export OSCTL_KEPT_$osctl_name=\"\$$osctl_name\"; unset $osctl_name; }"
  done
  export DENO_DIR="$osctl_folder/cache" DENO_NO_UPDATE_CHECK=1
  case "${1-} ${2-}" in
    @QUICK@)
      DENO_DIR="$osctl_folder/cache-quick"
      exec "$osctl_folder/deno" @QUICKFLAGS@ "$osctl_folder/mod.js" "$@"
      ;;
  esac
  exec "$osctl_folder/deno" @FLAGS@ "$osctl_folder/mod.js" "$@"
}

# True while a living process with a lower number than ours unpacks into FOLDER.
osctl_busy() {
  for osctl_other in "$1"/.new.*; do
    osctl_number=${osctl_other##*/.new.}
    osctl_number=${osctl_number%%.*}
    [ "$osctl_number" -lt $$ ] && kill -0 "$osctl_number" && return 0
  done 2>/dev/null
  return 1
}

# Any number of processes may fill FOLDER at once and die at any point: each file is renamed into
# its place, and the mark comes last.
osctl_unpack() {
  umask 077
  osctl_safe "$1" || { echo "Others could change what is in it: look at the rights of $osctl_near and above"; return 1; }
  mkdir -p "$1" || return
  [ -O "$1" ] && [ ! -L "$1" ] || { echo "It belongs to someone else"; return 1; }
  osctl_new=$(mktemp -d "$1/.new.$$.XXXXXX") || return
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

  { tail -c +@OFFSET@ "$0" | gzip -dc && echo @DIGEST@ >"$osctl_new/.whole"; } | tar -xmof - -C "$osctl_new"
  [ -f "$osctl_new/.whole" ] || return
  # Written in larger pieces than tar does, so that the kernel keeps it in larger ones: each start maps it faster.
  cat "$osctl_new/deno" >"$osctl_new/.deno" && chmod 700 "$osctl_new/.deno" &&
    mv -f "$osctl_new/.deno" "$osctl_new/deno" || return
  osctl_mark=$(cd "$osctl_new" && export LC_ALL=C && { printf '%s\n' * && cat ./*; } | osctl_digest) || return
  [ "${osctl_mark%% *}" = @DIGEST@ ] || { echo "What was unpacked is not what was built: $osctl_mark"; return 1; }
  [ -x "$osctl_new/deno" ] || { echo "Programs may not be run from there"; return 1; }
  # A crash of the machine must not leave the mark without what it stands for.
  sync "$osctl_new"/* || sync
  for osctl_file in "$osctl_new"/*; do
    [ ! -d "$1/${osctl_file##*/}" ] || rm -rf "$1/${osctl_file##*/}"
  done
  mv -f "$osctl_new"/* "$1/" && mv -f "$osctl_new/.whole" "$1/.whole" && rm -rf "$1"/.new.* || return
  case $1 in */osctl/@HASH@) osctl_tidy "${1%/*}" ;; esac
}

# Removes the other versions in the cache folder FOLDER that no process runs; all stay where processes cannot be seen.
osctl_tidy() {
  if [ -e /proc/self/exe ]; then
    osctl_used=$(ls -l /proc/[0-9]*/exe 2>/dev/null)
  else
    osctl_used=$(ps -axo comm=) || return 0
  fi
  for osctl_other in "$1"/*; do
    case ${osctl_other##*/} in
      *[!0-9a-f]* | @HASH@) continue ;;
      ????????????????) ;;
      *) continue ;;
    esac
    [ -O "$osctl_other" ] && [ ! -L "$osctl_other" ] && [ -f "$osctl_other/.whole" ] || continue
    case $osctl_used in *"/${osctl_other##*/}/deno"*) continue ;; esac
    rm -rf "$osctl_other"
  done
}

# SHA-256 of standard input, by what the system has.
osctl_digest() {
  if command -v sha256sum >/dev/null; then sha256sum
  elif command -v shasum >/dev/null; then shasum -a 256
  else openssl dgst -sha256 -r; fi
}

# Runs a command with the system's programs first, also when PATH is empty.
osctl_with() {
  PATH=$osctl_path "$@"
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
case ${TMPDIR-} in /*) osctl_temp=$TMPDIR ;; *) osctl_temp=/tmp ;; esac
[ -O "$osctl_temp" ] || [ -k "$osctl_temp" ] || osctl_temp=/tmp
for osctl_found in "$osctl_temp/osctl-@HASH@-"*; do osctl_start "$osctl_found" "$@"; done

for osctl_tool in gzip cat chmod id ls mkdir mktemp mv rm sleep tail tar; do
  osctl_with command -v "$osctl_tool" >/dev/null ||
    osctl_fail "\"$osctl_tool\" is not there" "Install it in /usr/bin or /bin"
done
[ -e "$osctl_home" ] || [ "$osctl_home" = "${HOME-}" ] ||
  { osctl_safe "$osctl_home" && osctl_with mkdir -p -m 700 "$osctl_home" 2>/dev/null; }
osctl_why=
[ -O "$osctl_home" ] && osctl_try "$osctl_cache" "$@"
for osctl_temp in "$osctl_temp" /tmp; do
  osctl_found=$osctl_temp/osctl-@HASH@-$(osctl_with id -u)
  case $osctl_why in *" $osctl_found: "*) continue ;; esac
  osctl_try "$osctl_found" "$@"
  # Someone else was there first, perhaps on purpose: take a name that nobody can foresee.
  if [ -e "$osctl_found" ] && ! [ -O "$osctl_found" ] && osctl_safe "$osctl_temp"; then
    osctl_try "$(osctl_with mktemp -d "$osctl_found.XXXXXX")" "$@"
  fi
done
osctl_fail "No folder takes it:$osctl_why" \
  "Set XDG_CACHE_HOME to a folder of yours with @SIZE@ MB free from which programs may be run"
