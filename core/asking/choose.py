"""Answerers by name: a profile, a file, or the address of a model."""

from __future__ import annotations

from pathlib import Path

from core.asking.profiles import load_profile, profiles
from core.errors import BadValue, UnknownName
from core.ports import Answerer, Truth

DEFAULT = "perfect"


def make_answerer(name: str, *, truth: Truth | None = None, seed: int = 0) -> Answerer:
    """The answerer that a person named.

    `name` is a profile (`perfect`), a profile of one's own (`mine.toml`), or a script (`replies.json`).
    Several of them parted by "+" vote. Profiles need `truth`, a simulator's. Raises UnknownName, BadFile,
    BadValue.
    """
    if "+" in name:
        from core.asking.vote import VoteAnswerer

        return VoteAnswerer([make_answerer(part.strip(), truth=truth, seed=seed) for part in name.split("+")])
    if name.endswith(".json"):
        from core.asking.scripted import load_script

        return load_script(Path(name))
    if name in profiles() or name.endswith(".toml"):
        return _simulated(name, truth, seed)
    raise UnknownName("answerer", name, profiles())


def _simulated(name: str, truth: Truth | None, seed: int) -> Answerer:
    from core.asking.simulated import SimulatedAnswerer

    profile = load_profile(name)
    if truth is None:
        raise BadValue(
            f"The answerer {profile.name!r} is simulated from a simulator's truth, and this robot has none: "
            "name a model instead."
        )
    return SimulatedAnswerer(profile, truth, seed)
