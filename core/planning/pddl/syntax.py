"""Parse PDDL text into nested expressions, strictly: every error is one sentence with file and line.

An expression is a pair of parentheses with its contents, a token anything else; both know their lines. Only
the features in use matter: `:requirements` is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NoReturn

from core.errors import BadDomain

SECTIONS = {
    "domain": (":types", ":constants", ":predicates", ":functions", ":action", ":derived"),
    "problem": (":domain", ":objects", ":init", ":goal", ":metric"),
}
_LEFT_OUT = frozenset({":requirements", ":length"})
REFUSED = {
    ":durative-action": "Durative actions",
    ":axiom": "Axioms in the form of PDDL 1.2 (use ':derived')",
    ":timeless": "Timeless facts",
    ":vars": "Variables of an action besides its parameters (':vars')",
    ":event": "Events",
    ":process": "Processes",
    ":constraints": "Constraints on the states between",
    ":constraint": "Constraints on the states between",
    ":bounds": "Numeric fluents (':bounds')",
    ":observe": "Observations (':observe')",
    ":sense": "Observations (':sense')",
    ":tasks": "Hierarchical tasks (':tasks')",
    ":task": "Hierarchical tasks (':task')",
    ":method": "Hierarchical tasks (':method')",
    ":htn": "Hierarchical tasks (':htn')",
    ":agent": "Actions of several agents (':agent')",
    ":goal-reward": "Rewards",
    ":goal-probability": "Probabilistic goals",
    "oneof": "Nondeterministic effects and facts ('oneof')",
    "unknown": "Unknown facts ('unknown')",
    "observe": "Observations ('observe')",
    "probabilistic": "Probabilistic effects and facts ('probabilistic')",
    "preference": "Preferences",
    "decrease": "Numeric fluents ('decrease')",
    "assign": "Numeric fluents ('assign')",
    "scale-up": "Numeric fluents ('scale-up')",
    "scale-down": "Numeric fluents ('scale-down')",
}
MAX_DEPTH = 100
REMEDY = (
    "This program plans with STRIPS, types, equality, quantified and conditional preconditions, goals and "
    "effects, derived predicates and action costs"
)
_TOKEN = re.compile(r"[()]|[^\s()]+")
_WORD = re.compile(r"[a-z0-9_@:?=<>*/+.!$%&^~#'-]+")


@dataclass(frozen=True)
class PddlToken:
    text: str
    line: int

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class SExpression:
    line: int  # of its "("
    parts: list[PddlToken | SExpression] = field(default_factory=list)

    @property
    def head(self) -> str:
        """Return the first word, "" if there is none."""
        return self.parts[0].text if self.parts and isinstance(self.parts[0], PddlToken) else ""

    def __str__(self) -> str:
        return f"({' '.join(map(str, self.parts))})"


Node = PddlToken | SExpression


def parse(text: str, kind: str, path: object) -> tuple[str, list[SExpression]]:
    """Return the name and the sections of a "domain" or a "problem". Raises BadDomain."""
    tokens = list(_tokens(re.sub(r";[^\n]*", "", text.lower()), path))
    if not tokens:
        raise BadDomain(path, f"the file is empty, but a PDDL {kind} was expected")
    define = _nested(tokens, path)
    title = define.parts[1] if len(define.parts) > 1 else define
    if define.head != "define" or not isinstance(title, SExpression) or title.head not in SECTIONS:
        raise BadDomain(path, f"expected '(define ({kind} NAME) ...)'", define.line)
    if title.head != kind:
        raise BadDomain(path, f"expected a {kind}, found a {title.head}", title.line)
    if len(title.parts) != 2 or not isinstance(title.parts[1], PddlToken):
        raise BadDomain(path, f"expected '({kind} NAME)', found '{title}'", title.line)
    sections = list(_sections(define, kind, path))
    end = tokens[-1].line
    for needed in (":domain", ":init", ":goal") if kind == "problem" else ():
        if not any(form.head == needed for form in sections):
            raise BadDomain(path, f"expected '({needed} ...)' before the last ')'", end)
    return title.parts[1].text, sections


def refuse(path: object, feature: str, line: int) -> NoReturn:
    """Raise BadDomain saying which feature is not supported, and where."""
    raise BadDomain(path, f"{feature} are not supported", line, REMEDY)


def pairs(form: SExpression, skip: int, known: tuple[str, ...], path: object) -> Mapping[str, SExpression]:
    """Return the parts of an action by their keys."""
    found: dict[str, SExpression] = {}
    rest = iter(form.parts[skip:])
    for key in rest:
        if isinstance(key, SExpression) or key.text not in known:
            if isinstance(key, PddlToken) and key.text in REFUSED:
                refuse(path, REFUSED[key.text], key.line)
            what = ", ".join(known[:-1]) + f" or {known[-1]}"
            raise BadDomain(path, f"expected {what}, found '{_start(key)}'", key.line)
        if key.text in found:
            raise BadDomain(path, f"{key.text} is there twice in one action", key.line)
        value = next(rest, None)
        if not isinstance(value, SExpression):
            raise BadDomain(path, f"expected '(' after {key.text}", key.line)
        found[key.text] = value
    return found


def _sections(define: SExpression, kind: str, path: object) -> Iterator[SExpression]:
    for part in define.parts[2:]:
        head = part.head if isinstance(part, SExpression) else ""
        if head in REFUSED:
            refuse(path, REFUSED[head], part.line)
        if isinstance(part, PddlToken) or head not in (*SECTIONS[kind], *_LEFT_OUT):
            found = head or _start(part)
            raise BadDomain(path, f"expected one of {', '.join(SECTIONS[kind])}, found '{found}'", part.line)
        if head not in _LEFT_OUT:
            yield part


def _tokens(text: str, path: object) -> Iterator[PddlToken]:
    for number, line in enumerate(text.split("\n"), 1):
        for match in _TOKEN.finditer(line):
            token = match[0]
            if token not in "()" and not _WORD.fullmatch(token):
                wrong = re.sub(_WORD, "", token)[:1]
                raise BadDomain(path, f"{wrong!r} is not allowed in PDDL names", number)
            yield PddlToken(token, number)


def _nested(tokens: list[PddlToken], path: object) -> SExpression:
    """Return the outermost expression. Raises BadDomain if parentheses do not match."""
    open_: list[SExpression] = []
    for number, token in enumerate(tokens):
        if token.text == "(":
            open_.append(SExpression(token.line))
            if len(open_) > MAX_DEPTH:
                raise BadDomain(path, f"more than {MAX_DEPTH} parentheses are open at once", token.line)
        elif not open_:
            raise BadDomain(path, f"expected '(', found '{token.text}'", token.line)
        elif token.text == ")":
            done = open_.pop()
            if open_:
                open_[-1].parts.append(done)
            elif rest := tokens[number + 1 :]:
                raise BadDomain(path, f"expected the end of the file, found '{rest[0].text}'", rest[0].line)
            else:
                return done
        else:
            open_[-1].parts.append(token)
            sections = {*SECTIONS["domain"], *SECTIONS["problem"]}
            if len(open_) > 2 and len(open_[-1].parts) == 1 and token.text in sections:
                _unclosed(open_[1], f"'({token.text}'", token.line, path)
    _unclosed(open_[-1], "the end of the file", tokens[-1].line, path)


def _unclosed(form: SExpression, before: str, line: int, path: object) -> NoReturn:
    word = f"'({form.head}' of line {form.line}"
    raise BadDomain(path, f"expected ')' before {before}: {word} is not closed", line)


def _start(node: Node) -> str:
    return "(" if isinstance(node, SExpression) else node.text
