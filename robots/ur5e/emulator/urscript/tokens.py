"""Split a script's text into tokens, and find where a program in a stream of text ends."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from robots.ur5e.emulator.urscript.values import ScriptError

_WORDS = """
def thread sec end if elif else while return break continue pass halt local global and or xor not True
False run kill join enter_critical exit_critical
"""
KEYWORDS = frozenset(_WORDS.split())
_TOKEN = re.compile(
    r"(?P<space>[ \t\r\f]+|#[^\n]*)"
    r"|(?P<newline>\n)"
    r"|(?P<number>(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?))"
    r"|(?P<name>[A-Za-z_]\w*)"
    r'|(?P<text>"[^"\n]*"|\'[^\'\n]*\')'
    r"|(?P<sign>==|!=|<=|>=|[-+*/%<>=()\[\],:])"
)
_STRUCTURE = re.compile(r"#[^\n]*|\"[^\"\n]*\"|'[^'\n]*'|\b(def|sec|thread|if|while|end)\b|\n")


@dataclass(frozen=True)
class ScriptToken:
    kind: str  # "number", "name", "keyword", "text", "sign" or "end"
    text: str
    line: int
    first_on_line: bool  # of its line


@lru_cache(maxsize=1)  # a text is translated twice
def tokenize(text: str) -> tuple[ScriptToken, ...]:
    """Split a text into tokens. Raises ScriptError for text that is not a token."""
    found: list[ScriptToken] = []
    line, at, first = 1, 0, True
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise syntax_error(text, line)
        kind, at = match.lastgroup or "", match.end()
        if kind == "newline":
            line, first = line + 1, True
        elif kind != "space":
            word = match.group()
            if kind == "number" and at < len(text) and (text[at].isalpha() or text[at] in "._"):
                raise syntax_error(text, line)  # 1.2.3, 3x
            kind = "keyword" if word in KEYWORDS else kind
            found.append(ScriptToken(kind, word, line, first))
            first = False
    found.append(ScriptToken("end", "", line, True))
    return tuple(found)


def syntax_error(text: str, line: int) -> ScriptError:
    """Return a syntax error as PolyScope reports it: the line's number and the line."""
    lines = text.split("\n")
    source_line = lines[line - 1].rstrip()[:200] if line <= len(lines) else ""
    return ScriptError(f"syntax_error_on_line:{line}:{source_line}:", line)


def number(text: str) -> float | int:
    """Return the value of a number's token; what has no room in 32 bits is a float."""
    if text[:2] in ("0x", "0X"):
        return int(text, 16) if len(text) <= 10 else float(int(text, 16))
    if text.isdigit() and len(text) < 10:
        return int(text)
    return float(text)


def program_end(text: str) -> int:
    """Return the index after the line that ends the first program, -1 if its end is still to come."""
    depth, opened = 0, False
    for match in _STRUCTURE.finditer(text):
        word = match.group()
        if word == "\n":
            if opened and depth <= 0:
                return match.end()
        elif match.group(1):
            opened = True
            depth += -1 if word == "end" else 1
    return -1


class TokenReader:
    """Takes one token after the other."""

    def __init__(self, text: str) -> None:
        self._text, self._tokens, self._position = text, tokenize(text), 0

    @property
    def _current(self) -> ScriptToken:
        return self._tokens[self._position]

    @property
    def _following(self) -> ScriptToken:
        return self._tokens[min(self._position + 1, len(self._tokens) - 1)]

    def _is(self, *words: str) -> bool:
        return self._current.kind in ("keyword", "sign") and self._current.text in words

    def _opens(self, sign: str) -> bool:
        """Return True if this sign comes next, on the same line."""
        return self._is(sign) and not self._current.first_on_line

    def _take(self) -> ScriptToken:
        token = self._current
        if token.kind != "end":
            self._position += 1
        return token

    def _accept(self, word: str) -> bool:
        if self._is(word):
            self._position += 1
            return True
        return False

    def _expect(self, word: str) -> ScriptToken:
        """Consume `word`; "" stands for the end of the text."""
        if (self._current.kind == "end") if not word else self._is(word):
            return self._take()
        raise self._error()

    def _name(self) -> str:
        if self._current.kind != "name":
            raise self._error()
        return self._take().text

    def _error(self) -> ScriptError:
        return syntax_error(self._text, self._current.line)
