#!/bin/sh
# The host compiler that nvcc is given: gcc, which need not read cuda_runtime.h again, with which every file of CUDA
# begins. Whatever it does not know it hands to gcc as it is.
#
# With LOCKSTEP_PREPARE=whole in the environment nvcc compiles an empty file, and of each of nvcc's passes, "host" and,
# for each architecture, "device-900", this keeps beside itself:
#   PASS-whole.ii, PASS.macros           cuda_runtime.h preprocessed, and the macros that it defines
#   begin-whole.h, begin-whole.h.gch     what nvcc makes of it for the host, as it is and precompiled
#   PASS-E.words, …                      with which words, as those of another version or with other options would not do
# With LOCKSTEP_PREPARE=small it keeps likewise what begins with small_start.inc (PASS-small.ii, begin-small.h), for sources
# that use nothing of what that leaves out. A C++ library with which that does not compile has the whole alone.
here=${0%/*}
pass=host action='' output='' header='' source='' words='' left=$#
# Of the words in "$@" the first `left` are to be looked at, and the others are kept.
while [ "$left" -gt 0 ]; do
  word=$1
  shift
  left=$((left - 1))
  case $word in
    -o | -include)
      if [ "$word" = -o ]; then output=$1; else header=$1; fi
      shift
      left=$((left - 1))
      continue
      ;;
    -D__CUDA_ARCH__=*) pass=device-${word#*=} ;;
    -E | -c) action=$word ;;
  esac
  if [ -n "$source" ]; then
    set -- "$@" "$source"
    case $source in -I*) ;; *) words="$words $source" ;; esac
  fi
  source=$word  # it is the last one
done

is_prepared() {
  [ -r "$here/$pass$action.words" ] && read -r known < "$here/$pass$action.words" && [ "$known" = "${words# }" ]
}

# Whether a source that was preprocessed behind the macros of cuda_runtime.h names nothing of <utility>, <type_traits>,
# <compare> and <concepts>: of the system it includes headers of C and <new> alone, and of std:: it names what is in
# those. What the language itself needs of them, as <=> does, is an error then, after which it is compiled without any of
# this.
needs_no_utility() {
  awk '
    /^# [0-9]+ "/ {
      split($0, parts, "\"")
      is_system = parts[3] ~ / 3/
      name = parts[2]
      sub(/.*\//, "", name)
      is_of_c = parts[2] ~ /^\/usr\/(include|lib\/gcc)\// && (parts[2] !~ /\/c\+\+\// ||
        name ~ /^(cassert|cctype|cfloat|climits|cmath|cstddef|cstdint|cstdio|cstdlib|cstring|exception\.h|math\.h|new|stdlib\.h)$/)
    }
    /^[ \t]*(#|$)/ { next }  # all that is left of a header that was read before
    is_system && !is_of_c { exit 1 }
    !is_system && /std/ {
      gsub(/std::(size_t|ptrdiff_t|u?intptr_t|u?int(8|16|32|64)_t|exception|f?printf|snprintf|abs|sqrt)/, " ")
      if (/(^|[^A-Za-z0-9_])std([^A-Za-z0-9_]|$)/) exit 1
    }' "$1"
}

case $action$header in
  -Ecuda_runtime.h)
    if [ -n "$LOCKSTEP_PREPARE" ]; then
      if [ "$LOCKSTEP_PREPARE" = small ]; then set -- "$@" -include "$here/small_start.inc"; fi
      gcc "$@" "$source" -include "$header" -o "$output" && # and without what names the empty file:
        sed -e 1d -e '$d' "$output" > "$here/$pass-$LOCKSTEP_PREPARE.ii" || exit
      [ "$LOCKSTEP_PREPARE" = whole ] || exit 0
      echo "${words# }" > "$here/$pass$action.words" &&
        # Definitions with the file of each, and whether that is a header of the system's: it shows in the output.
        gcc "$@" "$source" -dD -include "$header" | awk '
          /^# [0-9]/ { split($0, parts, "\""); from = parts[2] "\"" (parts[3] ~ / 3/ ? " 3" : "") }
          /^#(define|undef) / && from !~ /^</ {
            if (from != last) print "# 1 \"" from
            last = from
            print
          }' > "$here/$pass.macros"
      exit
    fi
    if is_prepared; then
      gcc "$@" "$source" -imacros "$here/$pass.macros" -o "$output.rest" || exit
      start=whole
      if [ -r "$here/$pass-small.ii" ] && needs_no_utility "$output.rest"; then start=small; fi
      { printf '# 0 "%s"\n' "$source" && cat "$here/$pass-$start.ii" "$output.rest"; } > "$output"
      exit
    fi
    ;;
  -c)
    if [ -n "$LOCKSTEP_PREPARE" ]; then
      # All but the first line, which names the source, and what follows from the source.
      begin=$here/begin-$LOCKSTEP_PREPARE.h
      sed -e 1d -e '/^# 1 ".*stub\.c"$/,$d' "$source" | sed '$d' > "$begin" &&
        echo "${words# }" > "$here/$pass$action.words" && gcc "$@" "$source" -o "$output" &&
        gcc "$@" -x c++-header "$begin" -o "$begin.gch"
      exit
    fi
    if is_prepared; then
      read -r first < "$source"
      first=$((${#first} + 1))
      for begin in "$here/begin-small.h" "$here/begin-whole.h"; do
        [ -r "$begin.gch" ] || continue
        size=$(wc -c < "$begin")
        cmp -s -i "$first:0" -n "$size" "$source" "$begin" || continue
        tail -c "+$((first + size + 1))" "$source" > "${source%.cpp}.end.cpp" &&
          exec gcc "$@" -include "$begin" "${source%.cpp}.end.cpp" -o "$output"
        exit 1
      done
    fi
    ;;
esac

[ -z "$header" ] || set -- "$@" -include "$header"
[ -z "$output" ] || set -- "$@" -o "$output"
exec gcc "$@" "$source"
