"""Replies cached in a file, to repeat an experiment without its model. Never used unless requested."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

from core.data_file import check
from core.errors import BadFile
from core.log.database import DAMAGE_ERRORS, refuse_foreign_journals, restrict
from core.ports import ChatMessage, Reply
from core.stop_token import StopToken
from core.vqa.endpoint.chat_model import ChatModel


class CachedModel:
    """A `Model` that passes a request on to another model only if it is not in the cache.

    The key covers everything that a reply depends on: address, model, parameters, every message (and so the
    prompt and the questions) and the bytes of the pictures. A cached reply costs nothing and takes only as
    long as reading the file. The model's name says that it is cached.
    """

    def __init__(self, model: ChatModel, path: Path) -> None:
        self._model, self._path = model, path
        if os.path.lexists(path) and not path.is_file():
            raise BadFile(path, "it is no regular file", remedy="Name another file for the replies")
        refuse_foreign_journals(path)
        try:
            with self._open() as file:
                file.execute("CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply TEXT NOT NULL)")
        except DAMAGE_ERRORS as error:
            raise BadFile(path, f"it cannot keep replies ({error})") from error

    @property
    def name(self) -> str:
        return f"{self._model.name} (cached)"

    def ask(self, messages: Sequence[ChatMessage], pictures: Sequence[bytes], cancel: StopToken) -> Reply:
        """Return the cached reply, or ask and cache. Raises AnswererError, Cancelled, BadFile."""
        cancel.check()
        started = time.monotonic()
        key = self._key(messages, pictures)
        try:
            with self._open() as file:
                kept = file.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
            if kept is not None:
                return _read(self._path, kept[0], time.monotonic() - started)
            reply = self._model.ask(messages, pictures, cancel)
            with self._open() as file:
                file.execute("INSERT OR REPLACE INTO replies VALUES (?, ?)", (key, _write(reply)))
        except (*DAMAGE_ERRORS, ValueError, KeyError, TypeError, RecursionError) as error:
            raise BadFile(self._path, f"its kept replies cannot be used ({error})") from error
        return reply

    def close(self) -> None:
        self._model.close()

    def _open(self) -> closing[sqlite3.Connection]:
        return closing(restrict(sqlite3.connect(self._path, timeout=5, isolation_level=None)))

    def _key(self, messages: Sequence[ChatMessage], pictures: Sequence[bytes]) -> str:
        digests = [hashlib.sha256(picture).hexdigest() for picture in pictures]
        asked = (self._model.fingerprint, [(m.role, m.text) for m in messages], digests)
        return hashlib.sha256(repr(asked).encode()).hexdigest()


def _write(reply: Reply) -> str:
    """Return a reply as JSON; a token's alternatives are called `others` in the file, as in older files."""
    tokens = [{"text": t.text, "logprob": t.logprob, "others": t.alternatives} for t in reply.tokens]
    return json.dumps({**asdict(reply), "tokens": tokens})


def _read(path: Path, text: str, seconds: float) -> Reply:
    form = json.loads(text)
    tokens = [{**token, "alternatives": token["others"]} for token in form["tokens"]]
    kept = check(Reply, {**form, "tokens": tokens}, path)
    return Reply(kept.text, kept.model, kept.tokens, cost=0.0, seconds=seconds)
