"""Read answers from JSON, or from what models take for JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

from core.belief import Verdict
from core.vqa.replies.answer_lexicon import hedges, word_verdict
from core.vqa.replies.epistemic import asks_of_knowing, doubts_itself, speaks_of_knowing
from core.vqa.replies.sentences import read_verdict

_VALUES = ("answer", "answers", "final_answer", "final answer", "response", "responses", "result", "results",
           "verdict", "value", "prediction", "decision", "conclusion", "output")  # fmt: skip
_NUMBERS = ("number", "index", "id", "question_number")
_EXPLANATION_KEYS = {"reason", "reasons", "reasoning", "explanation", "rationale", "why", "thought",
          "thoughts", "analysis", "confidence", "note", "notes", "type", "enum", "error", "message",
          "description", "refusal", "question", "options"}  # fmt: skip

_REASONS = ("reason", "explanation", "rationale", "why", "justification", "note", "notes", "comment")

MaybeVerdicts = Sequence[Verdict | None] | None


def find_json(text: str) -> tuple[bool, object, str]:
    """Return whether a text is or contains JSON, the value (several become a list), and the text around
    it."""
    start = min((place for place in map(text.find, "[{") if place > 0), default=0)
    for place in dict.fromkeys((0, start)):
        for form in (text, text.replace("'", '"')):
            values, end = _values(form, place)
            around = f"{text[:place]}\n{text[end:]}"
            if values and (not around.strip() or _holds_words(values[0])):
                return True, values[0] if len(values) == 1 else values, around
    return False, None, text


def _holds_words(value: object) -> bool:
    """Return True for an object or list that holds more than numbers: "[1] yes" is not JSON."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(isinstance(item, str | bool | dict | list) for item in inside)


def _values(text: str, place: int) -> tuple[list[object], int]:
    """Return the JSON values from a position on, and where they end."""
    decoder = json.JSONDecoder(object_pairs_hook=_reject_duplicate_keys)
    values: list[object] = []
    end = place
    while place < len(text) and (not values or text[place] in "[{"):
        try:
            value, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            break
        values.append(value)
        place = end + len(text[end:]) - len(text[end:].lstrip(" \t\n,"))
    return values, end


def _reject_duplicate_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return the object, or an empty one if a key occurs twice, because it is unclear which value is
    meant."""
    found = dict(pairs)
    return found if len(found) == len(pairs) else {}


def read_json_answers(
    value: object, count: int, from_words: Callable[[str, int], MaybeVerdicts]
) -> MaybeVerdicts:
    """Return the answers in a value; `from_words` reads a text inside it."""
    if isinstance(value, str):
        return from_words(value, count)
    if isinstance(value, bool):
        return [Verdict.from_bool(value)]
    if isinstance(value, list):
        tables = [item for item in value if isinstance(item, dict)]
        numbers: list[object] = [table[key] for table in tables for key in _NUMBERS if key in table]
        return [_from_item(item) for item in value] if _in_order(numbers) else None
    if isinstance(value, dict):
        if _says_both(value):
            return None
        if any(doubts_itself(key, item) for key, item in value.items()) or _has_no_reason(value):
            return [Verdict.UNKNOWN] * count
        for key in _VALUES:
            if key in value:
                return read_json_answers(value[key], count, from_words)
        numbers = [int(n) for key in value for n in re.findall(r"\d{1,3}$", key)]
        if _EXPLANATION_KEYS & set(value) or any(asks_of_knowing(key.replace("_", " ")) for key in value):
            return None
        return [_from_item(item) for item in value.values()] if _in_order(numbers) else None
    return None


def _says_both(table: dict[str, object]) -> bool:
    """Return True for one answer among others that say the opposite; a list by number says both as well."""
    words = {word_verdict(item) for item in table.values() if isinstance(item, str)}
    return {Verdict.YES, Verdict.NO} <= words and any(key in table for key in _VALUES)


def _has_no_reason(table: dict[str, object]) -> bool:
    """Return True if what explains an answer doubts it: "reason": "cannot be determined"."""
    reasons = [re.split(r"[.;\n]", item)[0] for key in _REASONS if isinstance(item := table.get(key), str)]
    return any(hedges(reason) or speaks_of_knowing(reason) for reason in reasons)


def _from_item(item: object) -> Verdict | None:
    if isinstance(item, bool):
        return Verdict.from_bool(item)
    if isinstance(item, dict) and not _says_both(item):
        if _has_no_reason(item):
            return Verdict.UNKNOWN
        return next((_from_item(item[key]) for key in _VALUES if key in item), None)
    return read_verdict(item) if isinstance(item, str) else None


def _in_order(numbers: Sequence[object]) -> bool:
    return list(numbers) in ([*range(1, len(numbers) + 1)], [*range(len(numbers))])
