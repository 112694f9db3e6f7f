"""PDDL text to tarski's parse tree, strictly: every fault is one sentence with file and line.

tarski's grammar wants the sections, and the parts of an action, in one fixed order, and knows fewer
shapes of effects than PDDL has. So the tokens are put in order first; each keeps its own line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

from core.errors import BadDomain, BadFile

Form = Any  # a token of ANTLR, or a list: an opening token, forms, and a closing token

SECTIONS = {
    "domain": (":types", ":constants", ":predicates", ":action"),
    "problem": (":domain", ":objects", ":init", ":goal"),
}
REFUSED = {
    ":functions": "numeric fluents and action costs",
    ":metric": "action costs and metrics",
    ":durative-action": "durative actions",
    ":derived": "derived predicates",
    ":axiom": "derived predicates",
    ":event": "events",
    ":process": "processes",
    ":constraint": "constraints",
    ":constraints": "constraints",
    ":bounds": "numeric fluents",
    "preference": "preferences",
    "increase": "action costs and numeric fluents",
    "decrease": "numeric fluents",
    "assign": "numeric fluents",
    "scale-up": "numeric fluents",
    "scale-down": "numeric fluents",
}
DEEPEST = 50
WAY_OUT = "This program plans with STRIPS, types, negative preconditions, equality and conditional effects"
_SECTIONS = frozenset({*SECTIONS["domain"], *SECTIONS["problem"]})
_KEYS = _SECTIONS | {":parameters", ":precondition", ":effect"}
_LOGIC = ("and", "or", "not", "imply", "exists", "forall", "when")
_WORDS = frozenset((*_LOGIC, "define", "domain", "problem", "either", "object"))


def read_text(path: Path) -> str:
    """The text of a PDDL file. Raises BadFile where there is none."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise BadFile(path, "there is no such file", way_out="Check the path") from None
    except IsADirectoryError:
        raise BadFile(path, "is a folder, but a PDDL file was expected") from None
    except UnicodeDecodeError:
        raise BadFile(path, "is not UTF-8 text, so it cannot be PDDL") from None
    except OSError as error:
        raise BadFile(path, f"cannot be read: {error.strerror}") from None


def parse(text: str, kind: str, path: object) -> Any:
    """tarski's tree for a "domain" or a "problem". Raises BadDomain."""
    from antlr4 import CommonTokenStream  # type: ignore[import-untyped]
    from antlr4.ListTokenSource import ListTokenSource  # type: ignore[import-untyped]
    from tarski.io._fstrips.parser.parser import fstripsParser

    text = _blank(r";[^\n]*", text.lower())
    text = _blank(r"\(\s*:requirements[^()]*\)", text)  # what is used counts, not what is declared
    for key in re.finditer(r":[a-z][a-z-]*", text):
        if key[0] not in _KEYS:
            line = text.count("\n", 0, key.start()) + 1
            if key[0] in REFUSED:
                refuse(path, REFUSED[key[0]].capitalize(), line)
            raise BadDomain(path, f"expected one of {', '.join(SECTIONS[kind])}, found '{key[0]}'", line)
    tokens = _tokens(text, path)
    if not tokens:
        raise BadDomain(path, f"the file is empty, but a PDDL {kind} was expected")
    end = tokens[-1].line
    define = _in_order(_nested(tokens, path), kind, path)
    parser = fstripsParser(CommonTokenStream(ListTokenSource(list(_flat(define)))))
    parser.removeErrorListeners()
    parser.addErrorListener(_listener(path, end))
    return getattr(parser, kind)()


def refuse(path: object, feature: str, line: int) -> NoReturn:
    """Say which feature is not supported, and where."""
    raise BadDomain(path, f"{feature} are not supported", line, WAY_OUT)


def _blank(pattern: str, text: str) -> str:
    """The text with every match turned to blanks, line for line."""
    return re.sub(pattern, lambda match: re.sub(r"[^\n]", " ", match[0]), text)


# --- tokens -----------------------------------------------------------------------------------------


