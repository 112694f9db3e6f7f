"""Read what a model writes as data: PDDL in prose or fences, and calls of the paper's two functions.

Nothing of a reply is run: the calls are taken apart by Python's own parser, and only literals count. Brackets
are read leniently, as the paper's own example has one too many. What cannot be read raises BadReply.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from types import MappingProxyType

from core.errors import ConsoleError
from core.planning_model import Domain, Typed
from core.text.untrusted_text import one_line

MAX_CHARS, MAX_ITEMS, MAX_DEPTH, MAX_SENTENCE = 60_000, 200, 40, 300
_TEXTS = r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[^()'"]"""
_CALL = re.compile(rf"\b(add_or_update_predicates|modify_action)\s*\((?:{_TEXTS})*\)?", re.S)
_TOKEN = re.compile(r";[^\n]*|```|[()]")
_DEFINE = r"\(\s*define\s*\(\s*"
_STEP = re.compile(r"step\s*(\d{1,9})|result\W*(successful|unsuccessful|invalid)", re.I)
_NUMBER = re.compile(r"^\W*\d+\s*[.:)]")
_GOAL = re.compile(r"goal reaching\W*(successful|unsuccessful|invalid)", re.I)


class BadReply(ConsoleError):
    """A reply that is not what was asked for, in one sentence of at most MAX_SENTENCE letters."""

    def __init__(self, what: object, text: str = "", at: int = 0) -> None:
        line = text.count("\n", 0, at) + 1
        super().__init__(one_line(f"Line {line} of the reply: {what}", MAX_SENTENCE))


@dataclass(frozen=True)
class DomainParts:
    """What a model fills in: predicates, and conditions and effects by action, each as PDDL text."""

    predicates: tuple[str, ...] = ()
    actions: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = field(
        default_factory=lambda: MappingProxyType({})
    )

    def updated(self, reply: str, template: Domain) -> DomainParts:
        """Return the parts after the calls of a reply. Raises BadReply."""
        predicates = {_name(text): text for text in self.predicates}
        actions = dict(self.actions)
        calls = list(_calls(reply[:MAX_CHARS]))
        if not calls:
            raise BadReply("there is no call of add_or_update_predicates or modify_action", reply)
        known = {action.name for action in template.actions}
        for at, action, lists in calls:
            if not action:
                predicates |= {_name(text): text for text in lists[0]}
            elif action in known:
                actions[action] = lists[0], lists[1]
            else:
                raise BadReply(f"there is no action {one_line(action, 40)!r} in the template", reply, at)
        return DomainParts(tuple(predicates.values()), MappingProxyType(actions))

    def text(self, template: Domain) -> str:
        """Return the domain as PDDL: the template's types, actions and parameters with these parts."""
        kinds = " ".join(f"{t.name} - {t.type}" for t in template.types)
        lines = [f"(define (domain {template.name})", "  (:requirements :adl)"]
        lines += [f"  (:types {kinds})"] if kinds else []
        lines.append(f"  (:predicates {' '.join(self.predicates)})")
        for action in template.actions:
            conditions, effects = self.actions.get(action.name, ((), ()))
            lines.append(f"  (:action {action.name}\n    :parameters ({_typed(action.parameters)})")
            lines.append(f"    :precondition (and {' '.join(conditions)})")
            lines.append(f"    :effect (and {' '.join(effects)}))")
        return "\n".join(lines) + ")\n"


def _typed(variables: Sequence[Typed]) -> str:
    return " ".join(v.name if v.type == "object" else f"{v.name} - {v.type}" for v in variables)


def _name(text: str) -> str:
    return text.strip("() ").partition(" ")[0].lower()


def find_pddl(reply: str, kind: str) -> str:
    """Return the first "(define (KIND ...)" of a reply. What is open at the end of a fence or of the text is
    closed. Raises BadReply if there is none, and for a nest without end.
    """
    text = reply[:MAX_CHARS]
    if (start := re.search(_DEFINE + kind, text, re.I)) is None:
        raise BadReply(f"nothing begins with '(define ({kind}'", text)
    depth, end = 0, len(text)
    for token in _TOKEN.finditer(text, start.start()):
        depth += (token[0] == "(") - (token[0] == ")")
        if depth > MAX_DEPTH:
            raise BadReply(f"more than {MAX_DEPTH} brackets are open", text, token.start())
        if token[0] == ")" and depth == 0:
            return _without_surplus(text, start.start(), token.end())
        if token[0] == "```":
            end = token.start()
            break
    return text[start.start() : end].rstrip() + ")" * depth


