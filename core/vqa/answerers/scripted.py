"""Prepared replies, parsed like a real model's: for tests and demonstrations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.belief import Query
from core.data_file import load_json
from core.errors import AnswererError
from core.ports import ChatMessage, Frame, ModelCall, Reply, all_unknown
from core.stop_token import StopToken
from core.vqa.replies.reply_parser import parse_answers


class ScriptedAnswerer:
    """Returns one prepared reply per call, in order. After the last one every question is UNKNOWN.

    It is a Model too, which after the last one raises AnswererError.
    """

    def __init__(self, replies: Sequence[str], name: str = "scripted") -> None:
        self._replies = iter(tuple(replies))
        self.name = name

    def answer(self, frame: Frame, queries: Sequence[Query], turn: int, cancel: StopToken) -> ModelCall:
        cancel.check()
        said = next(self._replies, None)
        if said is None:
            reason = "the script has no further reply"
            return ModelCall(all_unknown(queries, turn, frame.id, reason), reason, self.name)
        return ModelCall(parse_answers(said, queries, turn, frame.id, self.name), said, self.name)

    def ask(self, messages: Sequence[ChatMessage], pictures: Sequence[bytes], cancel: StopToken) -> Reply:
        cancel.check()
        if (said := next(self._replies, None)) is None:
            raise AnswererError(f"The script {self.name!r} has no further reply: add one to its list.")
        return Reply(said, self.name)


def load_script(path: Path) -> ScriptedAnswerer:
    """Load a JSON file with a list of replies, such as `["yes;no", "skip"]`. Raises BadFile."""
    replies = load_json(path, tuple[str, ...], 'A script is a list of replies, such as ["yes;no", "skip"]')
    return ScriptedAnswerer(replies, path.stem)
