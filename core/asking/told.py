"""The truth beside a question: how the emulated endpoint knows what to answer.

It travels only to an endpoint on this machine that names itself our emulator; no other ever gets it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from core.asking.background import Background
from core.asking.presets import Preset
from core.asking.prompt import one_line, worded
from core.asking.vision import ModelAnswerer
from core.cancel import Cancel
from core.facts import About, Atom, Query
from core.ports import Call, Frame, Model, Truth
from core.problem import Step
from core.truth import holds, shown

OWNER = "dkprompt-console emulator"
FIELD = "dkprompt_truth"


@dataclass
class ToldTruth:
    """The `Truth` and `StepTruth` that the latest request told: of what it asked about, and nothing else."""

    holding: frozenset[Atom] = frozenset()
    shown: frozenset[Atom] = frozenset()
    situation: str = ""
    judged: Mapping[Atom, bool | None] = field(default_factory=dict)  # the questions about steps

    def truth(self) -> frozenset[Atom]:
        return self.holding

    def seen(self, atom: Atom) -> bool:
        return atom in self.shown

    def worked(self) -> bool | None:
        """What was told of the last step; None where that is not known."""
        return next((so for atom, so in self.judged.items() if atom.predicate == About.WORKED.value), None)

    def possible(self, step: Step) -> bool | None:
        return self.judged.get(Atom(About.POSSIBLE.value, (step.name, *step.args)))


def tell(
    truth: Truth, frame: Frame, queries: Sequence[Query], turn: int, sent: Callable[[str], str] = one_line
) -> dict[str, object]:
    """What the emulator must know about these questions, as JSON; `sent` gives a question as it is sent."""
    return {
        "turn": turn,
        "viewpoint": frame.viewpoint or frame.id,
        "questions": [
            {
                "text": sent(query.text),
                "atom": [query.atom.predicate, *query.atom.args],
                "opposite": query.opposite,
                "about": query.about.value,
                "holds": holds(truth, query),
                "seen": shown(truth, query),
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
    about = [About(q.get("about", About.FACT.value)) for q in asked]
    told_of = list(zip(atoms, about, asked, strict=True))
    into.holding = frozenset(atom for atom, _, q in told_of if q["holds"])
    into.shown = frozenset(atom for atom, _, q in told_of if q["seen"])
    into.judged = {Atom(of.value, atom.args): q["holds"] for atom, of, q in told_of if of is not About.FACT}
    queries = tuple(Query(atom, q["text"], q["opposite"], about=of) for atom, of, q in told_of)
    return Heard(queries, str(told["viewpoint"]), int(str(told["turn"])))


def is_ours(preset: Preset, cancel: Cancel | None = None) -> bool:
    """Whether the endpoint is on this machine and says of every model it has that our emulator owns it.

    Takes two seconds at most. Raises Cancelled.
    """
    if not preset.local or not preset.base_url.startswith("http://"):
        return False
    background = Background("whose endpoint")
    try:
        owners = background.run(_owners(f"{preset.base_url}/models"), cancel or Cancel())
    finally:
        background.close()
    return bool(owners) and all(owner == OWNER for owner in owners)


async def _owners(url: str) -> list[object]:
    """Who owns each model; nobody where the answer is no list of models, or does not come in time."""
    import httpx2

    from core.asking.transport import taken

    try:
        async with (
            asyncio.timeout(2),
            # plain http only: to load certificates would take 100 ms each time
            httpx2.AsyncClient(trust_env=False, verify=False, follow_redirects=False) as client,
            client.stream("GET", url, headers={"accept-encoding": "identity"}) as response,
        ):
            body, _ = await taken(response, 100_000)
            return [model["owned_by"] for model in json.loads(body)["data"]]
    except (OSError, httpx2.HTTPError, ValueError, KeyError, TypeError, RecursionError):
        return []


class TellingAnswerer:
    """A model's answerer that puts the truth beside its questions, if and only if the endpoint is ours.

    Whether it is, is asked before every answer: another program may have taken the port meanwhile.
    """

    def __init__(self, truth: Truth, preset: Preset) -> None:
        self._truth, self._preset = truth, preset
        self._beside: Mapping[str, object] = {}
        self.answerer: ModelAnswerer  # its model takes `beside`, so it comes after

    @property
    def model(self) -> Model:
        return self.answerer.model

    @property
    def name(self) -> str:
        return self.answerer.name

    def beside(self) -> Mapping[str, object]:
        """More fields for the request under way."""
        return self._beside

    def answer(self, frame: Frame, queries: Sequence[Query], turn: int, cancel: Cancel) -> Call:
        if is_ours(self._preset, cancel):
            sent = partial(worded, self.answerer.prompt)
            self._beside = {FIELD: tell(self._truth, frame, queries, turn, sent)}
        try:
            return self.answerer.answer(frame, queries, turn, cancel)
        finally:
            self._beside = {}

    def close(self) -> None:
        self.answerer.close()