def _without_surplus(text: str, start: int, end: int) -> str:
    """Return the PDDL up to `end`; if more sections follow, a bracket too many closed it early."""
    rest = re.match(r"[\s)]*(?=\(\s*:(?:action|init|goal|predicates|objects)\b)", text[end:])
    if rest is None:
        return text[start:end]
    mended = text[start : end - 1] + text[end:][rest.end() - 1 :].lstrip(")")
    return find_pddl(mended, "")


def _calls(text: str) -> Iterator[tuple[int, str, list[tuple[str, ...]]]]:
    """Yield the place, the action ("": predicates) and the lists of each call. Raises BadReply."""
    for number, found in enumerate(_CALL.finditer(text)):
        if text.startswith("def ", max(0, found.start() - 4)):
            continue
        if number >= MAX_ITEMS:
            raise BadReply(f"there are more than {MAX_ITEMS} calls", text, found.start())
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                call = ast.parse(found[0], mode="eval").body
            assert isinstance(call, ast.Call)
            values = [ast.literal_eval(a) for a in (*call.args, *(k.value for k in call.keywords))]
        except (SyntaxError, ValueError, TypeError, AssertionError, MemoryError, RecursionError):
            raise BadReply(f"the call of {found[1]} is no list of texts", text, found.start()) from None
        shape = (list,) if found[1] == "add_or_update_predicates" else (str, list, list)
        fits = len(values) == len(shape) and all(map(isinstance, values, shape))
        if not fits or any(isinstance(v, list) and not _forms(v) for v in values):
            wants = "a list" if len(shape) == 1 else "a name and two lists"
            raise BadReply(f"{found[1]} takes {wants} of PDDL such as '(at ?x)'", text, found.start())
        action, lists = (values[0], values[1:]) if len(values) == 3 else ("", values)
        yield found.start(), action, [tuple(texts) for texts in lists]


def _forms(values: list[object]) -> bool:
    """Return True if each value is one PDDL form in brackets of its own."""
    return len(values) <= MAX_ITEMS and all(
        isinstance(v, str) and len(v) < 2_000 and _form(v) for v in values
    )


def _form(text: str) -> bool:
    *before, last = accumulate(((char == "(") - (char == ")") for char in text.strip()), initial=1)
    return ";" not in text and last == 1 and len(before) > 1 and all(depth > 1 for depth in before[1:])


def read_plan(reply: str, words: Sequence[str]) -> tuple[str, ...]:
    """Return the steps below the last "Plan:" of a reply, one a line. Raises BadReply."""
    text = reply[:MAX_CHARS]
    start = text.lower().rfind("plan:")
    if start < 0:
        raise BadReply("there is no line with 'Plan:'", text)
    lines = text[start + 5 :].splitlines()
    said = [" ".join(_NUMBER.sub("", line).strip(" `'\".*").lower().split()) for line in lines]
    steps = tuple(word for word in said if word)[:MAX_ITEMS]
    if foreign := next((word for word in steps if word not in words), None):
        raise BadReply(f"the game has no step {one_line(foreign, 60)!r}", text, start)
    return steps


@dataclass(frozen=True)
class Run:
    """What became of words that were said in order: how many were done, and why not the next."""

    done: int | None  # None: nobody knows, which is neither yes nor no
    goal: bool | None = False  # None: nobody can say
    reason: str = ""
    open: bool = False  # what follows counts for nobody: a person said so


def read_steps(reply: str, count: int) -> Run:
    """Return what became of `count` steps; if one is missing or too many, nobody knows."""
    said, begun = list[tuple[int, str]](), 0
    for number, result in _STEP.findall(reply[:MAX_CHARS]):
        if result and begun:
            said.append((begun, result.lower()))
            begun = 0
        begun = begun or int(number or 0)
    if [n for n, _ in said] != list(range(1, count + 1)):
        return Run(None)
    done = next((n for n, (_, result) in enumerate(said) if result != "successful"), count)
    reasons = re.findall(r"reasoning\s*:\s*(.+)", reply[:MAX_CHARS], re.I)
    reason = one_line(reasons[done], 200).rstrip(".") if done < min(count, len(reasons)) else ""
    goal = _GOAL.search(reply)
    return Run(done, bool(goal) and goal[1].lower() == "successful", reason)  # type: ignore[index]
