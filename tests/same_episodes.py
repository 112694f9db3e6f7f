"""Episodes as digests: what plain DKPROMPT (200) and careful (30) do for the same seeds.

`python -m tests.same_episodes dkprompt` or `careful` writes the file that `test_same_episodes.py` compares
with. DKPROMPT's was first written at commit d59c66f, when the method had ten functions and the loop did the
rest. careful's is written anew whenever its decisions change on purpose.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from core import events as ev
from core.belief import Answer, BeliefSource, Query, Verdict
from core.config import Settings
from core.episode import run_components
from core.loop.gate import AutoOperator
from core.methods.dkprompt import DKPrompt, DKPromptOptions
from core.operator import Addressee, AnswerReview
from core.ports import Frame, GroundTruth, ModelCall
from core.stop_token import StopToken
from core.vqa.answerers.simulated import keyed_uniform
from main import make_components
from tests.episodes import events_of

FOLDER = Path(__file__).parent / "fixtures" / "episodes"
TASKS = ("boil_water", "bring_in_bottles", "cook_frozen_pie", "halve_egg", "store_firewood")
WRONG, SKIPPED = 0.15, 0.05  # of the answers of `Misreading`


@dataclass
class Misreading:
    """Errs on luck that owes nothing to the viewpoint: only the seed, the atom, its truth and the turn."""

    truth: GroundTruth
    seed: int
    name: str = "misreading"

    def answer(self, frame: Frame, queries: Sequence[Query], turn: int, cancel: StopToken) -> ModelCall:
        holding = self.truth.truth()
        return ModelCall(tuple(self._answer(q, q.atom in holding, turn) for q in queries), by=self.name)

    def _answer(self, query: Query, holds: bool, turn: int) -> Answer:
        luck = keyed_uniform(self.seed, str(query.atom), holds, turn)
        verdict = Verdict.from_bool(holds != (luck < WRONG))
        if luck > 1 - SKIPPED:
            verdict = Verdict.UNKNOWN
        return Answer(query.atom, verdict, BeliefSource.MODEL, verdict.value, turn)


def cases() -> Iterator[tuple[str, bool, Settings]]:
    """100 episodes of a perfect answerer and 100 of one that errs: name, whether it errs, settings."""
    for task in TASKS:
        for seed in range(20):
            variant = "printed" if seed % 4 == 3 else "repaired"
            settings = Settings(task=task, robot="kitchen", pictures=False, seed=seed, variant=variant)
            for errs in (False, True):
                yield f"{task} {variant} {seed} {'errs' if errs else 'perfect'}", errs, settings


def played(settings: Settings, errs: bool) -> list[ev.Event]:
    parts = make_components(settings)
    options = DKPromptOptions(replan_on="needed")  # as it was; the paper's choice is now the default
    parts = replace(parts, method=DKPrompt(parts.domain_spec, parts.task.problem, options))
    try:
        if errs:
            assert isinstance(parts.robot, GroundTruth)
            parts = replace(parts, answerer=Misreading(parts.robot, settings.seed))
        return events_of(parts)
    finally:
        parts.close()


class Knower(AutoOperator):
    """A person who answers what is asked of a person, and knows."""

    def __init__(self, truth: GroundTruth) -> None:
        super().__init__()
        self._truth = truth

    def review(self, review: AnswerReview) -> tuple[Answer, ...]:
        if review.addressee is not Addressee.OPERATOR:
            return super().review(review)
        known = self._truth.truth()
        return tuple(
            replace(a, verdict=Verdict.from_bool(a.atom in known), source=BeliefSource.OPERATOR)
            for a in review.answers
        )


def careful_cases() -> Iterator[tuple[str, Settings]]:
    """10 episodes alone, 10 with a person who knows, 10 on the symbolic robot: name, settings."""
    for task in TASKS:
        for seed in range(2):
            kitchen = Settings(task=task, method="careful", pictures=False, seed=seed)
            yield f"{task} {seed} alone", replace(kitchen, robot="kitchen", answerer="symmetric-34")
            yield f"{task} {seed} person", replace(kitchen, robot="kitchen", answerer="gpt-4.1-household")
            yield f"{task} {seed} symbolic", replace(kitchen, robot="symbolic", answerer="symmetric-10")


def played_carefully(settings: Settings, person: bool) -> list[ev.Event]:
    parts = make_components(settings)
    assert isinstance(parts.robot, GroundTruth)
    operator = Knower(parts.robot) if person else AutoOperator()
    try:
        return list(run_components(parts, operator, StopToken()))
    finally:
        parts.close()


def careful_digest(events: Sequence[ev.Event]) -> dict[str, str]:
    """As `digest`, and why each step and each claim was made, with its numbers."""
    proposed = [event.proposal for event in events if isinstance(event, ev.ActionProposed)]
    reasons = [_rounded(repr(proposal.reason)) for proposal in proposed]
    asked = [event.addressee.value for event in events if isinstance(event, ev.QuestionsAsked)]
    return digest(events) | {"why": _short_hash([*reasons, *asked])}


def digest(events: Sequence[ev.Event]) -> dict[str, str]:
    """What was done, asked, answered, believed and planned, each in its order, and how it ended."""
    done, asked, said, believed, planned, ended = [], [], [], [], [], ""
    for event in events:
        match event:
            case ev.StepFinished(turn, step, outcome, situation):
                done.append(f"{turn} {step} {outcome.status.value} {situation}")
            case ev.QuestionsAsked(turn, _, queries):
                asked += [f"{turn} {q.atom} {q.text} {q.purpose.value} {q.expected.value}" for q in queries]
            case ev.AnswersReceived(turn, _, call):
                said += [f"{turn} {a.atom} {a.verdict.value}" for a in call.answers]
            case ev.BeliefChanged(turn, changes):
                believed += [f"{turn} {e.atom} {e.verdict.value} {e.source.value}" for e in changes]
            case ev.PlanMade():
                planned.append(" ".join(map(str, event.plan.steps)))
            case ev.EpisodeEnded():
                ended = f"{event.result.value} {event.believed_goal} {event.true_goal}"
    streams = {"done": done, "asked": asked, "said": said, "believed": believed, "planned": planned}
    hashes = {name: _short_hash(lines) for name, lines in streams.items()}
    return {"ended": ended, "steps": str(len(done))} | hashes


def _rounded(text: str) -> str:
    """Return the text with six digits of each number, as not every Python adds alike."""
    return re.sub(r"\d+\.\d+(?:e-?\d+)?", lambda number: f"{float(number[0]):.6g}", text)


def _short_hash(lines: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]


def digests(method: str) -> dict[str, dict[str, str]]:
    if method == "careful":
        return {n: careful_digest(played_carefully(s, n.endswith("person"))) for n, s in careful_cases()}
    return {name: digest(played(settings, errs)) for name, errs, settings in cases()}


if __name__ == "__main__":
    file = FOLDER / f"{sys.argv[1]}.json"
    file.write_text(json.dumps(digests(sys.argv[1]), indent=0) + "\n", encoding="utf-8")
