"""A program that reads mutated files as this program does, and says what broke.

    python -m tests.hostile.fuzzing FOLDER FIRST COUNT

It prints one JSON object: how many uses succeeded and were refused in a sentence, what broke, and the
memory that it took at most. Its address space is limited, so that nothing can take the machine's.
"""

from __future__ import annotations

import json
import os
import random
import re
import resource
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

from typer.main import get_command

from app.cli.command_line import command_line
from app.dialogs.setup.domain_probe import probe_in_process
from app.preferences import Preferences
from core.config import Settings
from core.errors import ConsoleError
from core.evaluation.comparison import lines
from core.evaluation.report import page
from core.evaluation.table import Results
from core.evaluation.trial import Design
from core.evaluation.trial_store import TrialOutcome, TrialStore
from core.planning.domain_library import load_domain_spec, load_pddl_pair
from core.text.untrusted_text import sanitise
from core.vqa.answerers.profiles import load_profile
from core.vqa.answerers.scripted import load_script
from core.vqa.answerers.simulated_planner import load_planner_errors
from core.vqa.calibration import calibrations
from core.vqa.endpoint.presets import load_preset, prices
from core.vqa.prompt import load_prompt
from main import calibrator, emulate_arm, make_components, open_console, registries
from robots.registry import ROBOTS
from robots.ur5e.arm_setup import read_setup
from robots.ur5e.vision.calibration_file import read_calibration
from tests.core.log.mutations import flip, overwrite, super_journal, tear
from tests.hostile.mutations import mutate

ROOT = Path(__file__).parents[2]
MEGABYTES = 500
SECONDS = 20  # of processor time that one use may take, since others may be at work
PATIENCE = 200  # seconds until it counts as hanging
RARE = 25  # one domain in so many is planned for, which takes a process each

SETUP = """\
address = "192.168.0.7"
tcp = [0.0, 0.0, 0.157, 0.0, 0.0, 0.0]
payload = 0.98
centre = [0.0, 0.0, 0.058]
watchdog = 2.0
gripper_force = 60
viewpoints = [[3.14, -2.35, 2.45, -1.67, -1.57, 0.0]]
grasp_network = ""
[limits]
joint_speed = 0.5
tool_speed = 0.2
lower = [0.12, -0.55, 0.004]
upper = [0.85, 0.55, 0.75]
clearance = 0.05
[camera.overhead]
kind = "opencv"
source = 0
depth = "depth.mp4"
depth_unit = 0.001
size = [1280, 720]
[camera.wrist]
kind = "realsense"
calibration = "wrist.toml"
"""
HAND_EYE = """\
camera = "wrist"
date = "2026-11-21T10:00:00+00:00"
views = 15
reprojection = 0.31
translation = 0.001
rotation = 0.002
pose = [0.1, 0.0, 0.05, 0.0, 0.0, 1.57]
table = [0.0, 0.001]
[intrinsics]
width = 1280
height = 720
fx = 910.0
fy = 910.0
cx = 639.5
cy = 359.5
distortion = [0.1, -0.2, 0.0, 0.0, 0.05]
"""
CURVE = """\
model = "gpt-4.1"
about = "made for this test"
[default]
slope = 1.1
shift = -0.2
answers = 400
[predicates.on]
slope = 0.9
shift = 0.1
answers = 200
"""
MEMORY = 'colours = "dark"\nmuted = true\n[dials]\nask = "WATCH"\n[setup]\ntask = "halve_egg"\nseed = 7\n'
DESIGN = Design(("dkprompt", "classical"), ("halve_egg",), ("perfect",), (1.0,), 6)


class TooLong(BaseException):
    pass


