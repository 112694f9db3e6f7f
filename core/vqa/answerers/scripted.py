"""Prepared replies, parsed like a real model's: for tests and demonstrations."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from core.belief import Query
from core.cancel import Cancel
from core.errors import BadFile
from core.ports import Frame, ModelCall, all_unknown
from core.vqa.replies.reply_parser import parse_answers


class ScriptedAnswerer:
    """Returns one prepared reply per call, in order. After the last one every question is UNKNOWN."""

    def __init__(self, replies: Sequence[str], name: str = "scripted") -> None:
        self._replies = iter(tuple(replies))
        self.name = name

    def answer(self, frame: Frame, queries: Sequence[Query], turn: int, cancel: Cancel) -> ModelCall:
        cancel.check()
        said = next(self._replies, None)
        if said is None:
            why = "the script has no further reply"
            return ModelCall(all_unknown(queries, turn, frame.id, why), why, self.name)
        return ModelCall(parse_answers(said, queries, turn, frame.id, self.name), said, self.name)


def load_script(path: Path) -> ScriptedAnswerer:
    """Load a JSON file with a list of replies, such as `["yes;no", "skip"]`. Raises BadFile."""
    try:
        replies = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadFile(path, error.strerror or "it cannot be read") from error
    except (ValueError, RecursionError) as error:
        raise BadFile(path, f"this is not JSON ({error})") from error
    if not isinstance(replies, list) or not all(isinstance(reply, str) for reply in replies):
        raise BadFile(path, "a script is a list of replies", remedy='Write it as ["yes;no", "skip"]')
    return ScriptedAnswerer(replies, path.stem)
