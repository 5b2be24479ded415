"""The fork server: a resident process of an arena that forks a keeper for every bot.

An interpreter takes 20 ms to start; a fork of one that has started takes one. `keeper_process`
starts an interpreter that does nothing but

    fork_server.main([SOCKET])

where SOCKET is one end of a pair of Unix sockets that keep messages apart (SOCK_SEQPACKET); only
the arena has the other. A message of the arena is one byte with four descriptors:

    the read end of the lifeline, the keeper's end of its status, the bot's output, and a file that
    holds the keeper's arguments and the bot's environment, in the format of `marshal`.

The answer is the keeper's pid, or minus the number of the error for which it can't be forked. When
the arena closes its end, or dies, this process exits; keepers don't need it any more, as they are
children of the arena (`syscalls.fork_sibling`). It imports only the few light modules that a keeper
needs and never has more than one thread, so forking it is cheap and safe.

Where no process can be forked for another one, each keeper is an interpreter that is given the four
descriptors:

    fork_server.main([LIFELINE, STATUS, OUTPUT, REQUEST])
"""

import _socket
import errno
import marshal
import os
import resource

TYPE_CHECKING = False
if TYPE_CHECKING or __package__:
    from lanista.bots import keeper, syscalls
else:  # in the fork server, which knows no packages
    import keeper
    import syscalls

DESCRIPTORS = 4
BYTES_EACH = 4  # of a descriptor in a message: a C int

# Threads of its user that an arena, its workers and helpers can always have, whatever its bots do;
# trio has 40 at most in each.
ARENAS_THREADS = 128


def serve(requests: _socket.socket) -> list[int]:
    """Fork a keeper for every request; return, in each keeper, the descriptors that it was sent.

    The fork server itself exits when the arena has closed its end.
    """
    while True:
        byte, ancillary, _, _ = requests.recvmsg(
            1, _socket.CMSG_SPACE(DESCRIPTORS * BYTES_EACH), _socket.MSG_CMSG_CLOEXEC
        )
        if not byte:
            os._exit(0)
        [(_, _, content)] = ancillary
        descriptors = memoryview(content).cast("i").tolist()
        try:
            answer = syscalls.fork_sibling()
        except OSError as error:
            answer = -(error.errno or errno.EAGAIN)
        if answer == 0:
            requests.close()
            return descriptors
        # Before the answer: when a bot is said to be started, this process holds nothing of it.
        for fd in descriptors:
            os.close(fd)
        requests.send(b"%d" % answer)


def leave_threads() -> None:
    """Have this process and the bots below it leave the arena some of its user's threads.

    The kernel compares the number of all threads of a user with the limit of whoever wants another,
    and in a sandbox also with the limit of whoever made the user namespace.
    """
    most, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    if most > 2 * ARENAS_THREADS:  # and not RLIM_INFINITY, which is -1
        resource.setrlimit(resource.RLIMIT_NPROC, (most - ARENAS_THREADS,) * 2)


def main(arguments: list[str]) -> None:
    """Serve an arena, or become a keeper; the top of this module describes the arguments."""
    keeper.ignore_polite_signals()
    leave_threads()
    descriptors = [int(number) for number in arguments]
    if len(descriptors) == 1:
        descriptors = serve(_socket.socket(fileno=descriptors[0]))
        os.setsid()
    # From here on this is a keeper.
    lifeline, status, output, request = descriptors
    null = os.open(os.devnull, os.O_RDWR)
    for fd, standard in ((null, 0), (output, 1), (output, 2)):
        os.dup2(fd, standard)
    os.close(null)
    os.close(output)
    given, environment = marshal.loads(os.pread(request, os.fstat(request).st_size, 0))  # noqa: S302 - the arena's
    os.close(request)
    for fd in (lifeline, status):
        os.set_inheritable(fd, False)
    keeper.keep(lifeline, status, given, environment)
