"""Starting, watching and ending bot processes.

Nothing here knows about games, matches or the wire protocol.

- `command` parses a bot's command line, and `process` runs it.
- `keeper` is a small process beside each bot. It ends the bot even if the arena has died.
- `keeper_process` starts keepers and waits for their end; `fork_server` is the process from which
  they are forked.
- `orphans` ends the processes that a killed keeper leaves behind.
- `limits` defines what a bot may use; `usage` measures it; `cgroup` has the kernel enforce it.
- `sandbox` isolates a bot from the machine; `reach` finds the files that it still has to see;
  `launcher` starts the bot inside the sandbox.
- `execute` and `proctree` are shared by the keeper and the launcher.
- `syscalls` has the system calls for which Python has no functions.
"""
