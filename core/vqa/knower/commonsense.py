"""Answer about a household as a person would, from a domain's `open_world.toml`. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from core.domains import DomainSpec, Task
from core.open_world.situations import hindrance, interpret_situation
from core.open_world.world_file import OpenSituation, OpenWorldFile, pddl_name
from core.planning_model import Problem


@dataclass(frozen=True)
class SpokenStep:
    """An action that a text describes, with the words of those arguments that it mentions."""

    action: str
    words: Mapping[int, str]


@dataclass(frozen=True)
class Commonsense:
    domain_spec: DomainSpec
    task: Task
    world: OpenWorldFile

    @property
    def problem(self) -> Problem:
        return self.task.problem

    def situation(self, sentence: str) -> OpenSituation:
        return interpret_situation(self.world, self.domain_spec, self.problem, self.task.name, sentence)

    def type_of(self, thing: str) -> str:
        return next((o.type for o in self.problem.all_objects if o.name == thing), "")

    def hindrance(self, text: str, situation: OpenSituation) -> str:
        """Return "fails" or "spoils" if the situation makes the action unsuitable, "touches" or ""."""
        step = self.step(text)
        if step is None:
            return ""
        args = tuple(self._objects.get(words, "") for words in step.words.values())
        how = hindrance(self.world, situation, step.action, args)
        return how or ("touches" if situation.object and situation.object in args else "")

    def role_of(self, text: str, kinds: frozenset[str]) -> tuple[str, str]:
        """Return the role that the action gives to one of these kinds, and the kind; ("", "") for none.

        One that stands in for something is meant before one that is what the action takes anyway.
        """
        step, usual = self.step(text), ("", "")
        for place, words in step.words.items() if step else ():
            kind = pddl_name(words)
            if kind in kinds and step:
                role = self.problem.domain.action(step.action).parameters[place].type
                if not self.problem.domain.is_a(kind, role):
                    return role, kind
                usual = role, kind
        return usual

    def accepts(self, role: str, kind: str) -> bool:
        return self.world.accepts(self.problem.domain, role, kind)

    def step(self, text: str) -> SpokenStep | None:
        """Return the action that a text describes, by the longest of the domain's verbs that fits."""
        found = []
        for action, (pattern, places, length) in self._verbs.items():
            if match := pattern.fullmatch(text):
                found.append((length, action, dict(zip(places, match.groups(), strict=True))))
        return SpokenStep(*max(found, key=lambda f: f[0])[1:]) if found else None

    @cached_property
    def _objects(self) -> Mapping[str, str]:
        return {self.domain_spec.display_name(o.name): o.name for o in self.problem.all_objects}

    @cached_property
    def _verbs(self) -> Mapping[str, tuple[re.Pattern[str], tuple[int, ...], int]]:
        found = {}
        for action in self.problem.domain.actions:
            holes = len(action.parameters)
            verb = self.domain_spec.verbs.get(action.name) or " ".join(
                (action.name.replace("_", " "), *(f"{{{i}}}" for i in range(holes)))
            )
            places = tuple(int(n) for n in re.findall(r"\{(\d+)\}", verb))
            pattern = re.sub(r"\\\{\d+\\\}", "(.+?)", re.escape(verb))
            found[action.name] = (re.compile(pattern), places, len(re.sub(r"\{\d+\}", "", verb)))
        return found
