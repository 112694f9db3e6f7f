"""Run Fast Downward's two programs (Helmert 2006) as child processes that end with this process.

They come with the package `up-fast-downward`, which is not imported because that takes a second. Its driver
is not used, since it would add a process between this one and the search.
"""

from __future__ import annotations

import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from core.errors import MissingPackage, PlanningError
from core.planning.pddl.writer import write_domain, write_problem
from core.planning_model import Action, Axiom, Predicate, Problem, Step, Typed
from core.stop_token import StopToken

SOLVED = (0, 1, 2, 3)  # 1 to 3: found a plan, then ran out of memory or time
IMPOSSIBLE = (10, 11)
GAVE_UP = (12, 13, 20, 21, 22, 23, 24, -signal.SIGKILL, -signal.SIGABRT, -signal.SIGXCPU)
_POLL_SECONDS = 0.02  # polling interval in seconds
_BACKGROUND = 10  # niceness


@dataclass(frozen=True, eq=False)
class SasTask:
    """A task in SAS+, and how its plans are read."""

    text: str
    steps: Callable[[str], tuple[Step, ...]]
    operators: int
    axioms: bool
    conditional: bool  # effects

    @property
    def costs(self) -> bool:
        """Return True if its operators have costs, False if each counts as one."""
        return "begin_metric\n1\n" in self.text[:100]


def binary_folder() -> Path:
    """Return the folder of both programs. Raises MissingPackage."""
    spec = find_spec("up_fast_downward")
    for folder in spec.submodule_search_locations or () if spec else ():
        path = Path(folder, "downward", "builds", "release", "bin")
        if (path / "downward").exists():
            return path
    raise MissingPackage("The engine fast-downward", "fast-downward")


class ChildRun:
    """A program that runs in a folder of its own and ends with this process. The caller must close it."""

    def __init__(
        self, files: Mapping[str, str], command: list[str], share: float, environment: Mapping[str, str] = {}
    ) -> None:
        """The first of the files is its input; `share` is the fraction of the memory that it may use."""
        self._folder = tempfile.TemporaryDirectory(prefix="downward-")
        self.here = Path(self._folder.name)
        for name, text in files.items():
            (self.here / name).write_text(text, encoding="utf-8")
        with (self.here / next(iter(files))).open() as stdin, (self.here / "said").open("w") as stdout:
            self._child = subprocess.Popen(
                kill_with_parent(command, share),
                stdin=stdin,
                stdout=stdout,
                stderr=stdout,
                cwd=self.here,
                env={**os.environ, **environment},
            )
        self._ended = os.pidfd_open(self._child.pid) if hasattr(os, "pidfd_open") else None

    def exit_code(self, wait: float = 0.0) -> int | None:
        """Return its exit code, or None if it still runs after `wait` seconds."""
        if self._ended is not None and wait:
            select.select([self._ended], [], [], wait)
        elif wait:
            time.sleep(wait)
        return self._child.poll()

    def wait(self, seconds: float, cancel: StopToken) -> int | None:
        """Return its exit code, or None if it still runs after so long. Raises Cancelled."""
        end = time.monotonic() + seconds
        while (code := self.exit_code(_POLL_SECONDS)) is None:
            cancel.check()
            if time.monotonic() > end:
                return None
        return code

    def output(self) -> str:
        return (self.here / "said").read_text("utf-8", "replace")

    def error(self, code: int) -> PlanningError:
        return PlanningError(f"Fast Downward broke with exit code {code}: {self.output().strip()[-200:]}")

    def close(self) -> None:
        if self._ended is not None:
            os.close(self._ended)
        self._child.kill()
        self._child.wait()
        self._folder.cleanup()


class SearchRun(ChildRun):
    """One run of the search program."""

    def __init__(self, task: SasTask, search: str, share: float = 0.5, *, background: bool = False) -> None:
        """In the background it gets only the processor time that others leave."""
        self._task = task
        self._read: set[str] = set()
        command = [str(binary_folder() / "downward"), "--search", search, "--internal-plan-file", "plan"]
        super().__init__({"task": task.text}, command, share)
        if background:
            with suppress(ProcessLookupError):
                os.setpriority(os.PRIO_PROCESS, self._child.pid, _BACKGROUND)

    def new_plans(self) -> list[tuple[Step, ...]]:
        """Return the plans completed since the last call, in order."""
        found = []
        names = (name for name in os.listdir(self.here) if name.startswith("plan"))
        for name in sorted(names, key=_number):
            text = "" if name in self._read else (self.here / name).read_text("utf-8")
            if "; cost" in text:  # the last line
                self._read.add(name)
                found.append(self._task.steps(text))
        return found

    @property
    def expanded(self) -> int:
        found = re.findall(r"Expanded (\d+) state", self.output())
        return int(found[-1]) if found else 0