def _tokens(text: str, path: object) -> list[Any]:
    from antlr4 import InputStream, Token
    from tarski.io._fstrips.parser.lexer import fstripsLexer

    lexer = fstripsLexer(InputStream(text))
    lexer.removeErrorListeners()
    lexer.addErrorListener(_listener(path))
    tokens = [t for t in lexer.getAllTokens() if t.channel == Token.DEFAULT_CHANNEL]
    for token in tokens:
        if token.text[0].isalpha() and token.text not in _WORDS and token.text not in REFUSED:
            token.type = fstripsLexer.NAME  # tarski reserves words such as "max" that name nothing here
    return tokens


def _new(text: str, near: Any) -> Any:
    """A token that the file does not have, on the line of one that it has."""
    from tarski.io._fstrips.parser.lexer import fstripsLexer

    kinds = {"and": fstripsLexer.K_AND, "when": fstripsLexer.K_WHEN, "forall": fstripsLexer.K_FORALL}
    kinds |= {":precondition": fstripsLexer.K_PRECONDITION, ":effect": fstripsLexer.K_EFFECT}
    token = near.clone()
    token.text = text
    token.type = kinds[text] if text in kinds else fstripsLexer.literalNames.index(f"'{text}'")
    return token


def _list(near: Any, *forms: Form) -> list[Form]:
    return [_new("(", near), *forms, _new(")", near)]


def _nested(tokens: Sequence[Any], path: object) -> list[Form]:
    """Tokens to nested lists. Raises BadDomain where parentheses do not match."""
    open_: list[list[Form]] = []
    for number, token in enumerate(tokens):
        if token.text == "(":
            open_.append([token])
            if len(open_) > DEEPEST:
                raise BadDomain(path, f"more than {DEEPEST} parentheses are open at once", token.line)
        elif not open_:
            raise BadDomain(path, f"expected '(', found '{token.text}'", token.line)
        elif token.text == ")":
            done = open_.pop()
            done.append(token)
            if open_:
                open_[-1].append(done)
            elif rest := tokens[number + 1 :]:
                raise BadDomain(path, f"expected the end of the file, found '{rest[0].text}'", rest[0].line)
            else:
                return done
        else:
            open_[-1].append(token)
            if len(open_) > 2 and len(open_[-1]) == 2 and token.text in _SECTIONS:
                _unclosed(open_[1], f"'({token.text}'", token.line, path)
    _unclosed(open_[-1], "the end of the file", tokens[-1].line, path)


def _unclosed(form: list[Form], before: str, line: int, path: object) -> NoReturn:
    word = f"'({_head(form)}' of line {form[0].line}"
    raise BadDomain(path, f"expected ')' before {before}: {word} is not closed", line)


def _flat(form: Form) -> Iterator[Any]:
    if isinstance(form, list):
        for part in form:
            yield from _flat(part)
    else:
        yield form


def _head(form: Form) -> str:
    """The first word of a list, "" where there is none."""
    named = isinstance(form, list) and len(form) > 1 and not isinstance(form[1], list)
    return str(form[1].text) if named else ""


# --- the order that the grammar wants ---------------------------------------------------------------


def _in_order(define: list[Form], kind: str, path: object) -> list[Form]:
    if _head(define) != "define" or len(define) < 4 or _head(define[2]) not in SECTIONS:
        raise BadDomain(path, f"expected '(define ({kind} NAME) ...)'", define[0].line)
    if (found := _head(define[2])) != kind:
        raise BadDomain(path, f"expected a {kind}, found a {found}", define[2][0].line)
    sections = []
    for form in define[3:-1]:
        name = _head(form)
        if name not in SECTIONS[kind]:
            line = form[0].line if isinstance(form, list) else form.line
            found = name or ("(" if isinstance(form, list) else form.text)
            raise BadDomain(path, f"expected one of {', '.join(SECTIONS[kind])}, found '{found}'", line)
        _refuse_inside(form, path)
        if name == ":goal" and len(form) == 4 and isinstance(form[2], list) and len(form[2]) == 2:
            form[2] = _list(form[0], _new("and", form[0]))
        sections.append(_action(form, path) if name == ":action" else form)
    for needed in (":init", ":goal") if kind == "problem" else ():
        if not any(_head(form) == needed for form in sections):
            raise BadDomain(path, f"expected '({needed} ...)' before the last ')'", define[-1].line)
    sections.sort(key=lambda form: SECTIONS[kind].index(_head(form)))
    return [*define[:3], *sections, define[-1]]


