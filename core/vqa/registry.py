"""Answerers by name: a profile, a file, a model behind an address, or a plug-in.

An answerer's `make` takes as keyword arguments `options`, `truth` (the robot, if it is a simulator),
`problem`, `seed`, `asking` and `meter`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field

from core.data_file import read_toml
from core.errors import AnswererError, BadFile, BadValue, UnknownName
from core.planning_model import Problem
from core.ports import Answerer, GroundTruth, Model
from core.registry import Entry, MissingRequirement, Options, Registry
from core.stop_token import StopToken
from core.vqa.answerers.profiles import Profile, is_profile, load_profile, profile_names
from core.vqa.budget import Meter, RetryPolicy
from core.vqa.endpoint.presets import EndpointPreset, Purpose, load_preset, preset_names

if TYPE_CHECKING:
    from core.vqa.answerers.model_answerer import ModelAnswerer
    from core.vqa.answerers.scripted import ScriptedAnswerer
    from core.vqa.mock.truth_sideband import EmulatorAwareAnswerer


def ignore(text: str) -> None:
    """Discard a message."""


@dataclass(frozen=True)
class ModelSettings:
    """How a model is asked; simulated answerers do not use these settings.

    `cache` is a file of cached replies, for experiments only; `notify` receives a message about every wait.
    """

    model: str = ""  # "" for the preset's own
    prompt: str = "dkprompt"
    picture_size: int | None = None  # in pixels; None: unchanged
    retry_policy: RetryPolicy = field(default_factory=RetryPolicy)
    cache: Path | None = None
    notify: Callable[[str], None] = ignore


class SimulatedOptions(Options):
    """Options of an answerer simulated from the ground truth; those left out are taken from the profile."""

    persistence: float | None = Field(
        None,
        ge=0,
        le=1,
        description="How often an answer is repeated, right or wrong, while viewpoint and truth stay "
        "the same; default: from the profile.",
    )
    skip: float | None = Field(
        None,
        ge=0,
        le=1,
        description="The share of questions that it skips about what the picture shows; "
        "default: from the profile.",
    )
    planner: str | None = Field(
        None,
        description="The simulated model that the method vlm-planner asks; default: from the profile.",
    )


class EyeOptions(Options):
    """Options of the eye."""

    folder: str = Field(
        "",
        description="The folder of one eye; left out: those in the data folder, then the shipped ones, "
        "that know the task's things.",
    )


def _make_eye(options: EyeOptions, problem: Problem | None = None, **_: object) -> Answerer:
    from core.vqa.answerers.eye_answerer import EyeAnswerer
    from core.vqa.eye.coverage import folders_for
    from core.vqa.eye.eye import Eye

    chosen = (Path(options.folder),) if options.folder else folders_for(problem)
    return EyeAnswerer([Eye(folder) for folder in chosen])


def _no_eye() -> MissingRequirement | None:
    from core.vqa.eye.eye_file import eye_folders

    return None if eye_folders() else MissingRequirement("There is no eye yet", "make train-eye")


EYE: Entry[Answerer] = Entry(
    "eye", "Eye", "A small network of our own that reads the picture.", _make_eye, EyeOptions, _no_eye
)
OTHER_ANSWERERS: Registry[Answerer] = Registry("answerer", (EYE,))  # and third-party ones


def answerers() -> Registry[Answerer]:
    """Return every answerer with a name: profiles and presets, also the user's own, the eye, plug-ins."""
    named = (*map(_simulated_entry, profile_names()), *map(_model_entry, preset_names()), EYE)
    return Registry("answerer", named)


def answerer_names() -> tuple[str, ...]:
    """Return every name that `make_answerer` accepts, besides files and URLs."""
    return (*profile_names(), *preset_names(), *OTHER_ANSWERERS.names())


def answerer_entry(name: str, asking: ModelSettings | None = None) -> Entry[Answerer]:
    """Return the entry of an answerer, with its options. Raises UnknownName, BadFile.

    `name` is a profile (`perfect`) or a file with one (`mine.toml`), a script (`replies.json`), a preset with
    or without a model (`openai`, `ollama:llava:13b`) or a file with one, a URL, or a plug-in. Several names
    joined by "+" vote.
    """
    if "+" in name:
        return Entry(name, name, "Several answerers; what most of them say counts.", partial(_vote, name))
    if name.endswith(".json"):
        return Entry(name, name, "A script of replies.", partial(_script, name))
    if _is_simulated(name):
        return _simulated_entry(name)
    if name in OTHER_ANSWERERS:
        return OTHER_ANSWERERS[name]
    if Path(name).is_file() and not name.endswith(".toml") and name not in preset_names():
        raise BadFile(
            name, "is no answerer", remedy="Profiles and presets end in .toml, scripts of replies in .json"
        )
    return _model_entry(name, asking.model if asking else "")


def uses_network(name: str) -> bool:
    """Return True if a real, rate-limited model answers under this name; False for plug-ins."""
    return any(
        not (part.endswith(".json") or _is_simulated(part) or part in OTHER_ANSWERERS)
        for part in map(str.strip, name.split("+"))
    )


def asks_model(name: str) -> bool:
    """Return True if a model, or a plug-in, which may be one, answers under this name; "" is the default."""
    return bool(name) and (
        uses_network(name)
        or any(part in OTHER_ANSWERERS and part != EYE.name for part in map(str.strip, name.split("+")))
    )


