#!/bin/sh
# osctl @TAG@ for @PLATFORM@ in one file: this script, then a compressed archive of the runtime and
# the program. The first start unpacks it into the user's cache folder; later ones only exec.

# The runtime would open the null device in the place of a stream that is closed, and what is printed would be lost.
if ! { true 3>&1; } 2>/dev/null; then
  echo 'error: Standard output is closed; nothing was done' >&2
  echo 'hint: To discard the output: >/dev/null' >&2
  exit 1
fi

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

# osctl_list HELD PATH...: prints whether HELD is ours, then rights and owners: of HELD itself, whatever its path leads
# to by now, then of every PATH, from the root down.
osctl_list() {
  cd "$1" || exit
  shift
  if [ -O . ]; then echo ours; else echo theirs; fi
  PATH=$osctl_path LC_ALL=C
  export PATH LC_ALL
  # In this order, which is also that of ls: a dot comes before a slash, and a folder before what is in it.
  exec ls -ldn . "$@"
}

# osctl_check HELD PATH...: true when every PATH, from the root down, is ours or root's, and no folder is writable by
# others unless it is sticky. Each is looked at where the folder above has it, which had passed by then, so nobody else
# can swap any of them from then on. Sets osctl_listed; osctl_rights to the rights of HELD; osctl_kind to the kinds of
# all, such as "ddd", or "ddl" with a link at the end.
osctl_check() {
  osctl_listed=$(osctl_list "$@" 2>/dev/null) || return 1
  case $osctl_listed in
    ours*) osctl_us= ;;
    *) osctl_us=$(PATH=$osctl_path id -u) ;;
  esac
  osctl_rights= osctl_owners= osctl_kind=
  set -f
  IFS=$osctl_newline
  for osctl_line in ${osctl_listed#*"$osctl_newline"}; do
    IFS=' '
    set -- $osctl_line
    : "${osctl_us:=$3}" "${osctl_rights:=$1}"
    osctl_kind=$osctl_kind${1%"${1#?}"}
    case $1 in
      l* | d????-??-* | d????????[tT]*) osctl_owners="$osctl_owners $3" ;;
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

# osctl_closed FOLDER [HELD]: true when nobody but us and root can change what is found at FOLDER, and HELD is what is
# found there. Links count when they are ours or root's, in folders that pass as well; where they lead is walked in the
# same way, from the root. Sets osctl_real to the path without links, which HELD is by default.
osctl_closed() {
  case $1 in *"$osctl_newline"*) return 1 ;; esac
  osctl_held=${2-} osctl_left=$1/ osctl_real= osctl_links=
  set -- /
  while [ -n "$osctl_left" ]; do
    osctl_name=${osctl_left%%/*}
    osctl_left=${osctl_left#*/}
    case $osctl_name in
      "" | .) continue ;;
      ..) osctl_left=${osctl_real%/*}/$osctl_left ;;
      *)
        set -- "$@" "$osctl_real/$osctl_name"
        [ -L "$osctl_real/$osctl_name" ] || { osctl_real=$osctl_real/$osctl_name; continue; }
        osctl_links=$osctl_links.
        [ ${#osctl_links} -le 40 ] && osctl_check "$osctl_real/" "$@" || return 1
        # Folders, and a link at the end.
        case ${osctl_kind%l} in *l* | "$osctl_kind") return 1 ;; esac
        osctl_target=${osctl_listed#*"$osctl_real/$osctl_name -> "}
        case $osctl_target in
          *"$osctl_newline"*) return 1 ;;
          /*) osctl_left=$osctl_target/$osctl_left ;;
          *) osctl_left=$osctl_real/$osctl_target/$osctl_left ;;
        esac
        ;;
    esac
    osctl_real=
    set -- /
  done
  : "${osctl_real:=/}" "${osctl_held:=$osctl_real}"
  osctl_check "$osctl_held" "$@" || return 1
  case $osctl_kind in *l*) return 1 ;; esac
  [ "$osctl_held" -ef "$osctl_real" ]
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

# Opens the folder that holds the cache FOLDER is in, with the number osctl_handle, and sets osctl_held to the name of
# FOLDER below this handle: it leads to the same folder whatever is put in the place of those above. It is empty where
# the system has no such names, or the caller has opened all numbers that a shell can use. Fails when it cannot be opened.
osctl_hold() {
  osctl_held= osctl_handle=
  [ -d /proc/self/fd ] && [ -r "${1%/osctl*}/" ] || return 0
  for osctl_handle in 9 8 7 6 5 4 3 ""; do
    [ -e "/proc/self/fd/$osctl_handle" ] || break
  done
  [ -n "$osctl_handle" ] || return 0
  # Without "command", a folder that is gone meanwhile would end the shell.
  { eval "command exec $osctl_handle<\"\${1%/osctl*}/\""; } 2>/dev/null || return
  osctl_held=/proc/self/fd/$osctl_handle/osctl${1##*/osctl}
  [ -d "$osctl_held" ] || osctl_held=
}

# osctl_start FOLDER ARG...: becomes the program in FOLDER; returns when it is not whole, or others could change it.
osctl_start() {
  osctl_whole "$1" || return 0
  osctl_hold "$1" || return 0
  if osctl_closed "$1" "$osctl_held" && osctl_whole "$osctl_held"; then
    # Of the folder itself not even sticky rights are given to others.
    case $osctl_rights in d????-??-*) shift && osctl_run "$@" ;; esac
  fi
  [ -z "$osctl_handle" ] || eval "exec $osctl_handle<&-"
}

# Becomes the program in the folder that is held, with these arguments.
osctl_run() {
  # What the user set for a runtime of their own is put aside; the program takes it back at once.
  for osctl_name in @SHIELDED@; do
    eval "[ -z \"\${$osctl_name+set}\" ] ||
      { export OSCTL_KEPT_$osctl_name=\"\$$osctl_name\"; unset $osctl_name; }"
  done
  # With these the runtime would send, write or trust what osctl promises not to.
  unset @REMOVED@
  export DENO_DIR="$osctl_held/cache" DENO_NO_UPDATE_CHECK=1
  case "${1-} ${2-}" in
    @QUICK@)
      DENO_DIR="$osctl_held/cache-quick"
      exec "$osctl_held/deno" @QUICKFLAGS@ "$osctl_held/mod.js" "$@"
      ;;
  esac
  exec "$osctl_held/deno" @FLAGS@ "$osctl_held/mod.js" "$@"
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
