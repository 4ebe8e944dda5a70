#!/bin/sh
# The host compiler that nvcc is given: gcc, which need not read cuda_runtime.h again, with which every file of CUDA
# begins. Whatever it does not know it hands to gcc as it is.
#
# With LOCKSTEP_PREPARE in the environment nvcc compiles an empty file, and of each of nvcc's passes, "host" and, for each
# architecture, "device-900", this keeps beside itself:
#   PASS.ii, PASS.macros   cuda_runtime.h preprocessed, and the macros that it defines
#   begin.h, begin.h.gch   what nvcc makes of it for the host, as it is and precompiled
#   PASS-E.words, …        with which words, as those of another version or with other options would not do
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

case $action$header in
  -Ecuda_runtime.h)
    if [ -n "$LOCKSTEP_PREPARE" ]; then
      echo "${words# }" > "$here/$pass$action.words" &&
        gcc "$@" "$source" -include "$header" -o "$output" &&
        sed -e 1d -e '$d' "$output" > "$here/$pass.ii" && # without what names the empty file
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
      { printf '# 0 "%s"\n' "$source" && cat "$here/$pass.ii"; } > "$output" &&
        exec gcc "$@" "$source" -imacros "$here/$pass.macros" >> "$output"
      exit 1
    fi
    ;;
  -c)
    if [ -n "$LOCKSTEP_PREPARE" ]; then
      # All but the first line, which names the source, and what follows from the source.
      sed -e 1d -e '/^# 1 ".*stub\.c"$/,$d' "$source" | sed '$d' > "$here/begin.h" &&
        echo "${words# }" > "$here/$pass$action.words" && gcc "$@" "$source" -o "$output" &&
        gcc "$@" -x c++-header "$here/begin.h" -o "$here/begin.h.gch"
      exit
    fi
    if is_prepared; then
      read -r first < "$source"
      begin=$((${#first} + 1))
      size=$(wc -c < "$here/begin.h")
      if cmp -s -i "$begin:0" -n "$size" "$source" "$here/begin.h"; then
        tail -c "+$((begin + size + 1))" "$source" > "${source%.cpp}.end.cpp" &&
          exec gcc "$@" -include "$here/begin.h" "${source%.cpp}.end.cpp" -o "$output"
        exit 1
      fi
    fi
    ;;
esac

[ -z "$header" ] || set -- "$@" -include "$header"
[ -z "$output" ] || set -- "$@" -o "$output"
exec gcc "$@" "$source"
