"""Run the test files in several processes, forked after one collection for all.

pytest-xdist's workers import and collect everything once each, which took a tenth of the whole.
"""

from __future__ import annotations

import multiprocessing
import os
import warnings
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection, wait

import pytest

from robots import opengl

ARMS = (
    "tests/robots/ur5e/",
    "tests/app/widgets/test_arm",
    "tests/app/dialogs/test_arm",
    "tests/app/episode/test_arm",
    "tests/app/episode/test_ways_out_arm",
    "tests/app/cli/test_arm",
)
REAL_TIME = (  # an arm's motions, a live view, a stop's delay: they fail where others take their time
    "tests/robots/ur5e/tabletop/test_conformance",  # the longest comes first
    "tests/app/test_xcb_keys",
    *ARMS,
    "tests/app/widgets/test_kitchen",
    "tests/app/test_looking",
    "tests/app/episode/test_stop",
    "tests/app/episode/test_ways_out",
    "tests/app/review/test_fork_controller",
    "tests/app/review/test_replay",
    "tests/app/review/test_review",
    "tests/robots/kitchen/rendering/test_live",
)
SLOW = (  # begun before the rest, the longest first, so that no worker is alone with one of them in the end
    "tests/test_benchmarks",
    "tests/robots/test_conformance",
    "tests/robots/kitchen/test_robot",
    "tests/app/dialogs/test_trials",
    "tests/app/dialogs/test_setup",
    "tests/app/cli/test_bench",
    "tests/robots/omnigibson/test_robot",
    "tests/robots/kitchen/motion/test_animator",
    "tests/robots/kitchen/test_eyes",
    "tests/core/vqa/test_secrets_program",
    "tests/core/evaluation/test_trials",
    "tests/test_examples",
    "tests/hostile/test_fuzz",
)
AT_ONCE = 2  # workers that begin with the files in real time; these mostly wait
ORDER = (*REAL_TIME, *SLOW)


class Worker:
    """A process that runs the files it is handed, and which tests of these it still has to run."""

    def __init__(self, session: pytest.Session, number: int, others: Iterable[Connection]) -> None:
        self.number = number
        self.left: list[int] = []
        context = multiprocessing.get_context("fork")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(session, number, theirs, [self.pipe, *others]))
        with warnings.catch_warnings():
            # Python 3.12 warns of threads: those of OpenBLAS, which it makes anew after a fork.
            warnings.simplefilter("ignore", DeprecationWarning)
            self.process.start()
        theirs.close()


def run_in_workers(session: pytest.Session, count: int) -> None:
    """Run what was collected in `count` processes.

    Raises as pytest's own loop does after too many failures.
    """
    if opengl.backend.cache_info().currsize:
        raise pytest.UsageError("A test file opens OpenGL while it is imported: no driver outlives a fork.")
    files: dict[str, list[int]] = {}
    for number, item in enumerate(session.items):
        files.setdefault(item.nodeid.split("::")[0], []).append(number)
    files = {name: files[name] for name in sorted(files, key=_place)}
    session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]  # one for all
    workers: dict[Connection, Worker] = {}
    try:
        for number in range(min(count, len(files))):
            worker = Worker(session, number, workers)
            workers[worker.pipe] = worker
        while workers:
            for pipe in wait(list(workers)):
                worker = workers[pipe]  # type: ignore[index]
                if _hear(session, worker, files):
                    continue
                del workers[worker.pipe]
                if left := _mourn(session, worker):
                    files = {session.items[left[0]].nodeid.split("::")[0]: left} | files
                    anew = Worker(session, worker.number, workers)
                    workers[anew.pipe] = anew
            if session.shouldfail:
                raise session.Failed(session.shouldfail)
            if session.shouldstop:
                raise session.Interrupted(session.shouldstop)
    finally:
        for worker in workers.values():
            worker.process.terminate()
            worker.process.join()


def _hear(session: pytest.Session, worker: Worker, files: dict[str, list[int]]) -> bool:
    """Take one message of a worker; False where it has ended."""
    config = session.config
    try:
        message = worker.pipe.recv()
    except (EOFError, ConnectionResetError):
        return False
    match message:
        case "next":
            any_kind = worker.number < AT_ONCE
            name = next((name for name in files if any_kind or _place(name) >= len(REAL_TIME)), None)
            numbers = files.pop(name) if name else []
            worker.left += numbers
            worker.pipe.send(numbers)
        case ("report", data):
            report = config.hook.pytest_report_from_serializable(config=config, data=data)
            config.hook.pytest_runtest_logreport(report=report)
        case ("finished", nodeid, location):
            del worker.left[0]
            config.hook.pytest_runtest_logfinish(nodeid=nodeid, location=location)
        case ("warning", said):
            config.hook.pytest_warning_recorded.call_historic(kwargs=said)
    return True


def _mourn(session: pytest.Session, worker: Worker) -> list[int]:
    """Fail the test that ended its worker, and return those that it left."""
    worker.process.join()
    if not worker.left:
        return []
    number, *left = worker.left
    item = session.items[number]
    why = f"It ended its worker, with code {worker.process.exitcode}."
    report = pytest.TestReport(item.nodeid, item.location, {}, "failed", why, "call")
    session.config.hook.pytest_runtest_logreport(report=report)
    return left


class Teller:
    """Tells of a worker's tests through its pipe, in place of the terminal."""

    def __init__(self, config: pytest.Config, pipe: Connection) -> None:
        self._config, self._pipe = config, pipe
        self._tw = config.get_terminal_writer()  # where pytest-timeout says what hung

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        self._pipe.send(("report", data))

    def pytest_runtest_logfinish(self, nodeid: str, location: tuple[str, int | None, str]) -> None:
        self._pipe.send(("finished", nodeid, location))

    def pytest_warning_recorded(
        self,
        warning_message: warnings.WarningMessage,
        when: str,
        nodeid: str,
        location: tuple[str, int, str] | None,
    ) -> None:
        warning_message.source = None  # what a ResourceWarning is about, which no pipe may take
        said = {"warning_message": warning_message, "when": when, "nodeid": nodeid, "location": location}
        self._pipe.send(("warning", said))


def _work(session: pytest.Session, number: int, pipe: Connection, parents: list[Connection]) -> None:
    """Run, in a worker, what the parent hands out."""
    for end in parents:  # so that none waits for ever for a parent that was killed
        end.close()
    config = session.config
    plugins = config.pluginmanager
    capture = plugins.getplugin("capturemanager")
    if capture.is_globally_capturing():  # into files that the workers would share
        capture.stop_global_capturing()
        capture.start_global_capturing()
        capture.suspend_global_capture()
    factory = config._tmp_path_factory  # type: ignore[attr-defined]
    factory._basetemp = factory.getbasetemp() / f"worker{number}-{os.getpid()}"
    factory._basetemp.mkdir(mode=0o700)
    teller = Teller(config, pipe)
    plugins.unregister(name="terminalreporter")
    plugins.register(teller, "terminalreporter")
    config.worker = number  # type: ignore[attr-defined]
    items = _handed(session, pipe)
    item = next(items, None)
    while item is not None:
        following = next(items, None)
        config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        item = following


def _handed(session: pytest.Session, pipe: Connection) -> Iterator[pytest.Item]:
    while True:
        pipe.send("next")
        if not (numbers := pipe.recv()):
            return
        for number in numbers:
            yield session.items[number]


def _place(file: str) -> int:
    return next((n for n, start in enumerate(ORDER) if file.startswith(start)), len(ORDER))
