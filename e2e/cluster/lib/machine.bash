# A machine: network, mount, PID, UTS and IPC namespaces of its own, held by its PID 1.
# Ending that process ends all the others in it and their mounts: a power-off.

# A process is named by its id and start time together, so that a reused id is never taken for
# it. ROOT is where the /proc is that numbers it. Nothing for a process that is gone or a zombie.
start_time() { # PID [ROOT]
  local stat
  { stat=$(<"${2:-}/proc/$1/stat"); } 2>/dev/null || return 0
  # The second field is a name in parentheses that may hold blanks: count from behind it.
  read -r -a stat <<<"${stat##*) }"
  [[ ${stat[0]} == Z ]] || echo "${stat[19]}"
}

machine_init() { # NAME -> its PID 1, as the root numbers it; false when it is not running
  local pid started
  read -r pid started 2>/dev/null <"$state/$1/init" || return 1
  [[ -n $started && $(start_time "$pid") == "$started" ]] || return 1
  echo "$pid"
}

# The machine's file system as the root can reach it.
machine_root() { # NAME
  local pid
  pid=$(machine_init "$1") && echo "/proc/$pid/root"
}

machine_up() { # NAME
  local name=$1
  mkdir -p "$state/$name"/var/{upper,work}
  # The shell's child, not the shell, is the first process of the new PID namespace.
  # shellcheck disable=SC2016
  unshare --net --mount --pid --uts --ipc -- \
    bash -c 'setsid bash "$0" "$@" >"$1/logs/$2.log" 2>&1 </dev/null 9>&- &' \
    "$cluster_source/lib/machine-init" "$state" "$name"
  await 5 test -e "$state/$name/ready" ||
    fail "machine $name did not start: $(tail -n 5 "$logs/$name.log")"
}

machines_off() { # NAME...
  local name pid pids=()
  for name in "$@"; do
    pid=$(machine_init "$name") || continue
    kill -KILL "$pid"
    pids+=("$pid")
  done
  # A PID 1 is gone only after everything in its namespace is.
  for pid in "${pids[@]}"; do
    await 30 test ! -e "/proc/$pid" || fail "process $pid, the PID 1 of a machine, does not end"
  done
}

# Runs a command in a machine, in the foreground; "root" is the computer itself.
on() { # NAME COMMAND...
  local name=$1 pid
  shift
  if [[ $name == root ]]; then
    "$@"
    return
  fi
  pid=$(machine_init "$name") || { say "machine $name is not running"; return 1; }
  nsenter --target "$pid" --mount --net --pid --uts --ipc -- "$@"
}