def make_answerer(
    name: str,
    *,
    truth: GroundTruth | None = None,
    problem: Problem | None = None,
    seed: int = 0,
    asking: ModelSettings | None = None,
    meter: Meter | None = None,
    options: Mapping[str, str] | None = None,
) -> Answerer:
    """Return the answerer for a name that `answerer_entry` accepts.

    Profiles need `truth`, a simulator's, and `problem` if a method lets them plan. `meter` counts and limits
    what a model may cost. Raises UnknownName, BadFile, BadValue, and AnswererError for a missing key.
    """
    entry = answerer_entry(name, asking)
    values = entry.read_options(options or {})
    return entry.build(
        options=values, truth=truth, problem=problem, seed=seed, asking=asking or ModelSettings(), meter=meter
    )


def model_answerer(
    name: str, truth: GroundTruth | None, asking: ModelSettings, meter: Meter | None = None
) -> ModelAnswerer | EmulatorAwareAnswerer:
    """Return an answerer that uses a model; the caller must close it."""
    from core.vqa.answerers.model_answerer import ModelAnswerer
    from core.vqa.calibration import calibrations
    from core.vqa.endpoint.api_keys import find_key
    from core.vqa.endpoint.chat_model import ChatModel
    from core.vqa.endpoint.model_list import served_name
    from core.vqa.mock.truth_sideband import EmulatorAwareAnswerer
    from core.vqa.prompt import load_prompt

    prompt, preset = load_prompt(asking.prompt), _preset(name, asking.model)
    aware = EmulatorAwareAnswerer(truth, preset) if truth is not None and preset.local else None
    key, counting = find_key(preset), meter or Meter()
    named = served_name(preset, StopToken())

    def chat(purpose: Purpose, structured: bool = False) -> Model:
        model = ChatModel(
            preset,
            key,
            meter=counting,
            retry_policy=asking.retry_policy,
            structured=structured,
            purpose=purpose,
            notify=asking.notify,
            extra_fields=aware.extra_fields if aware else dict,
            name=named,
        )
        if not asking.cache:
            return model
        from core.vqa.answerers.cached import CachedModel

        return CachedModel(model, asking.cache)

    answerer = ModelAnswerer(
        chat("questions", prompt.style == "object"),
        prompt,
        calibrations() if preset.logprobs else {},
        asking.picture_size,
        chat("prompts"),
    )
    if aware is None:
        return answerer
    aware.answerer = answerer
    return aware


def language_model(name: str, asking: ModelSettings, meter: Meter | None = None) -> Model:
    """Return the model behind a preset, a file with one or a URL, or a script. Raises as `make_answerer`."""
    scripted = name.endswith(".json")
    return _script(name, Options()) if scripted else model_answerer(name, None, asking, meter).model


# --- entries --------------------------------------------------------------------------------------------


def _simulated_entry(name: str) -> Entry[Answerer]:
    profile = load_profile(name)
    summary = f"Simulated from the truth: {profile.about}."
    return Entry(name, profile.name, summary, partial(_make_simulated, profile), SimulatedOptions)


def _make_simulated(
    profile: Profile,
    options: SimulatedOptions,
    *,
    truth: GroundTruth | None = None,
    problem: Problem | None = None,
    seed: int = 0,
    **_: object,
) -> Answerer:
    from core.vqa.answerers.simulated import SimulatedAnswerer
    from core.vqa.answerers.simulated_planner import PlanningAnswerer, load_planner_errors

    if truth is None:
        raise BadValue(
            f"The answerer {profile.name!r} is simulated from a simulator's truth, and this robot "
            "tells none: name a model instead, or, if it is a simulator elsewhere, say so (robot.simulator)."
        )
    profile = replace(profile, **options.model_dump(exclude_none=True))
    if problem is None:
        return SimulatedAnswerer(profile, truth, seed)
    return PlanningAnswerer(profile, truth, load_planner_errors(profile.planner), problem, seed)


def _model_entry(name: str, model: str = "") -> Entry[Answerer]:
    preset = _preset(name, model)

    def make(
        options: Options,
        *,
        truth: GroundTruth | None = None,
        asking: ModelSettings,
        meter: Meter | None = None,
        **_: object,
    ) -> Answerer:
        return model_answerer(name, truth, asking, meter)

    def missing() -> MissingRequirement | None:
        from core.vqa.endpoint.api_keys import find_key

        try:
            find_key(preset)
        except AnswererError:
            return MissingRequirement("It has no key", f"export {preset.keys[0]}=..." if preset.keys else "")
        return None

    return Entry(name, preset.about, f"A model behind {preset.host}.", make, missing=missing)


def _script(name: str, options: Options, **_: object) -> ScriptedAnswerer:
    from core.vqa.answerers.scripted import load_script

    return load_script(Path(name))


def _vote(name: str, options: Options, **needs: Any) -> Answerer:
    from core.vqa.answerers.vote import VoteAnswerer

    return VoteAnswerer([make_answerer(part.strip(), **needs) for part in name.split("+")])


def _preset(name: str, model: str) -> EndpointPreset:
    if "://" in name:
        return load_preset("custom", model, name)
    preset, _, own = name.partition(":")
    if preset not in preset_names() and not preset.endswith(".toml"):
        raise UnknownName("answerer", name, answerer_names())
    return load_preset(preset, model or own)


def _is_simulated(name: str) -> bool:
    """Return True for a profile, by name or file; errors in a TOML file are left to its reader."""
    if is_profile(name) or not name.endswith(".toml"):
        return is_profile(name)
    try:
        return "base_url" not in read_toml(Path(name))  # an endpoint has one
    except BadFile:
        return True
