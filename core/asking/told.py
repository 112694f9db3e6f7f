"""The truth beside a question: how the emulated endpoint knows what to answer.

It travels only to an endpoint on this machine that names itself our emulator; no other ever gets it.
"""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.asking.presets import Preset
from core.asking.prompt import one_line
from core.asking.vision import ModelAnswerer
from core.cancel import Cancel
from core.facts import Atom, Query
from core.ports import Call, Frame, Truth

OWNER = "dkprompt-console emulator"
FIELD = "dkprompt_truth"


@dataclass
class ToldTruth:
    """The `Truth` that the latest request told."""

    holding: frozenset[Atom] = frozenset()
    shown: frozenset[Atom] = frozenset()
    situation: str = ""

    def truth(self) -> frozenset[Atom]:
        return self.holding

    def seen(self, atom: Atom) -> bool:
        return atom in self.shown


def tell(truth: Truth, frame: Frame, queries: Sequence[Query], turn: int) -> dict[str, object]:
    """What the emulator must know about these questions, as JSON."""
    holding = truth.truth()
    return {
        "turn": turn,
        "viewpoint": frame.viewpoint or frame.id,
        "questions": [
            {
                "text": one_line(query.text),
                "atom": [query.atom.predicate, *query.atom.args],
                "opposite": query.opposite,
                "holds": query.atom in holding,
                "seen": truth.seen(query.atom),
            }
            for query in queries
        ],
    }


@dataclass(frozen=True)
class Heard:
    queries: tuple[Query, ...] = ()
    viewpoint: str = ""
    turn: int = 0


def hear(told: Mapping[str, object], prompt: str, into: ToldTruth) -> Heard:
    """The questions of a prompt, in its order; the truth of them goes `into`.

    Raises ValueError, KeyError or TypeError for what `tell` did not write.
    """
    questions = told["questions"]
    if not isinstance(questions, list):
        raise TypeError("questions are a list")
    asked = sorted((q for q in questions if q["text"] in prompt), key=lambda q: prompt.index(q["text"]))
    atoms = [Atom(q["atom"][0], tuple(q["atom"][1:])) for q in asked]
    into.holding = frozenset(atom for atom, q in zip(atoms, asked, strict=True) if q["holds"])
    into.shown = frozenset(atom for atom, q in zip(atoms, asked, strict=True) if q["seen"])
    queries = tuple(Query(atom, q["text"], q["opposite"]) for atom, q in zip(atoms, asked, strict=True))
    return Heard(queries, str(told["viewpoint"]), int(str(told["turn"])))


def is_ours(preset: Preset) -> bool:
    """Whether the endpoint is on this machine and says of every model it has that our emulator owns it."""
    if not preset.local:
        return False
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirect())
    try:
        with opener.open(f"{preset.base_url}/models", timeout=2) as response:
            owners = [model["owned_by"] for model in json.loads(response.read(100_000))["data"]]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return False
    return bool(owners) and all(owner == OWNER for owner in owners)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *request: object) -> None:
        return None


class TellingAnswerer:
    """A model's answerer that puts the truth beside its questions, if and only if the endpoint is ours.

    Whether it is, is asked before every answer: another program may have taken the port meanwhile.
    """

    def __init__(self, truth: Truth, preset: Preset) -> None:
        self._truth, self._preset = truth, preset
        self._beside: Mapping[str, object] = {}
        self.answerer: ModelAnswerer  # its model takes `beside`, so it comes after

    @property
    def name(self) -> str:
        return self.answerer.name

    def beside(self) -> Mapping[str, object]:
        """More fields for the request under way."""
        return self._beside

    def answer(self, frame: Frame, queries: Sequence[Query], turn: int, cancel: Cancel) -> Call:
        if is_ours(self._preset):
            self._beside = {FIELD: tell(self._truth, frame, queries, turn)}
        try:
            return self.answerer.answer(frame, queries, turn, cancel)
        finally:
            self._beside = {}

    def close(self) -> None:
        self.answerer.close()
