"""The settings and the domain folder that a logged episode was run with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from types import UnionType
from typing import Any, get_args, get_type_hints

from core.config import COMPONENT_KINDS, Settings
from core.domains import DomainSpec
from core.errors import ConsoleError, LogError
from core.events import EpisodeStarted
from core.log.validation import excerpt
from core.planning_model import Domain


def settings_of(started: EpisodeStarted) -> Settings:
    """Those that an episode can be repeated by. Words that this version does not know are left out.

    Raises LogError for a value that cannot be read.
    """
    hints = get_type_hints(Settings)
    values: dict[str, Any] = {}
    for name in (f.name for f in fields(Settings) if f.name != "options"):
        if name in started.settings:
            try:
                values[name] = _read(hints[name], started.settings[name])
            except ValueError:
                word = started.settings[name]
                raise LogError(
                    f"The episode's setting {name} is {excerpt(word)!r}: set it up anew."
                ) from None
    values["task"] = started.task or values.get("task", "")
    return Settings(**values, options=_options(started.settings))


def _options(words: Mapping[str, str]) -> Mapping[str, str]:
    """The parts' own, each under its dotted name; a log from before they were has a UR5e's arm as `arm`."""
    found = {
        name: word
        for name, word in words.items()
        if name.partition(".")[0] in COMPONENT_KINDS and "." in name
    }
    return {"robot.arm": words["arm"]} | found if words.get("arm") else found


def _read(hint: Any, word: str) -> object:
    kind = get_args(hint)[0] if isinstance(hint, UnionType) else hint
    if isinstance(hint, UnionType) and word == "None":
        return None
    if kind is bool:
        return {"True": True, "False": False}[word] if word in ("True", "False") else _not_a_bool(word)
    return kind(word)


def _not_a_bool(word: str) -> bool:
    raise ValueError(word)


PATHS = ("domain_file", "problem_file", "cache", "arm", "robot.arm")  # name a file or an address in any case


def external_references(started: EpisodeStarted) -> tuple[tuple[str, str], ...]:
    """Return the settings that name a file or an address: a log may come from somebody else, so these are
    shown and not obeyed."""
    words = started.settings.items()
    return tuple((name, word) for name, word in words if word and (name in PATHS or {*"/\\:"} & {*word}))


def domain_spec_of(started: EpisodeStarted, domain: str = "") -> DomainSpec:
    """The domain folder, with its words; one without words where it is gone or not a shipped one. `folder`:
    a person's own, by its path, which the log names but only a person may have opened."""
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
    name = started.domain or "domain"
    return DomainSpec(name, None, "", Domain(name, (), (), ()), "", (), {})