def template(folder: Path) -> None:
    """One of each file, where the program looks for it."""
    shutil.copytree(ROOT / "tests/fixtures/domains/blocks", folder / "blocks")
    shutil.copytree(ROOT / "domains/tabletop", folder / "tabletop")
    shutil.copytree(ROOT / "tests/fixtures/domains/ferry", folder / "ferry")
    mine = folder / "data" / "dkprompt-console"
    for kind, name in (
        ("models", "vllm"),
        ("models", "prices"),
        ("profiles", "paper-gpt4"),
        ("prompts", "paper"),
    ):
        (mine / kind).mkdir(parents=True, exist_ok=True)
        shutil.copy(
            ROOT / f"resources/{kind}/{name}.toml",
            mine / kind / f"{'mine' if kind != 'models' else name}.toml",
        )
    shutil.copy(ROOT / "resources/models/vllm.toml", mine / "models" / "mine.toml")
    shutil.copy(ROOT / "resources/planners/babbling.toml", folder / "planner.toml")
    for name, text in (
        ("arm.toml", SETUP), ("wrist.toml", HAND_EYE), ("data/dkprompt-console/calibrations/gpt.toml", CURVE),
        ("console.toml", MEMORY), ("window.toml", 'layout = 1\ngeometry = "AAAA"\nstate = "AAAA"\n'),
        ("script.json", json.dumps(["yes;no", "skip"])),
    ):  # fmt: skip
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    with TrialStore(folder / "trials.db") as store:
        for trial in DESIGN.all_trials():
            store.put(trial, TrialOutcome("succeeded", "", True, True, 4, 5, 6, 0, 0, 6, 6, 0.1, 0.2))


# --- what is read, and how ---------------------------------------------------------------------------------


def verb(*words: object) -> None:
    """As on the command line. Raises ConsoleError with the sentence that a person reads."""
    out, error = StringIO(), StringIO()
    try:
        with redirect_stdout(out), redirect_stderr(error):
            CLI.main([str(word) for word in words], "main.py")
    except SystemExit as left:
        assert left.code in (0, 1, 2), left.code
        sentence = error.getvalue().removesuffix("\n")
        assert sanitise(sentence) == sentence and "\n" not in sentence
        assert sanitise(out.getvalue(), sys.maxsize) == out.getvalue()
        if left.code == 2:
            raise ConsoleError(sentence) from None


def setup_dialog(domain: Path) -> None:
    asked = dict.fromkeys(("task", "domain_file", "problem_file", "variant"), "")
    found = probe_in_process(
        {**asked, "domain": str(domain), "engine": "pyperplan", "robots": "robots.registry:ROBOTS"}
    )
    if not found.tasks:
        raise ConsoleError(found.checks[0].words)


def hand_eye(file: Path) -> None:
    """What was read is used to move."""
    found = read_calibration(file)
    assert abs(found.pose).max() < 1e6 and found.intrinsics.matrix.max() < 1e9


def arm(file: Path) -> None:
    made = read_setup(file)
    assert all(abs(value) < 1e6 for value in (*(made.tcp or ()), *made.centre, *sum(made.viewpoints, ())))


def confidences(_: Path) -> None:
    for calibration in calibrations().values():
        assert all(0 <= calibration.probability("on", raw) <= 1 for raw in (0.0, 0.4, 1.0))


def trials(file: Path) -> None:
    with TrialStore(file) as store:
        found = store.finished(DESIGN.all_trials())
        store.put(next(DESIGN.all_trials()), TrialOutcome("x", "", True, None, *[0] * 7, 0.0, 0.0))
    results = Results(DESIGN, found)
    page(results, "bench")
    lines(results)


def memory(file: Path) -> None:
    kept = Preferences.load(file.parent)
    kept.settings(Settings(), ROBOTS)
    kept.geometry()
    kept.store_settings(Settings())
    kept.save()


USES: dict[str, tuple[str, Callable[[Path], object]]] = {  # by which file is mutated, and what reads it
    "script": ("script.json", load_script),
    "prompt": ("data/dkprompt-console/prompts/mine.toml", load_prompt),
    "planner": ("planner.toml", load_planner_errors),
    "profile": ("data/dkprompt-console/profiles/mine.toml", load_profile),
    "preset": ("data/dkprompt-console/models/mine.toml", load_preset),
    "prices": ("data/dkprompt-console/models/prices.toml", lambda _: prices().cost("gpt-4.1", 10**6, 10**6)),
    "calibrations": ("data/dkprompt-console/calibrations/gpt.toml", confidences),
    "answerers": ("data/dkprompt-console/models/mine.toml", lambda _: verb("parts", "answerers")),
    "arm": ("arm.toml", arm),
    "hand-eye": ("wrist.toml", hand_eye),
    "trials": ("trials.db", trials),
    "memory": ("console.toml", memory),
    "layout": ("window.toml", memory),
}