def translate_problem(problem: Problem, seconds: float, cancel: StopToken) -> SasTask | None:
    """Translate the problem, grounded by reachability. Raises Cancelled, PlanningError, MissingPackage.

    Return None if that takes too long or gets too large, or if the translator does not support such problems.
    """
    types = [t.name for t in problem.domain.types]
    known = problem.domain.predicates
    untyped = tuple(Predicate(q.name, tuple(Typed(p.name) for p in q.parameters)) for q in known)
    domain = replace(problem.domain, predicates=untyped)
    if not problem.by_cost:
        domain = replace(domain, functions=(), actions=tuple(replace(a, costs=()) for a in domain.actions))
        problem = replace(problem, costs=(), metric="")
    amounts = [value for _, value in problem.costs]
    amounts += [amount for action in domain.actions for amount in action.costs if isinstance(amount, float)]
    if len(set(types)) < len(types) or "(either" in repr(domain) or not all(map(float.is_integer, amounts)):
        return None
    parts: tuple[Action | Axiom, ...] = (*domain.actions, *domain.axioms)
    named = frozenset[str]().union(*(part.named_objects for part in parts))
    named_ones = tuple(o for o in problem.objects if o.name in named)
    domain = replace(domain, constants=(*domain.constants, *named_ones))
    problem = replace(
        problem, domain=domain, objects=tuple(o for o in problem.objects if o not in named_ones)
    )
    files = {"domain.pddl": write_domain(domain), "problem.pddl": write_problem(problem)}
    command = [sys.executable, "-m", "fast_downward.translate", *files, "--sas-file", "sas"]
    with closing(ChildRun(files, command, 0.5, {"PYTHONPATH": str(binary_folder())})) as run:
        code = run.wait(seconds, cancel)
        if code is None or code in GAVE_UP:
            return None
        if code or not (run.here / "sas").exists():
            raise run.error(code)
        text = (run.here / "sas").read_text("utf-8")
    conditional = any(e.condition or e.formulas for action in domain.actions for e in action.effects)
    return SasTask(text, _plan_steps, text.count("\nbegin_operator\n"), "\nbegin_rule\n" in text, conditional)


def _plan_steps(plan: str) -> tuple[Step, ...]:
    words = (line.strip("()").split() for line in plan.splitlines() if line.startswith("("))
    return tuple(Step(name, tuple(args)) for name, *args in words)


def _number(name: str) -> int:
    """Return the number of a plan file: plan, plan.1, plan.2, ..., plan.10."""
    return int(name.partition(".")[2] or 0)


def kill_with_parent(command: list[str], share: float) -> list[str]:
    """Wrap the command so that it is killed when its parent thread ends, with a limit on its memory.

    For a thread that waits for the command this is when the process ends, however that happens. A launcher is
    used because Python code between fork and exec would cost a copy of this process.
    """
    parent, kilobytes = os.getpid(), int(MEMORY * share) // 1024
    if sys.platform != "linux":
        return command
    if setpriv := _setpriv():
        check = f'[ "$PPID" = {parent} ] && ulimit -v {kilobytes} && exec "$@"'  # it may have ended
        return [setpriv, "--pdeathsig", "KILL", "/bin/sh", "-c", check, "sh", *command]
    return [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(parent), str(kilobytes), *command]


MEMORY = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
_LAUNCHER = """
import ctypes, os, resource, signal, sys
parent, kilobytes, *command = sys.argv[1:]
ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
if os.getppid() == int(parent):
    resource.setrlimit(resource.RLIMIT_AS, (int(kilobytes) * 1024,) * 2)
    os.execv(command[0], command)
"""


@lru_cache(maxsize=1)
def _setpriv() -> str | None:
    """Return the path of util-linux's setpriv; others of that name do not support a death signal."""
    found = shutil.which("setpriv")
    try:
        words = subprocess.run([found, "--help"], capture_output=True, text=True) if found else None
    except OSError:
        return None
    return found if words and "--pdeathsig" in words.stdout else None
