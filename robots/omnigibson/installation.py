"""Check if OmniGibson can run here before it is started: each check with its cause and its way out."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.arm.arm_capabilities import PreflightCheck
from core.errors import BadValue
from core.text.untrusted_text import one_line
from robots.omnigibson.activities import ACTIVITIES, activity_name
from robots.omnigibson.options import OmniGibsonOptions, interpreter
from robots.omnigibson.worker_session import WORKER

_PROBE_TIMEOUT = 120.0
_PYTHONS = {"1": ((3, 10),), "3": ((3, 10), (3, 11))}  # by the first number of OmniGibson's version
_GUIDE = "docs/omnigibson.md says how"


def examine(options: OmniGibsonOptions) -> tuple[PreflightCheck, ...]:
    """Return the checks. Takes seconds: torch is imported there, and nothing of Isaac Sim."""
    try:
        python = interpreter(options)
    except BadValue as error:
        return (PreflightCheck("Interpreter", False, str(error).rstrip(".")),)
    found = _probe(python)
    if isinstance(found, str):
        return (PreflightCheck("Interpreter", False, found, f"name another one; {_GUIDE} to install it"),)
    return tuple(_checks(python, found))


def _probe(python: str) -> dict[str, Any] | str:
    """Return what the interpreter has, or why that cannot be told."""
    activities = [activity_name(task) for task in ACTIVITIES]
    try:
        run = subprocess.run(
            [python, str(WORKER / "probe.py"), "--torch", *activities],
            capture_output=True, text=True, errors="replace", timeout=_PROBE_TIMEOUT, check=False,
        )  # fmt: skip
    except FileNotFoundError:
        return f"there is no {python}"
    except subprocess.TimeoutExpired:
        return f"{python} did not answer within {_PROBE_TIMEOUT:g} s"
    except OSError as error:
        return f"{python} cannot be started ({error.strerror or error})"
    lines = run.stdout.strip().splitlines()
    try:
        found = json.loads(lines[-1]) if lines else None
    except ValueError:
        found = None
    if not isinstance(found, dict):
        said = (run.stderr.strip().splitlines() or [f"it ended with code {run.returncode}"])[-1]
        if "SyntaxError" in said or "invalid syntax" in run.stderr:
            said = "it is older than Python 3.10"
        return f"{python} is no Python that can run OmniGibson: {one_line(said)}"
    return found


def _check(name: str, ok: object, reason: str, remedy: str) -> PreflightCheck:
    return PreflightCheck(name, True) if ok else PreflightCheck(name, False, reason, remedy)


def _checks(python: str, found: Mapping[str, Any]) -> Iterator[PreflightCheck]:
    version, own = str(found["omnigibson"]), tuple(found["python"][:2])
    number = ".".join(map(str, own))
    yield PreflightCheck(f"Interpreter: {one_line(python)}", True)
    known = _PYTHONS.get(version.partition(".")[0], ())
    yield _check(
        f"Python {number}",
        not known or own in known,
        f"OmniGibson {version} needs Python {' or '.join('.'.join(map(str, p)) for p in known)}",
        f"make its environment with that one; {_GUIDE}",
    )
    yield _check(
        f"OmniGibson {version}".strip(),
        version,
        "it is not installed in this environment",
        f"install it there; {_GUIDE}",
    )
    if not version:
        return
    if broken := found["torch_error"]:
        yield _check(
            "torch", False, f"torch breaks: {one_line(broken)}", "install it again in that environment"
        )
    else:
        reason = "torch is not installed, which Isaac Sim brings"
        yield _check("torch", found["torch"], reason, "install Isaac Sim there first")
    yield _check(f"bddl {found['bddl']}".strip(), found["bddl"], "bddl is missing", "install it there")
    there = found["isaacsim"] or (found["isaac_path"] and found["exp_path"])
    paths = "ISAAC_PATH and EXP_PATH are not set and the package isaacsim is not there"
    yield _check("Isaac Sim", there, paths, "install Isaac Sim, or source its setup script before the start")
    yield from _data_checks(version, found)
    yield _check(
        f"Graphics card: {one_line('; '.join(found['cards']))}" if found["cards"] else "Graphics card",
        found["cards"],
        "nvidia-smi finds none",
        "OmniGibson needs an NVIDIA RTX card with 8 GB and its driver",
    )
    yield _check("Disk", found["free_gb"] >= 5, f"{found['free_gb']} GB free", "free 5 GB for its caches")


def _data_checks(version: str, found: Mapping[str, Any]) -> Iterator[PreflightCheck]:
    first = version.startswith("1.")
    variable = "OMNIGIBSON_DATASET_PATH" if first else "OMNIGIBSON_DATA_PATH"
    places: Sequence[str] = found["data_wanted"]
    yield _check(
        "Data set",
        found["data"],
        f"it is not at {' or '.join(map(one_line, places))}",
        f"download it, or set {variable}; {_GUIDE}",
    )
    if first:
        yield _check(
            "Key of the data set",
            found["key"],
            "there is no omnigibson.key, without which no object can be read",
            f"download it after accepting the data set's terms, or set OMNIGIBSON_KEY_PATH; {_GUIDE}",
        )
    else:
        yield _check(
            "NVIDIA's licence",
            str(found["licence"]).upper() in ("YES", "Y", "1"),
            "it was not accepted",
            "read it, then set OMNI_KIT_ACCEPT_EULA=YES",
        )
    for task in ACTIVITIES:
        activity = activity_name(task)
        scenes = found["scenes"].get(activity, [])
        yield _check(
            f"Task {task}: {one_line(', '.join(scenes))}" if scenes else f"Task {task}",
            scenes,
            f"no scene of the data set has the activity {activity}",
            "download the data set with its task instances, or choose another task",
        )
