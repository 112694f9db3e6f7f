"""The settings and the domain folder of a logged episode."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from types import UnionType
from typing import Any, get_type_hints

from pydantic import TypeAdapter, ValidationError

from core.config import COMPONENT_KINDS, Settings
from core.domains import DomainSpec
from core.errors import ConsoleError, LogError
from core.events import EpisodeStarted
from core.log.integrity.validation import excerpt
from core.planning_model import Domain, Problem
from core.text.vocabulary import Vocabulary


def settings_of(started: EpisodeStarted) -> Settings:
    """Return the settings to repeat an episode from, the known ones. Raises LogError for a bad value."""
    hints = get_type_hints(Settings)
    values: dict[str, Any] = {}
    for name in (f.name for f in fields(Settings) if f.name != "options"):
        if name in started.settings:
            word = started.settings[name]
            unset = word == "None" and isinstance(hints[name], UnionType)
            try:
                values[name] = None if unset else TypeAdapter(hints[name]).validate_python(word)
            except ValidationError:
                raise LogError(
                    f"The episode's setting {name} is {excerpt(word)!r}: set it up anew."
                ) from None
    values["task"] = started.task or values.get("task", "")
    return Settings(**values, options=_options(started.settings))


def _options(words: Mapping[str, str]) -> Mapping[str, str]:
    """Return the components' options by dotted name; older logs have a UR5e's arm as `arm`."""
    found = {
        name: word
        for name, word in words.items()
        if name.partition(".")[0] in COMPONENT_KINDS and "." in name
    }
    return {"robot.arm": words["arm"]} | found if words.get("arm") else found


PATHS = ("domain_file", "problem_file", "cache", "arm", "robot.arm")  # these always name a file or an address


def external_references(started: EpisodeStarted) -> tuple[tuple[str, str], ...]:
    """Return the settings that name a file or an address.

    A log may come from somebody else, so these are shown but never used automatically.
    """
    words = started.settings.items()
    return tuple((name, word) for name, word in words if word and (name in PATHS or {*"/\\:"} & {*word}))


def vocabulary_of(started: EpisodeStarted) -> Vocabulary:
    """Return the words of the episode's domain folder."""
    spec = domain_spec_of(started)
    problem = Problem(started.task, spec.domain, started.objects, frozenset(), started.goal)
    return Vocabulary.of(spec, problem)


def domain_spec_of(started: EpisodeStarted, domain: str = "") -> DomainSpec:
    """Return the domain folder, or a default one if it is gone or not shipped.

    `domain` is the path of a person's own folder: the log names it, but only a person may have it opened.
    """
    from core.planning import domain_library

    try:
        if domain:
            return domain_library.load_domain_spec(domain)
        s = settings_of(started)
        if s.domain in domain_library.domain_names():
            return domain_library.load_domain_spec(s.domain, s.variant or None)
        if not (s.domain or s.domain_file or s.problem_file):
            return domain_library.load_task(s.task, s.variant or None)[0]
    except ConsoleError:
        if domain:
            raise
    name, like = started.domain or "domain", None
    if name in domain_library.domain_names():  # a folder like it, whose robot gives its steps the same values
        like = domain_library.load_domain_spec(name)
    values = like.value_words if like else {}
    return DomainSpec(name, None, "", Domain(name, (), (), ()), "", (), {}, value_words=values)
