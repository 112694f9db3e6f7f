"""Run the tests that a model wrote: Python that can answer True or False, and nothing else.

Each test has a worker process of its own (pydantic-monty, the extra `wishes`), limited in time and memory,
without files, network, clock or chance, and its own helpers, so that no test can change what another calls.
"""

from __future__ import annotations

import ast
import builtins
import math
import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from core.data_file import read_text
from core.errors import BadValue, MissingPackage
from core.install_paths import resource_path
from core.scene import Bodies
from core.text.untrusted_text import one_line

HELPERS = resource_path("resources", "wishes", "helpers.py")
SECONDS, MEMORY_BYTES, MOST_CHARS = 1.0, 64 << 20, 6_000
_PATIENCE = 10  # times the seconds by the clock, where the machine gave the test no processor for them
_WORKERS = 32  # kept; those not used for the longest are ended first
_POLICY: Any = {
    "datetime": datetime(2026, 1, 1, tzinfo=UTC),
    "sleep": "zero",
    "random_start": {"seed": 0},
}
# a worker that ends for want of memory says so on its standard error, which is the console's terminal
_QUIETLY = '#!/bin/sh\nexec {program} "$@" 2>/dev/null\n'
_RUN = """
_said = []
for _state in _states:
    _see(_state)
    _said.append({call})
_said
"""


@dataclass(frozen=True)
class WrittenTest:
    """A test of a wish, as a model wrote it. Call it as any `Test`; raises BadValue if it does not answer."""

    name: str
    source: str
    args: tuple[str, ...] = ()  # the things it speaks of, first the one that is put somewhere
    takes_pose: bool = False  # the paper's other form: `def test_poses(p)`

    def __call__(self, bodies: Bodies) -> bool:
        return self.verdicts((bodies,))[0]

    def verdicts(self, states: Sequence[Bodies]) -> tuple[bool, ...]:
        return confinement().verdicts(self, states)

    @property
    def call(self) -> str:
        return f"{self.name}({self.args[0]}.pose)" if self.takes_pose else f"{self.name}()"


class _Starved(Exception):
    """A test's time by the clock was over, but others had the processor."""


class Confinement:
    """The workers of this process, one for each test. Thread-safe."""

    def __init__(self, seconds: float = SECONDS) -> None:
        """Raises MissingPackage."""
        try:
            from pydantic_monty import Monty
            from pydantic_monty._binary import find_monty_binary

            self._quiet = os.memfd_create("monty")
            os.write(self._quiet, _QUIETLY.format(program=shlex.quote(find_monty_binary())).encode())
            program = f"/proc/{os.getpid()}/fd/{self._quiet}"
            self._pool: Any = Monty(binary_path=program, max_processes=_WORKERS + 1).__enter__()
        except (ImportError, OSError, IndexError):  # the package is missing, or its program
            raise MissingPackage("Running tests that a model wrote", "wishes") from None
        self._seconds = seconds
        self._sessions: dict[WrittenTest, _Session] = {}
        self._lock = Lock()

    def verdicts(self, test: WrittenTest, states: Sequence[Bodies]) -> tuple[bool, ...]:
        """Return what a test says of each of these states, in one go. Raises BadValue."""
        with self._lock:
            try:
                session = self._sessions.pop(test, None) or self._started(test, states[0])
                said = session.run(test, states)
            except _Starved:
                session = self._started(test, states[0], patience=_PATIENCE)
                said = session.run(test, states)
            self._sessions[test] = session
        for one in said:
            if one is not True and one is not False:
                raise BadValue(f"The test {test.name} says {one_line(repr(one), 40)}, not True or False.")
        return said

    def admit(self, test: WrittenTest, bodies: Bodies) -> None:
        """Run a new test twice on one state. Raises BadValue if it breaks, or does not say the same twice."""
        first, second = self.verdicts(test, (bodies, bodies))
        if first is not second:
            raise BadValue(f"The test {test.name} says True and then False of the same scene.")

    def close(self) -> None:
        for session in self._sessions.values():
            session.close()
        self._sessions.clear()
        self._pool.__exit__(None, None, None)
        os.close(self._quiet)

    def _started(self, test: WrittenTest, bodies: Bodies, patience: int = 0) -> _Session:
        while len(self._sessions) >= _WORKERS:
            self._sessions.pop(next(iter(self._sessions))).close()
        limits: Any = {"max_feed_duration_secs": (patience or 1) * self._seconds, "max_memory": MEMORY_BYTES}
        least = 0.0 if patience else self._seconds / 2
        session = _Session(self._pool.checkout(limits=limits, os_policy=_POLICY), least)
        known = (*bodies, *(["table"] if "table_surface" in bodies else []))
        names = "\n".join(f"{name} = init_state[{name!r}]" for name in known if name.isidentifier())
        session.feed(test, read_text(HELPERS))
        session.feed(test, f"_see(_state)\n{names}", {"_state": _plain(bodies)})
        session.feed(test, test.source)
        return session


