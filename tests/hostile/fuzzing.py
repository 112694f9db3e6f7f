"""A program that reads mutated files as this program does, and says what broke.

    python -m tests.hostile.fuzzing FOLDER FIRST COUNT

It prints one JSON object: how many uses succeeded and were refused in a sentence, what broke, and the
memory that it took at most. Its address space is limited, so that nothing can take the machine's.
"""

from __future__ import annotations

import ctypes
import json
import os
import random
import re
import resource
import shutil
import signal
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import cv2

from core.errors import ConsoleError
from core.text.untrusted_text import sanitise
from tests.core.log.mutations import flip, overwrite, super_journal, tear
from tests.hostile.files import template
from tests.hostile.mutations import mutate
from tests.hostile.quantifiers import quantifiers
from tests.hostile.readers import USES, domain_use, open_world
from tests.hostile.wires import KEPT, WIRES, impatient

MEGABYTES = 500
SECONDS = 20  # of processor time that one use may take, since others may be at work
PATIENCE = 200  # seconds until it counts as hanging
NATIVE = ("eye card", "eye trunk", "picture")  # read by code whose crash must not be ours
ONE_ARENA = -8, 1  # M_ARENA_MAX of mallopt: else every thread takes 64 MB of address space


class TooLong(BaseException):
    pass


def chosen(folder: Path, case: Path, rng: random.Random) -> tuple[str, Callable[[], object], str]:
    """Put a changed file in its place, and return what reads it, with the change in words."""
    if (which := rng.random()) < 0.06:
        name = rng.choice(sorted(WIRES))
        return name, lambda: WIRES[name](rng), ""
    if which < 0.12:
        return "quantifiers", lambda: quantifiers(rng), ""
    if which < 0.5:
        name, at, use = domain_use(folder / "template", case, rng)
    else:
        name = rng.choice(sorted(USES))
        at, use = Path(USES[name][0]), USES[name][1]
    if at.parent != Path():
        shutil.copytree(folder / "template" / at.parts[0], case / at.parts[0])
    else:
        shutil.copy2(folder / "template" / at, case)
    did = mutate_at(case / at, folder / "outside", rng)
    return name, lambda: use(case / at), did


def mutate_at(file: Path, outside: Path, rng: random.Random) -> str:
    if file.suffix != ".db" or rng.random() > 0.8:
        return mutate(file, outside, rng)
    deed = rng.choice((flip, tear, overwrite))
    did = deed(file, outside, rng)
    if rng.random() < 0.3:
        file.with_name(f"{file.name}-journal").write_bytes(super_journal(file, outside / "canary"))
    return f"{deed.__name__} {did}"


def used(use: Callable[[], object]) -> str:
    """ "" for success, "refused" for a sentence, else what broke."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    signal.alarm(PATIENCE)
    try:
        use()
    except ConsoleError as error:
        sentence = str(error)
        odd = "\n" in sentence or sanitise(sentence) != sentence or len(sentence) > 1100
        return f"no sentence: {sentence[:300]!r}" if odd else "refused"
    except TooLong:
        return "took too long"
    except BaseException:
        return traceback.format_exc()[-1500:]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
    return ""


def used_apart(use: Callable[[], object]) -> str:
    """As `used`, in a process of its own."""
    out, into = os.pipe()
    if not (child := os.fork()):
        os.write(into, used(use).encode()[:60_000])
        os._exit(0)
    os.close(into)
    with open(out, "rb") as said:
        came = said.read().decode()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return f"it ended with {status}" if status else came


def too_long(*_: object) -> None:
    raise TooLong


def seen(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def fuzz(folder: Path, first: int, number: int) -> dict[str, object]:
    impatient()
    cv2.setNumThreads(0)  # it is forked
    threading.stack_size(1 << 20)
    ctypes.CDLL(None).mallopt(*ONE_ARENA)
    in_threads: list[str] = []
    for late in (signal.SIGALRM, signal.SIGPROF):
        signal.signal(late, too_long)
    template(folder / "template")
    outside = folder / "outside"
    outside.mkdir()
    (outside / "canary").write_text("untouched")
    (outside / "empty").touch()
    before = seen(outside)
    case = folder / "case"
    os.environ["XDG_DATA_HOME"] = str(case / "data")
    limit_memory(folder, case)
    broken: list[object] = []
    succeeded, refused, seconds = Counter[str](), Counter[str](), Counter[str]()
    threading.excepthook = lambda broke: in_threads.append(
        "".join(traceback.format_exception(broke.exc_value))
    )
    slowest = (0.0, "")
    for seed in range(first, first + number):
        rng = random.Random(seed)
        case.mkdir()
        name, use, did = chosen(folder, case, rng)
        began = time.process_time()
        came = (used_apart if name in NATIVE else used)(use)
        if in_threads:
            came = "\n".join([came, *in_threads])[-3000:]
            in_threads.clear()
        slowest = max(slowest, (round(time.process_time() - began, 1), f"seed {seed}, {name}: {did}"))
        succeeded[name] += not came
        refused[name] += came == "refused"
        seconds[name] += time.process_time() - began
        if came not in ("", "refused"):
            broken.append([seed, did, name, came])
        if (now := seen(outside)) != before:
            broken.append([seed, did, name, repr(sorted(now.items() ^ before.items()))[:3000]])
            break
        shutil.rmtree(case)
    # Not ru_maxrss: that of a child begins with what its parent had when it was started.
    peak = int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]) / 1024
    uses = {name: (succeeded[name], refused[name], round(seconds[name], 1)) for name in sorted(succeeded)}
    counts = {"succeeded": succeeded.total(), "refused": refused.total(), "megabytes": round(peak)}
    return {**counts, "slowest": slowest, "uses": uses, "broken": broken}


def limit_memory(folder: Path, case: Path) -> None:
    """When everything has been imported, which takes address space itself: so much more, and no more."""
    shutil.copytree(folder / "template", case)
    for at, use in USES.values():
        if came := used(lambda use=use, at=at: use(case / at)):  # type: ignore[misc]
            raise AssertionError(at, came)
    for wire in WIRES.values():
        used(lambda wire=wire: wire(random.Random(0)))  # type: ignore[misc]
    open_world(case / "dining")
    shutil.rmtree(case)
    size = int(re.search(r"VmSize:\s+(\d+)", Path("/proc/self/status").read_text())[1]) * 1024
    resource.setrlimit(resource.RLIMIT_AS, (size + (MEGABYTES << 20),) * 2)


if __name__ == "__main__":
    with KEPT:
        print(json.dumps(fuzz(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))))
