# A component: a long-running program in a machine (etcd, a kubelet …), with its log, its
# command (to start it again after a fault test) and its process, as the machine numbers it.

component_start() { # NAME MACHINE COMMAND...
  local name=$1 machine=$2 folder=$state/components/$1
  shift 2
  mkdir -p "$folder"
  echo "$machine" >"$folder/machine"
  printf 'exec%s\n' "$(printf ' %q' "$@")" >"$folder/command"
  component_run "$name"
}

component_run() { # NAME
  local folder=$state/components/$1 machine pid
  machine=$(<"$folder/machine")
  # The shell hands the program over to the machine's PID 1 and ends.
  # shellcheck disable=SC2016
  pid=$(on "$machine" bash -c 'setsid bash "$0" >>"$1" 2>&1 </dev/null 9>&- & echo $!' \
    "$folder/command" "$logs/$1.log")
  echo "$pid $(start_time "$pid" "$(machine_root "$machine")")" >"$folder/process"
}

component_running() { # NAME
  local folder=$state/components/$1 pid started root
  read -r pid started 2>/dev/null <"$folder/process" || return 1
  root=$(machine_root "$(<"$folder/machine")") || return 1
  [[ -n $started && $(start_time "$pid" "$root") == "$started" ]]
}

component_stop() { # NAME [SIGNAL]
  local name=$1 signal=${2:-TERM} folder=$state/components/$1 pid
  component_running "$name" || return 0
  read -r pid _ <"$folder/process"
  on "$(<"$folder/machine")" kill "-$signal" "$pid"
  await 15 eval "! component_running '$name'" || fail "$name does not end"
}

components() { ls "$state/components" 2>/dev/null; }

# Waits for what a component has to bring about; says whose fault it is otherwise.
component_await() { # NAME SECONDS COMMAND...
  local name=$1 seconds=$2 until=$((${EPOCHREALTIME/./} + $2 * 1000000))
  shift 2
  until "$@" >/dev/null 2>&1; do
    component_running "$name" || component_blame "$name" "has ended"
    ((${EPOCHREALTIME/./} < until)) || component_blame "$name" "is not ready after $seconds s"
    sleep 0.1
  done
}

component_blame() { # NAME WHAT
  say "$1 $2; the end of $logs/$1.log:"
  tail -n 25 "$logs/$1.log" >&2
  exit 1
}