def _refuse_inside(form: Form, path: object) -> None:
    if isinstance(form, list):
        if _head(form) in REFUSED:
            refuse(path, REFUSED[_head(form)].capitalize(), form[0].line)
        for part in form:
            _refuse_inside(part, path)


def _action(form: list[Form], path: object) -> list[Form]:
    """An action with its three parts in order; a part that is left out is empty."""
    start = form[0]
    parts: dict[str, Form] = {}
    rest = iter(form[3:-1])
    for key in rest:
        if isinstance(key, list) or key.text not in (":parameters", ":precondition", ":effect"):
            found = "(" if isinstance(key, list) else key.text
            line = key[0].line if isinstance(key, list) else key.line
            raise BadDomain(path, f"expected :parameters, :precondition or :effect, found '{found}'", line)
        if key.text in parts:
            raise BadDomain(path, f"{key.text} is there twice in one action", key.line)
        value = next(rest, None)
        if not isinstance(value, list):
            raise BadDomain(path, f"expected '(' after {key.text}", key.line)
        parts[key.text] = value
    effect = parts.get(":effect") or _list(start)
    return [
        *form[:3],
        _new(":parameters", start),
        parts.get(":parameters") or _list(start),
        _new(":precondition", start),
        parts.get(":precondition") or _list(start),
        _new(":effect", start),
        _list(effect[0], _new("and", effect[0]), *_effects(effect)),
        form[-1],
    ]


def _effects(form: Form) -> Iterator[Form]:
    """An effect as a flat sequence of the shapes that the grammar knows."""
    if not isinstance(form, list) or len(form) == 2:
        if not isinstance(form, list):
            yield form
    elif _head(form) == "and":
        for part in form[2:-1]:
            yield from _effects(part)
    elif _head(form) in ("when", "forall") and len(form) == 5:
        for inner in _effects(form[3]):
            yield _inward(form, inner)
    else:
        yield form


def _inward(outer: list[Form], inner: Form) -> list[Form]:
    """`inner` under the condition or the variables of `outer`: a condition stands innermost."""
    if _head(outer) == "when" and _head(inner) == "forall":
        return [*inner[:3], _inward(outer, inner[3]), inner[-1]]
    if _head(outer) == "when" and _head(inner) == "when":
        both = _list(inner[0], _new("and", inner[0]), outer[2], inner[2])
        return [*inner[:2], both, *inner[3:]]
    return [*outer[:3], inner, outer[-1]]


# --- faults in words --------------------------------------------------------------------------------


def _listener(path: object, end: int | None = None) -> Any:
    from antlr4.error.ErrorListener import ErrorListener  # type: ignore[import-untyped]

    class Listener(ErrorListener):  # type: ignore[misc]
        def syntaxError(
            self, recognizer: Any, offending: Any, line: int, column: int, msg: str, e: object
        ) -> None:
            if offending is None:
                text = msg.partition("at: ")[2].strip("'")
                raise BadDomain(path, f"{text[:1]!r} is not allowed in PDDL names", line)
            expected = " or ".join(_expected(recognizer)) or "something else"
            found = "the end" if offending.text == "<EOF>" else f"'{offending.text}'"
            raise BadDomain(path, f"expected {expected}, found {found}", end if line < 1 else line)

    return Listener()


_PLAIN = {"NAME": "a name", "VARIABLE": "a variable"}
_UNUSED = {"'int'", "'float'", "'number'", "'#t'", "'extname'"}  # "number" is both a type and a numeral


def _expected(parser: Any) -> list[str]:
    """The tokens that could stand here, in words; those that we refuse anyway are left out."""
    names = []
    for interval in parser.getExpectedTokens().intervals or ():
        for kind in interval:
            literal = parser.literalNames[kind] if kind < len(parser.literalNames) else "<INVALID>"
            if literal == "<INVALID>":
                name = parser.symbolicNames[kind]
                literal = _PLAIN.get(name, f"'{name.removeprefix('K_').lower()}'")
            names.append(literal)
    useful = [n for n in names if n not in _UNUSED and n.strip("'") not in REFUSED]
    return useful if len(useful) <= 6 else [n for n in useful if n in ("'('", "')'", *_PLAIN.values())]
