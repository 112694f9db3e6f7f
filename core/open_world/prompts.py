"""Word what COWP asks a language model, in our own words after the paper's idea.

A simulated language model recognises the prompts by their first line, from these same templates.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache


class PromptKind(Enum):
    """What a prompt is for; the log shows it beside the prompt."""

    MONITOR = "is the action suitable?"
    PREDICATE = "name the situation"
    SUBSTITUTE = "may this stand in?"
    PURPOSE = "does it do for the goal?"
    CHOICE = "which one is best?"
    REPAIR = "can this repair it?"
    PROGRAM = "write the plan"
    MONOLOGUE = "say the next action"
    ZERO_SHOT = "write the plan, told nothing"
    LOOK = "what is unusual?"


_TEMPLATES: Mapping[PromptKind, str] = {
    PromptKind.MONITOR: "A household robot is about to {action}. Is that suitable, if {situation}? "
    "Say yes or no first.",
    PromptKind.PREDICATE: "What does this sentence say about a thing: {situation}? "
    "Write it as a PDDL predicate.\n"
    "the window is broken -> is_broken\nthe pot has no lid -> has_no_lid\n{situation} ->",
    PromptKind.SUBSTITUTE: "Is it suitable for a household robot to {action}? Say yes or no first.",
    PromptKind.PURPOSE: "Somebody wants a household robot to {goal}, but {situation}. {asked} "
    "a {thing} in place of the {failed}? Say yes or no first.",
    PromptKind.CHOICE: "These are at hand: {things}. Which of them is the most suitable to {goal}, "
    "if {situation}? Name one.",
    PromptKind.REPAIR: "Can a {device} make the {thing} {opposite}, if {situation}? Say yes or no first.",
    PromptKind.PROGRAM: "Write a robot's plan as a program with assertions, if {situation}.\n{knowledge}",
    PromptKind.MONOLOGUE: "Say only the next action of the robot, if {situation}.\n{knowledge}",
    PromptKind.ZERO_SHOT: "Write the steps by which a robot can {goal}.\n{knowledge}",
    PromptKind.LOOK: "Look at the picture: a household robot is about to {goal}. Say in one short sentence "
    "what is unusual about one of these: {things}; or say that nothing is unusual.",
}
# The same about a substitute in several ways, since a model that errs does not always err in all of them.
PURPOSE_ASKED = ("Would they accept", "Does it serve them as well to have", "Would you yourself take")
_STRICTER: Mapping[PromptKind, str] = {
    PromptKind.CHOICE: "\nWrite one of the names above and nothing else.",
    PromptKind.PREDICATE: "\nWrite one name of lower-case letters and underscores and nothing else.",
}
NOTHING_UNUSUAL = "nothing is unusual"
_FIRST = " Say yes or no first."
_LIST = "Answer each question on a line of its own: its number, then yes or no."


@dataclass(frozen=True)
class LanguagePrompt:
    """A prompt to a language model. `about`: the step of a yes/no question, as action and objects."""

    purpose: PromptKind
    text: str
    stricter: bool = False
    about: tuple[str, ...] = ()

    @property
    def question(self) -> str:
        """Return a yes/no question as one would ask a person."""
        return self.text.removesuffix(_FIRST)

    def once_more(self) -> LanguagePrompt:
        """Return the prompt for the second and last time, which leaves less freedom."""
        more = _STRICTER.get(self.purpose, "\nAnswer with the one word yes or the one word no.")
        return LanguagePrompt(self.purpose, self.text + more, True, self.about)


def prompt(purpose: PromptKind, about: tuple[str, ...] = (), **words: str) -> LanguagePrompt:
    return LanguagePrompt(purpose, _TEMPLATES[purpose].format(**words), about=about)


def prompt_list(prompts: Sequence[LanguagePrompt]) -> LanguagePrompt:
    """Return one prompt for these yes/no questions, which are of one purpose."""
    lines = (f"{number}. {asked.question}" for number, asked in enumerate(prompts, 1))
    return LanguagePrompt(prompts[0].purpose, "\n".join((_LIST, *lines)))


def listed(text: str) -> tuple[str, ...]:
    """Return the prompts that a prompt for several yes/no questions stands for; () for any other text."""
    first, *lines = text.split("\n")
    return tuple(line.partition(". ")[2] + _FIRST for line in lines) if first == _LIST else ()


def recognise(text: str) -> tuple[PromptKind, Mapping[str, str]] | None:
    """Return the purpose and the words of a prompt that was made here; None for any other text."""
    first = text.partition("\n")[0]
    for purpose, pattern in _patterns().items():
        if found := pattern.fullmatch(first):
            return purpose, found.groupdict()
    return None


@cache
def _patterns() -> Mapping[PromptKind, re.Pattern[str]]:
    def pattern(template: str) -> re.Pattern[str]:
        line = re.escape(template.partition("\n")[0])
        return re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+?)", line))

    return {purpose: pattern(template) for purpose, template in _TEMPLATES.items()}
