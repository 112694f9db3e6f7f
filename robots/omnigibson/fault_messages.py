"""Describe what went wrong in OmniGibson's process in one sentence, with the remedy. Pure."""

from __future__ import annotations

from collections.abc import Sequence

DOCTOR = "`doctor --robot omnigibson` tells more"
_REMEDIES = (  # parts of a message of OmniGibson, in lower case -> what it means, and what to do
    ("no module named 'omnigibson", "this Python has no OmniGibson: name the one of its environment"),
    (
        "no module named 'torch",
        "this Python has no torch: use the environment in which Isaac Sim is installed",
    ),
    (
        "no module named 'bddl",
        "this Python has no bddl: install OmniGibson's requirements in its environment",
    ),
    ("no installed scene", "its data has no scene with this activity: download the data set, with its key"),
    ("data path", "its data set is not there: download it, or set OMNIGIBSON_DATA_PATH"),
    ("omnigibson.key", "the key of its data set is missing: download it, or set OMNIGIBSON_KEY_PATH"),
    (
        "isaac_path|exp_path",
        "Isaac Sim is not set up in this environment: install it, or source its setup script",
    ),
    ("isaac sim version", "this Isaac Sim is not the version that this OmniGibson needs"),
    ("eula|licen", "NVIDIA's licence was not accepted: read it, then set OMNI_KIT_ACCEPT_EULA=YES"),
    (
        "cuda|gpu|vulkan",
        "there is no graphics card that it can use: it needs an NVIDIA RTX card and its driver",
    ),
    ("out of memory", "the graphics card has too little memory: end what else uses it"),
    ("invalid behavior task", "its version of bddl does not have this activity"),
    (
        "eoferror",
        "it asked a question, most likely whether you accept NVIDIA's licence: read it, then set "
        "OMNI_KIT_ACCEPT_EULA=YES",
    ),
    ("syntaxerror", "this Python is too old: OmniGibson 1.1 needs 3.10, later ones 3.10 or 3.11"),
)


def known_remedy(text: str) -> str:
    """Return what OmniGibson's message means and what to do, "" if it is not known."""
    lower = text.lower()
    return next((words for parts, words in _REMEDIES if any(p in lower for p in parts.split("|"))), "")


def call_fault(call: str, kind: str, text: str) -> str:
    """Return the sentence about a call that OmniGibson could not carry out."""
    if kind == "UnknownVersion":
        return f"{text}: install 1.1.1, 3.7, 3.8 or 3.9, which docs/omnigibson.md lists."
    known = known_remedy(f"{kind} {text}")
    remedy = known or f"start the episode again; {DOCTOR}"
    return f"OmniGibson failed in {call!r} with {kind}: {text}: {remedy}."


def ended_fault(reason: str, lines: Sequence[str] = (), python: str = "") -> str:
    """Return the sentence about a process that has ended; `lines` are the last that it printed.

    `python` is its interpreter, if it has never called back.
    """
    known = next(filter(None, (known_remedy(line) for line in reversed(lines))), "")
    said = reason or "OmniGibson's process is gone"
    remedy = f"check that {python} is the Python of its environment" if python else "start the episode again"
    return f"{said}: {known or f'{remedy}; {DOCTOR}'}."
