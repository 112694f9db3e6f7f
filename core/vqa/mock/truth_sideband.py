"""Send the ground truth with a question, so that the mock server knows what to answer.

It is sent only to an endpoint on this machine that identifies itself as our emulator, never to another one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from core.belief import Atom, Query, QueryTopic
from core.loop.ground_truth import is_observable, truth_of
from core.planning_model import Step
from core.ports import Frame, GroundTruth, Model, ModelCall
from core.stop_token import StopToken
from core.vqa.answerers.model_answerer import ModelAnswerer
from core.vqa.endpoint.model_list import listed_models
from core.vqa.endpoint.presets import EndpointPreset
from core.vqa.prompt import as_one_question, question_text

OWNER = "dkprompt-console emulator"
FIELD = "dkprompt_truth"


@dataclass
class SidebandTruth:
    """The `GroundTruth` and `StepTruth` sent with the latest request, limited to what it asks about."""

    true_atoms: frozenset[Atom] = frozenset()
    observable_atoms: frozenset[Atom] = frozenset()
    situation: str = ""
    step_verdicts: Mapping[Atom, bool | None] = field(default_factory=dict)  # of questions about steps

    def truth(self) -> frozenset[Atom]:
        return self.true_atoms

    def is_observable(self, atom: Atom) -> bool:
        return atom in self.observable_atoms

    def step_succeeded(self) -> bool | None:
        """Return whether the last step succeeded, as sent; None if that is unknown."""
        return next(
            (
                so
                for atom, so in self.step_verdicts.items()
                if atom.predicate == QueryTopic.STEP_SUCCEEDED.value
            ),
            None,
        )

    def step_possible(self, step: Step) -> bool | None:
        return self.step_verdicts.get(Atom(QueryTopic.STEP_POSSIBLE.value, (step.name, *step.args)))


def encode_truth(
    truth: GroundTruth,
    frame: Frame,
    queries: Sequence[Query],
    turn: int,
    sent: Callable[[str], str] = as_one_question,
) -> dict[str, object]:
    """Return as JSON what the emulator must know of these questions; `sent` maps one to its sent form."""
    return {
        "turn": turn,
        "viewpoint": frame.viewpoint or frame.id,
        "questions": [
            {
                "text": sent(query.text),
                "atom": [query.atom.predicate, *query.atom.args],
                "opposite": query.negated,
                "about": query.topic.value,
                "holds": truth_of(truth, query),
                "seen": is_observable(truth, query),
            }
            for query in queries
        ],
    }


@dataclass(frozen=True)
class DecodedQuestions:
    queries: tuple[Query, ...] = ()
    viewpoint: str = ""
    turn: int = 0


def decode_questions(payload: Mapping[str, object], prompt: str, into: SidebandTruth) -> DecodedQuestions:
    """Return the questions of a prompt, in its order, and store their truth in `into`.

    Raises ValueError, KeyError or TypeError for what `encode_truth` did not write.
    """
    questions = payload["questions"]
    if not isinstance(questions, list):
        raise TypeError("questions are a list")
    asked = sorted((q for q in questions if q["text"] in prompt), key=lambda q: prompt.index(q["text"]))
    atoms = [Atom(q["atom"][0], tuple(q["atom"][1:])) for q in asked]
    about = [QueryTopic(q.get("about", QueryTopic.FACT.value)) for q in asked]
    told_of = list(zip(atoms, about, asked, strict=True))
    into.true_atoms = frozenset(atom for atom, _, q in told_of if q["holds"])
    into.observable_atoms = frozenset(atom for atom, _, q in told_of if q["seen"])
    into.step_verdicts = {
        Atom(of.value, atom.args): q["holds"] for atom, of, q in told_of if of is not QueryTopic.FACT
    }
    queries = tuple(Query(atom, q["text"], q["opposite"], topic=of) for atom, of, q in told_of)
    return DecodedQuestions(queries, str(payload["viewpoint"]), int(str(payload["turn"])))


def is_emulator(preset: EndpointPreset, cancel: StopToken | None = None) -> bool:
    """Return True if the endpoint is on this machine and says that our emulator owns all its models.

    Takes at most two seconds. Raises Cancelled.
    """
    if not preset.local or not preset.base_url.startswith("http://"):
        return False
    models = listed_models(preset, cancel or StopToken()) or ()
    return bool(models) and all(model.owner == OWNER for model in models)


class EmulatorAwareAnswerer:
    """A model's answerer that sends the truth with its questions, if and only if the endpoint is ours.

    This is checked before every answer, because another program may have taken over the port meanwhile.
    """

    def __init__(self, truth: GroundTruth, preset: EndpointPreset) -> None:
        self._truth, self._preset = truth, preset
        self._extra_fields: Mapping[str, object] = {}
        self.answerer: ModelAnswerer  # set later, since its model takes `extra_fields`

    @property
    def model(self) -> Model:
        return self.answerer.model

    @property
    def name(self) -> str:
        return self.answerer.name

    def extra_fields(self) -> Mapping[str, object]:
        """Return the extra fields of the current request."""
        return self._extra_fields

    def answer(self, frame: Frame, queries: Sequence[Query], turn: int, cancel: StopToken) -> ModelCall:
        if is_emulator(self._preset, cancel):
            sent = partial(question_text, self.answerer.prompt)
            self._extra_fields = {FIELD: encode_truth(self._truth, frame, queries, turn, sent)}
        try:
            return self.answerer.answer(frame, queries, turn, cancel)
        finally:
            self._extra_fields = {}

    def close(self) -> None:
        self.answerer.close()
