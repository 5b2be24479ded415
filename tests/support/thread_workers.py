"""Workers of a tournament that are threads of the test's process, where Lanista is loaded already.

To load it is most of what a short tournament costs. What a worker is as a process is tested in
competition/test_executors.py, and by the tournaments that e2e/ and chaos/ start as processes.
"""

from concurrent.futures import ThreadPoolExecutor

from lanista.competition.executors import GivenWorkers


class ThreadWorkers(GivenWorkers):
    """Stands in for `LocalWorkers`."""

    is_local = True

    def __init__(self, concurrency, **_):
        self._threads = ThreadPoolExecutor(concurrency)
        super().__init__(self._threads, concurrency)

    def terminate(self):
        """End what has not begun; what runs is given up."""
        super().terminate()
        self._threads.shutdown(wait=False)

    def close(self, cleanup):
        """Have the threads' bots end, and the threads."""
        super().close(cleanup)
        self._threads.shutdown()


def play_in_threads(patch):
    """Have this process play with threads instead of worker processes, until it is undone."""
    patch.setattr("lanista.library.many.LocalWorkers", ThreadWorkers)
    patch.setattr("lanista.competition.running.LocalWorkers", ThreadWorkers)
