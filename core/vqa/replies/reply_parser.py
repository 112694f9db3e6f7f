"""Parse a model's actual reply: yes, no or unknown for each question.

A reply that cannot be matched with its questions is UNKNOWN for all of them. Nothing is guessed from a word
inside a sentence: "I cannot know" contains "no", but answers nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.belief import Answer, BeliefSource, Query, Verdict
from core.vqa.replies.answer_lexicon import (
    hedges,
    is_refusal,
    may_answer,
    normalise,
    shows_example,
    word_verdict,
)
from core.vqa.replies.cleaning import clean_reply, strip_line_ends, strip_tags
from core.vqa.replies.epistemic import is_no_reason, speaks_of_knowing
from core.vqa.replies.json_replies import find_json, read_json_answers
from core.vqa.replies.sentences import declared_verdicts, read_verdict

MAX_LINES = 200
_FENCE = re.compile(r"```(?:\w{0,20}\n|json\s)?(.*?)```", re.DOTALL)
_TAG = re.compile(
    r"<(answers?|answer_?\d{1,2}|final_answer|output|result|verdict|conclusion)>((?:[^<]|<(?!/?\1>))*)</\1>"
)
_NUMBER = re.compile(
    r"(?:^|(?<=[\s;,]))[(\[]?(?:(?:q|a|question|answer)\s*)?(\d{1,3})\s*(?:[):\]]+|\.(?!\d))"
    r"|^(\d{1,3})\s+[-–—|]\s",
    re.MULTILINE,
)
_LETTER = re.compile(r"(?:^|(?<=[\s;,]))[(\[]?([a-l])[)\].:]+(?=\s)")
_QUESTION = re.compile(r"\w[\s)\]']{0,2}\?$")
_ASKING = re.compile(
    r"(?:is|are|does|do|did|has|have|can|what|which|where|how)\b.*\?|.*\?$|(?:q|question|user|human)\s*\d*:"
)
_FINALLY = re.compile(
    r"(?:(?:so|therefore|thus|hence|in conclusion),? )?(?:the |my |here are (?:the|my) )?(?:final )?"
    r"(?:answers?|conclusions?)\s*(?:(?:is|are)\b\s*:?|:|$)\s*(.*)"
)
_OBJECT = re.compile(r"[{,\[]\s*[\"'](?:number|index|id|question_number|answers?)[\"']\s*:")
_DECORATION = str.maketrans("", "", '*`"_$')

MaybeVerdicts = Sequence[Verdict | None] | None


def parse_verdicts(text: str, count: int) -> tuple[Verdict, ...]:
    """Return one verdict for each of `count` questions, about their texts. Never raises."""
    found = _matched_verdicts(text, count)
    if found is None:
        return (Verdict.UNKNOWN,) * count
    return tuple(Verdict.UNKNOWN if verdict is None else verdict for verdict in found)


def count_matches(text: str, count: int) -> bool:
    """Return True if a reply can be matched with its `count` questions at all."""
    return _matched_verdicts(text, count) is not None


def parse_answers(
    raw_reply: str, queries: Sequence[Query], turn: int, frame: str, by: str
) -> tuple[Answer, ...]:
    """Return the answers in a reply to these questions, converted from their texts to their atoms."""
    return tuple(
        Answer(
            query.atom, query.atom_verdict(verdict), BeliefSource.MODEL, shorten(raw_reply), turn, frame, by
        )
        for query, verdict in zip(queries, parse_verdicts(raw_reply, len(queries)), strict=True)
    )


def shorten(raw_reply: str, max_chars: int = 500) -> str:
    """Shorten a reply to keep beside each of its answers; the call keeps all of it."""
    return (
        raw_reply
        if len(raw_reply) <= max_chars
        else f"{raw_reply[:max_chars]}… ({len(raw_reply):,} characters)"
    )


def _matched_verdicts(text: str, count: int) -> MaybeVerdicts:
    text = clean_reply(strip_line_ends(text, count))
    found = _marked_verdicts(text, count) if text and count else None
    return found if found is not None and len(found) == count else None


def _marked_verdicts(text: str, count: int) -> MaybeVerdicts:
    """Return the answers marked by tags, a code fence or JSON; else those in the lines."""
    tags = [tag[1] for tag in _TAG.findall(text)]
    if tags:
        found = (
            [read_verdict(tag) for tag in tags] if len(tags) > 1 else _from_lines(strip_tags(tags[0]), count)
        )
        return _unless_contradicted(found, _TAG.sub("\n", text), count)
    if "<answer" in text:
        return None
    fences = _FENCE.findall(text)
    if len(fences) == 1:
        inside = fences[0].strip()
        is_json, value, around = find_json(inside)
        found = (
            read_json_answers(value, count, _from_lines)
            if is_json
            else _from_lines(strip_tags(inside), count)
        )
        return _unless_contradicted(found, f"{around}\n{_FENCE.sub('', text)}", count)
    is_json, value, around = find_json(text)
    if is_json:
        if hedges(around) or is_refusal(around) or shows_example(around):
            return None
        return _unless_contradicted(read_json_answers(value, count, _from_lines), around, count)
    return _from_lines(strip_tags(text), count)


def _unless_contradicted(found: MaybeVerdicts, around: str, count: int) -> MaybeVerdicts:
    """Return None if the text around a marked answer contradicts it, else the answer."""
    around = strip_tags(around).translate(_DECORATION)
    if found is None or not around.strip():
        return found
    if count == 1:
        return found if declared_verdicts(around) <= {*found, Verdict.UNKNOWN} else None
    other = _from_lines(around, count)
    return None if other is not None and _contradict(found, other) else found


def _contradict(one: Sequence[Verdict | None], other: Sequence[Verdict | None]) -> bool:
    """Return True if a question has a yes in one of them and a no in the other."""
    return len(one) == len(other) and any(
        {a, b} == {Verdict.YES, Verdict.NO} for a, b in zip(one, other, strict=True)
    )


def _from_lines(text: str, count: int) -> MaybeVerdicts:
    if _OBJECT.search(text):
        return None  # JSON that was cut off: it may say otherwise, and its numbers need not be in order
    text = text.translate(_DECORATION)
    lines = [line for line in map(normalise, text.split("\n")) if line]
    if len(lines) == 2 * count and all(map(_QUESTION.search, lines[::2])):
        lines = lines[1::2]  # question, answer, question, answer
    while lines and _QUESTION.search(lines[0]) and word_verdict(lines[0].split()[0]) is None:
        del lines[0]  # the questions, repeated before the answers
    if len(lines) > MAX_LINES + 4 * count:
        return None
    for some in (lines, _before_own_question(lines, count)):
        concluded, found = _announced_verdicts(some, count)
        if concluded:
            return found
        if found := _unambiguous(some, count):
            return found
        if count == 1 and some and (verdict := read_verdict("\n".join(some))) is not None:
            return [verdict]
    return None


def _unambiguous(lines: Sequence[str], count: int) -> MaybeVerdicts:
    """Return the answers if exactly one reading fits and no other line says anything."""
    numbered, found = _numbered("\n".join(lines), count)
    if numbered:
        return found
    in_one = [_in_one_line(line, count) for line in lines]
    if _exactly(lines, in_one, 1, count):
        said = next(found for found in in_one if found is not None)
        others = [line for line, found in zip(lines, in_one, strict=True) if found is None]
        verdict = Verdict.UNKNOWN if said[0] is None else said[0]
        if count == 1 and any(is_no_reason(line, verdict, own_sentence=True) for line in others):
            return [Verdict.UNKNOWN]  # "yes", and in the next line "I don't see it"
        return said
    line_each = [read_verdict(line) for line in lines]
    if count > 1 and _exactly(lines, line_each, count, count):
        return [verdict for verdict in line_each if verdict is not None]
    return None


def _exactly(lines: Sequence[str], read: Sequence[object | None], wanted: int, count: int) -> bool:
    """Return True if exactly `wanted` lines could be read and the others say nothing.

    Beside a single answer, "no lid is in the way" could be meant as one; beside a whole list it cannot.
    """
    others = [line for line, found in zip(lines, read, strict=True) if found is None]
    if count == 1 and any(map(speaks_of_knowing, others)):
        return False
    return len(lines) - len(others) == wanted and not any(may_answer(line, count == 1) for line in others)


def _announced_verdicts(lines: Sequence[str], count: int) -> tuple[bool, MaybeVerdicts]:
    """Return whether a final list of answers is announced, and the list unless earlier lines contradict
    it."""
    for place in range(len(lines) - 1, 0, -1):
        announced = _FINALLY.fullmatch(lines[place])
        if not announced or count == 1:
            continue
        found = _unambiguous([line for line in (announced[1], *lines[place + 1 :]) if line], count)
        if found is None or len(found) != count:
            return False, None
        concluded, before = _announced_verdicts(lines[:place], count)
        before = before if concluded else _unambiguous(lines[:place], count)
        if before is None or None in before:
            return True, None if any(map(declared_verdicts, lines[:place])) else found
        if _contradict(found, before):
            return True, None
        return True, [b if b is Verdict.UNKNOWN else f for f, b in zip(found, before, strict=True)]
    return False, None


def _in_one_line(line: str, count: int) -> MaybeVerdicts:
    """Return answers separated by semicolons, or single words separated by anything."""
    if count == 1:
        found = read_verdict(line)
        return None if found is None else [found]
    if shows_example(line):
        return None
    parts = [read_verdict(part) for part in line.removesuffix(";").split(";")]
    if len(parts) == count and None not in parts:
        return parts
    lead = re.match(r"[^:;]*:\s*", line)
    rest = line[lead.end() :] if lead and not may_answer(lead.group()) else line
    lone = [word_verdict(w) for w in re.split(r" ?[;,|] ?| ", " ".join(rest.split())) if w != "and"]
    return lone if len(lone) == count and None not in lone else None


def _numbered(text: str, count: int) -> tuple[bool, MaybeVerdicts]:
    """Return whether a reply numbers its answers, and the answers if they are numbered 1 to `count`."""
    wanted = [*range(1, count + 1)]
    marks = list(_LETTER.finditer(text)) if count > 1 else []
    if [ord(mark[1]) - ord("a") + 1 for mark in marks] != wanted:
        marks = list(_NUMBER.finditer(text))
        if marks and [int(mark[1] or mark[2]) for mark in marks] != wanted:
            wanted = []
    before = text[: marks[0].start()] if marks else ""
    if not marks or may_answer(before) or before[-1:] not in ("", "\n"):
        return False, None
    if not wanted:
        return True, None
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return True, [read_verdict(text[mark.end() : end]) for mark, end in zip(marks, ends, strict=True)]


def _before_own_question(lines: Sequence[str], count: int) -> Sequence[str]:
    """Return the lines before the model, having answered, continues with a question of its own."""
    answered = False
    for place, line in enumerate(lines):
        if answered and _ASKING.match(line) and ("?" in line or read_verdict(line) is None):
            return lines[:place]
        answered = answered or _in_one_line(line, count) is not None or read_verdict(line) is not None
    return lines
