"""Reading what a model really sent: yes, no or unknown for each question.

A reply that cannot be aligned with its questions is UNKNOWN for all of them. Nothing is guessed from a
word inside a sentence: "I cannot know" holds a "no", and says nothing.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence

from core.asking.words import answer, answers, speaks, tidy, word
from core.facts import Answer, Query, Source, Verdict

LONGEST = 10_000  # characters, without thoughts; beyond it nobody has answered the questions
_END = re.compile(r"<\|[a-z_]+\|>|</s>|<end_of_turn>|<eos>")  # the end of a model's turn
_ROLE = re.compile(r"\s*(?:<\|[a-z_]+\|>\s*(?:assistant\b)?\s*)+")  # before it
_FENCE = re.compile(r"```\w{0,20}\n?(.*?)```", re.DOTALL)
_TAG = re.compile(r"<answers?>(.*?)</answers?>", re.DOTALL)
_BOXED = re.compile(r"\\boxed\{(?:\\text\{)?([^{}]*)\}+")
_NUMBER = re.compile(
    r"(?:^|(?<=[\s;,]))[(\[]?(?:(?:q|a|question|answer)\s*)?(\d{1,3})\s*(?:[):\]]+|\.(?!\d))"
)
_QUESTION = re.compile(r"\w[\s)\]']{0,2}\?$")
_ASKING = re.compile(
    r"(?:is|are|does|do|did|has|have|can|what|which|where|how)\b.*\?|.*\?$|(?:q|question|user|human)\s*\d*:"
)
_DECORATION = str.maketrans("", "", '*`"_$')
_VALUE_KEYS = ("answer", "answers", "response", "responses", "result", "results", "verdict", "value")
_NUMBER_KEYS = ("number", "index", "id", "question_number")

Found = Sequence[Verdict | None] | None


def read(text: str, count: int) -> tuple[Verdict, ...]:
    """One verdict for each of `count` questions, about their texts. Never raises."""
    found = _find(text, count)
    if found is None:
        return (Verdict.UNKNOWN,) * count
    return tuple(Verdict.UNKNOWN if verdict is None else verdict for verdict in found)


def aligned(text: str, count: int) -> bool:
    """Whether a reply could be matched with its `count` questions at all."""
    return _find(text, count) is not None


def read_answers(said: str, queries: Sequence[Query], turn: int, frame: str, by: str) -> tuple[Answer, ...]:
    """The answers that a reply to these questions gives, turned from their texts to their atoms."""
    return tuple(
        Answer(query.atom, query.about_atom(verdict), Source.MODEL, clip(said), turn, frame, by)
        for query, verdict in zip(queries, read(said, len(queries)), strict=True)
    )


def clip(said: str, longest: int = 500) -> str:
    """A reply short enough to stand beside each of its answers; the call keeps the whole of it."""
    return said if len(said) <= longest else f"{said[:longest]}… ({len(said):,} characters)"


def _find(text: str, count: int) -> Found:
    cleaned = _clean(text)
    found = _read(cleaned, count) if cleaned and count else None
    return found if found is not None and len(found) == count else None


def _clean(text: str) -> str:
    """Lower case, one kind of each character, no thoughts, nothing after the model's turn.

    "" for what is too long, damaged (bytes that were not UTF-8), or thought without an end.
    """
    for close in ("</think>", "</thinking>"):
        text = text.rpartition(close)[2]
    if len(text) > LONGEST or "\ufffd" in text or re.search(r"<think(?:ing)?>", text, re.I):
        return ""
    text = unicodedata.normalize("NFKC", text).lower().replace("’", "'").replace("\r", "\n")
    text = "".join(c for c in text if c in "\n\t" or unicodedata.category(c)[0] != "C")
    text = _ROLE.sub("", text, count=1) if _ROLE.match(text) else text
    return _BOXED.sub(r"\1", _END.split(text, maxsplit=1)[0]).strip()


def _read(text: str, count: int) -> Found:
    fences = _FENCE.findall(text)
    if len(fences) == 1:
        if answers(_FENCE.sub("", text)):
            return None
        text = fences[0].strip()
    found, value = _json_in(text)
    if found:
        return _from_json(value, count)
    tags = _TAG.findall(text)
    if len(tags) > 1:
        return [answer(tag) for tag in tags]
    if "<answer" in text and not tags:
        return None
    return _from_lines(tags[0] if tags else text, count)


def _json_in(text: str) -> tuple[bool, object]:
    """Whether a text is JSON, or holds one JSON object or list among words that answer nothing; and which."""
    start = min((place for place in map(text.find, "[{") if place > 0), default=0)
    for place in dict.fromkeys((0, start)):
        try:
            value, length = json.JSONDecoder().raw_decode(text[place:])
        except (ValueError, RecursionError):
            continue
        around = f"{text[:place]}\n{text[place + length :]}"
        if not around.strip() or (isinstance(value, dict | list) and value and not speaks(around)):
            return True, value
    return False, None


def _from_json(value: object, count: int) -> Found:
    if isinstance(value, str):
        return _from_lines(value, count)
    if isinstance(value, bool):
        return [Verdict.of(value)]
    if isinstance(value, list):
        tables = [item for item in value if isinstance(item, dict)]
        numbers: list[object] = [table[key] for table in tables for key in _NUMBER_KEYS if key in table]
        return [_from_item(item) for item in value] if _in_order(numbers) else None
    if isinstance(value, dict):
        for key in _VALUE_KEYS:
            if key in value:
                return _from_json(value[key], count)
        numbers = [int(n) for key in value for n in re.findall(r"\d{1,3}$", key)]
        return [_from_item(item) for item in value.values()] if _in_order(numbers) else None
    return None


def _from_item(item: object) -> Verdict | None:
    if isinstance(item, bool):
        return Verdict.of(item)
    if isinstance(item, dict):
        return next((_from_item(item[key]) for key in _VALUE_KEYS if key in item), None)
    return answer(item) if isinstance(item, str) else None


def _in_order(numbers: Sequence[object]) -> bool:
    return list(numbers) in ([*range(1, len(numbers) + 1)], [*range(len(numbers))])


def _from_lines(text: str, count: int) -> Found:
    text = text.translate(_DECORATION)
    lines = [line for line in map(tidy, text.split("\n")) if line]
    if len(lines) == 2 * count and all(map(_QUESTION.search, lines[::2])):
        lines = lines[1::2]  # question, answer, question, answer
    while lines and _QUESTION.search(lines[0]):  # the questions, repeated before the answers
        del lines[0]
    return _in_one_way(lines, count) or _in_one_way(_own_turn(lines, count), count)


def _in_one_way(lines: Sequence[str], count: int) -> Found:
    """The answers, where they stand in exactly one way and no other line says anything."""
    numbered, found = _numbered("\n".join(lines), count)
    if numbered:
        return found
    in_one = [_in_one_line(line, count) for line in lines]
    if _only(lines, in_one, 1):
        return next(found for found in in_one if found is not None)
    line_each = [answer(line) for line in lines]
    if count > 1 and _only(lines, line_each, count):
        return [verdict for verdict in line_each if verdict is not None]
    return None


def _only(lines: Sequence[str], read: Sequence[object | None], wanted: int) -> bool:
    """Whether just so many lines could be read, and the others are silent."""
    others = [line for line, found in zip(lines, read, strict=True) if found is None]
    return len(lines) - len(others) == wanted and not any(map(speaks, others))


def _in_one_line(line: str, count: int) -> Found:
    """Answers parted by semicolons, or lone words parted by anything that parts words."""
    if count == 1:
        found = answer(line)
        return None if found is None else [found]
    parts = [answer(part) for part in line.removesuffix(";").split(";")]
    if len(parts) == count and None not in parts:
        return parts
    lead = re.match(r"[^:;]*:\s*", line)
    rest = line[lead.end() :] if lead and not speaks(lead.group()) else line
    lone = [word(w) for w in re.split(r"\s*[;,|]\s*|\s+", rest) if w != "and"]
    return lone if len(lone) == count and None not in lone else None


def _numbered(text: str, count: int) -> tuple[bool, Found]:
    """Whether a reply numbers its answers, and these if they are numbered 1 to `count`."""
    marks = list(_NUMBER.finditer(text))
    before = text[: marks[0].start()] if marks else ""
    if not marks or speaks(before) or before[-1:] not in ("", "\n"):
        return False, None
    if [int(mark[1]) for mark in marks] != [*range(1, count + 1)]:
        return True, None
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return True, [answer(text[mark.end() : end]) for mark, end in zip(marks, ends, strict=True)]


def _own_turn(lines: Sequence[str], count: int) -> Sequence[str]:
    """The lines before the model, having answered, goes on with a question of its own."""
    answered = False
    for place, line in enumerate(lines):
        if answered and _ASKING.match(line):
            return lines[:place]
        answered = answered or _in_one_line(line, count) is not None or answer(line) is not None
    return lines
