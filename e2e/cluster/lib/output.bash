# What the scripts say. Progress goes to stderr, so that stdout is free for a script's result.

say() { echo "$*" >&2; }
fail() { say "$(basename "$0"): $*"; exit 1; }

# Runs a step and prints how long it took, or that it failed.
step() { # TITLE COMMAND...
  local title=$1 from=$EPOCHREALTIME
  shift
  "$@"
  printf '%6.2f s  %s\n' "$(seconds_since "$from")" "$title" >&2
}

seconds_since() { # EPOCHREALTIME
  local micros=$((${EPOCHREALTIME/./} - ${1/./}))
  printf '%d.%06d' $((micros / 1000000)) $((micros % 1000000))
}

# Repeats a command until it succeeds; false when the time is over.
await() { # SECONDS COMMAND...
  local until=$((${EPOCHREALTIME/./} + $1 * 1000000))
  shift
  until "$@" >/dev/null 2>&1; do
    ((${EPOCHREALTIME/./} < until)) || return 1
    sleep 0.1
  done
}