class _Session:
    """A worker with the helpers and one test. One that is late on less processor than `least` was starved."""

    def __init__(self, session: Any, least: float) -> None:
        self._session, self._least = session, least
        self._session.__enter__()
        self._seen: dict[str, Any] = {}

    def run(self, test: WrittenTest, states: Sequence[Bodies]) -> tuple[Any, ...]:
        """Return what the test says of each state; only what has changed is sent."""
        changed = []
        for bodies in states:
            state = {name: body for name, body in bodies.items() if self._seen.get(name) is not body}
            self._seen |= state
            changed.append(_plain(state))
        return tuple(self.feed(test, _RUN.format(call=test.call), {"_states": changed}))

    def feed(self, test: WrittenTest, code: str, inputs: Mapping[str, Any] | None = None) -> Any:
        from pydantic_monty import MontyError

        before = _processor(self._session.worker_pid)
        try:
            return self._session.feed_run(code, inputs=dict(inputs or {}), print_callback=_nowhere)
        except (MontyError, ValueError, OSError) as error:
            spent = _processor(self._session.worker_pid) - before
            self.close()
            if "time limit exceeded" in str(error) and spent < self._least:
                raise _Starved from None
            lines = str(error).strip().splitlines()
            reason = one_line(lines[-1] if lines else type(error).__name__, 160).rstrip(".")
            raise BadValue(f"The test {test.name} broke: {reason}.") from None
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        with suppress(Exception):  # its process may have died
            self._session.__exit__(None, None, None)


def _processor(process: int | None) -> float:
    """Return the seconds of processor that a worker has had; infinity where no system tells."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except OSError:  # it has ended, or this is not Linux
        return math.inf


def _nowhere(stream: str, text: str) -> None:
    """Drop what a test prints."""


def _plain(bodies: Bodies) -> dict[str, Any]:
    return {name: (body.pose, body.lower, body.upper) for name, body in bodies.items()}


@cache
def confinement() -> Confinement:
    """Return the workers of this process. Raises MissingPackage."""
    return Confinement()


# --- a linter, which helps people and is not the wall ------------------------------------------------------


@cache
def helper_docs() -> Mapping[str, str]:
    """Return what each helper does, by its name."""
    made = ast.parse(read_text(HELPERS)).body
    public = (node for node in made if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"))
    return {node.name: ast.get_docstring(node) or "" for node in public}


_KNOWN = {*dir(builtins), "Pose", "Thing", "init_state", "init_bounds", "env", "math"}


def read_test(source: str, things: Iterable[str], subject: str = "") -> WrittenTest:
    """Return a test from its source. `subject` is what the step puts somewhere.

    Raises BadValue, which says what a person or a model should change.
    """
    if len(source) > MOST_CHARS:
        raise BadValue(f"A test is longer than {MOST_CHARS} characters.")
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        text = one_line((getattr(error, "text", "") or "").strip(), 80)
        raise BadValue(f"A test is no Python{f', where it says: {text}' if text else ''}.") from None
    defined = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    if not defined:
        raise BadValue("There is no function in the test.")
    test, names = defined[-1], {*things}
    names |= {"table"} if "table_surface" in names else set()  # the paper's name
    parameters = [arg.arg for arg in test.args.args[: len(test.args.args) - len(test.args.defaults)]]
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    own |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    own |= {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    imports = (n for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom))
    own |= {(a.asname or a.name).partition(".")[0] for n in imports for a in n.names}
    if changed := sorted(own & helper_docs().keys()):
        raise BadValue(f"The test {test.name} gives {changed[0]} another meaning.")
    if len(parameters) > 1 or (parameters and not subject):
        raise BadValue(f"The test {test.name} takes arguments, which nobody gives.")
    spoken = [] if not subject else [subject]
    for node in ast.walk(test):
        if isinstance(node, ast.Name) and node.id not in own | names | helper_docs().keys() | _KNOWN:
            raise BadValue(f"The test {test.name} speaks of {node.id}, which is not there.")
        word = node.id if isinstance(node, ast.Name) else getattr(node, "value", None)
        word = "table_surface" if word == "table" and "table_surface" in names else word
        if isinstance(word, str) and word in names and word not in spoken:
            spoken.append(word)
    return WrittenTest(test.name, source, tuple(spoken), bool(parameters))