def domain_use(case: Path, rng: random.Random) -> tuple[str, Path, Callable[[Path], object]]:
    """A file of a domain folder, and a door to it; seldom one that plans."""
    folder = case / rng.choice(("blocks", "tabletop", "ferry"))
    file = rng.choice(sorted(p for p in folder.rglob("*") if p.is_file()))
    if rng.randrange(RARE):
        if folder.name == "ferry":
            return "pair", file, lambda _: load_pddl_pair(folder / "domain.pddl", folder / "problem.pddl")
        return rng.choice((
            ("load", file, lambda _: load_domain_spec(folder)),
            ("tasks", file, lambda _: verb("tasks", "--domain", folder)),
        ))  # fmt: skip
    pair = ("--domain-file", folder / "domain.pddl", "--problem-file", folder / "problem.pddl")
    what = pair if folder.name == "ferry" else ("--domain", folder)
    return rng.choice((
        ("check", file, lambda _: verb("check", folder)),
        ("plan", file, lambda _: verb("plan", *what, "--seconds", 2)),
        ("setup", file, lambda _: setup_dialog(folder)),
    ))  # fmt: skip


def chosen(case: Path, outside: Path, rng: random.Random) -> tuple[str, Path, Callable[[Path], object], str]:
    if rng.random() < 0.5:
        name, file, use = domain_use(case, rng)
    else:
        name = rng.choice(sorted(USES))
        at, use = USES[name]
        file = case / at
    if file.suffix == ".db" and rng.random() < 0.8:
        deed = rng.choice((flip, tear, overwrite))
        did = deed(file, outside, rng)
        if rng.random() < 0.3:
            file.with_name("trials.db-journal").write_bytes(super_journal(file, outside / "canary"))
        return name, file, use, f"{deed.__name__} {did}"
    return name, file, use, mutate(file, outside, rng)


# --- and what comes of it ----------------------------------------------------------------------------------


def used(use: Callable[[Path], object], path: Path) -> str:
    """ "" for success, "refused" for a sentence, else what broke."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    signal.alarm(PATIENCE)
    try:
        use(path)
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


def too_long(*_: object) -> None:
    raise TooLong


def seen(folder: Path) -> dict[str, str]:
    return {str(p.relative_to(folder)): p.read_text() for p in folder.rglob("*") if p.is_file()}


def fuzz(folder: Path, first: int, number: int) -> dict[str, object]:
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
    succeeded = refused = 0
    slowest = (0.0, "")
    for seed in range(first, first + number):
        rng = random.Random(seed)
        shutil.copytree(folder / "template", case)
        name, file, use, did = chosen(case, outside, rng)
        began = time.process_time()
        came = used(use, file)
        slowest = max(slowest, (round(time.process_time() - began, 1), f"seed {seed}, {name}: {did}"))
        succeeded += not came
        refused += came == "refused"
        if came not in ("", "refused"):
            broken.append([seed, did, name, came])
        if (now := seen(outside)) != before:
            broken.append([seed, did, name, sorted(now.items() ^ before.items())])
            break
        shutil.rmtree(case)
    # Not ru_maxrss: that of a child begins with what its parent had when it was started.
    peak = int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]) / 1024
    counts = {"succeeded": succeeded, "refused": refused, "megabytes": round(peak)}
    return {**counts, "slowest": slowest, "broken": broken}


def limit_memory(folder: Path, case: Path) -> None:
    """When everything has been imported, which takes address space itself: so much more, and no more."""
    shutil.copytree(folder / "template", case)
    for at, use in USES.values():
        assert used(use, case / at) == "", (at, used(use, case / at))
    for domain in ("blocks", "tabletop"):
        load_domain_spec(case / domain)
    shutil.rmtree(case)
    size = int(re.search(r"VmSize:\s+(\d+)", Path("/proc/self/status").read_text())[1]) * 1024
    resource.setrlimit(resource.RLIMIT_AS, (size + (MEGABYTES << 20),) * 2)


CLI = get_command(command_line(make_components, open_console, emulate_arm, calibrator, tables=registries))

if __name__ == "__main__":
    print(json.dumps(fuzz(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))))
