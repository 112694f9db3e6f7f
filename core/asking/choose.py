"""Answerers by name: a profile, a file, or a model behind an address."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from core.asking.budget import Meter, Patience
from core.asking.presets import Preset, load_preset, presets
from core.asking.profiles import load_profile, profiles
from core.errors import BadFile, BadValue, UnknownName
from core.ports import Answerer, Model, Truth

if TYPE_CHECKING:
    from core.asking.told import TellingAnswerer
    from core.asking.vision import ModelAnswerer

DEFAULT = "perfect"


def silent(text: str) -> None:
    """Told of every wait, says nothing."""


@dataclass(frozen=True)
class Asking:
    """How a model is asked; simulated answerers need none of it.

    `cache` is a file of kept replies, for experiments only; `notify` is told of every wait.
    """

    model: str = ""  # "" for the preset's own
    prompt: str = "dkprompt"
    side: int | None = None  # of the picture, pixels; None: as it is
    patience: Patience = field(default_factory=Patience)
    cache: Path | None = None
    notify: Callable[[str], None] = silent


def known() -> tuple[str, ...]:
    """Every name that `make_answerer` takes, besides files and URLs."""
    return (*profiles(), *presets())


def make_answerer(
    name: str,
    *,
    truth: Truth | None = None,
    seed: int = 0,
    asking: Asking | None = None,
    meter: Meter | None = None,
) -> Answerer:
    """The answerer that a person named.

    `name` is a profile (`perfect`) or a file with one (`mine.toml`), a script (`replies.json`), a preset
    with or without a model (`openai`, `ollama:llava:13b`) or a file with one, or a URL. Several of them
    parted by "+" vote. Profiles need `truth`, a simulator's. `meter` counts and limits what a model may
    cost. Raises UnknownName, BadFile, BadValue, and AnswererError for a missing key.
    """
    if "+" in name:
        from core.asking.vote import VoteAnswerer

        parts = [part.strip() for part in name.split("+")]
        return VoteAnswerer(
            [make_answerer(part, truth=truth, seed=seed, asking=asking, meter=meter) for part in parts]
        )
    if name.endswith(".json"):
        from core.asking.scripted import load_script

        return load_script(Path(name))
    if name in profiles() or (name.endswith(".toml") and not _is_preset(Path(name))):
        return _simulated(name, truth, seed)
    if Path(name).is_file() and not name.endswith(".toml") and name not in presets():
        raise BadFile(
            name, "is no answerer", way_out="Profiles and presets end in .toml, scripts of replies in .json"
        )
    return model_answerer(name, truth, asking or Asking(), meter)


def model_answerer(
    name: str, truth: Truth | None, asking: Asking, meter: Meter | None = None
) -> ModelAnswerer | TellingAnswerer:
    """The answerer that stands on a model; its user closes it."""
    from core.asking.calibration import calibrations
    from core.asking.keys import find_key
    from core.asking.model import ChatModel
    from core.asking.prompt import load_prompt
    from core.asking.told import TellingAnswerer
    from core.asking.vision import ModelAnswerer

    prompt, preset = load_prompt(asking.prompt), _preset(name, asking.model)
    telling = TellingAnswerer(truth, preset) if truth is not None and preset.local else None
    chat = ChatModel(
        preset,
        find_key(preset),
        meter=meter,
        patience=asking.patience,
        structured=prompt.style == "object",
        notify=asking.notify,
        beside=telling.beside if telling else dict,
    )
    model: Model = chat
    if asking.cache:
        from core.asking.cached import CachedModel

        model = CachedModel(chat, asking.cache)
    answerer = ModelAnswerer(model, prompt, calibrations() if preset.logprobs else {}, asking.side)
    if telling is None:
        return answerer
    telling.answerer = answerer
    return telling


def _simulated(name: str, truth: Truth | None, seed: int) -> Answerer:
    from core.asking.simulated import SimulatedAnswerer

    profile = load_profile(name)
    if truth is None:
        raise BadValue(
            f"The answerer {profile.name!r} is simulated from a simulator's truth, and this robot has none: "
            "name a model instead."
        )
    return SimulatedAnswerer(profile, truth, seed)


def _preset(name: str, model: str) -> Preset:
    if "://" in name:
        return load_preset("custom", model, name)
    preset, _, own = name.partition(":")
    if preset not in presets() and not preset.endswith(".toml"):
        raise UnknownName("answerer", name, known())
    return load_preset(preset, model or own)


def _is_preset(path: Path) -> bool:
    """Whether a TOML file tells of an endpoint; a file that cannot be read is left to who reads it."""
    try:
        return "base_url" in tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
