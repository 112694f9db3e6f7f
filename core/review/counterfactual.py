"""Run an episode again without a person's overrides: a fork before the first one, run by itself.

Only a simulator can answer that. The fork believes the model's own answers and nobody reviews what comes
after it; the log marks it as a fork with the purpose `PURPOSE`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core import events as ev
from core.belief import Answer
from core.errors import BadValue
from core.events import EpisodeResult
from core.log.store import Store
from core.operator import Correct
from core.review.fork import Fork, fork_before
from core.stop_token import StopToken
from core.text.plural import plural

PURPOSE = "without overrides"


@dataclass(frozen=True)
class Override:
    """The first moment at which a person's word replaced the model's.

    `number` is the first record that does not count in the fork; `answers` are the model's own of that call.
    """

    number: int
    answers: tuple[Answer, ...] = ()


def first_override(records: Sequence[ev.Record]) -> Override | None:
    """Return the first override or correction, None if there is none."""
    asked = 0
    said: tuple[Answer, ...] = ()
    for record in records:
        match record.event:
            case ev.AnswersReceived(call=call):
                asked, said = record.number, call.answers
            case ev.AnswersReviewed(answers=answers):
                own = {a.atom: a.verdict for a in said}
                if any(own.get(a.atom, a.verdict) is not a.verdict for a in answers):
                    return Override(asked, said)
            case ev.DecisionMade(decision=Correct()):
                return Override(record.number)
    return None


def fork_without_overrides(records: Sequence[ev.Record], cancel: StopToken | None = None) -> Fork:
    """Return the fork, with the steps that the episode had left; `cancel` is that of its restoring.

    Raises BadValue if nothing was overridden, or if the world cannot be restored.
    """
    found = first_override(records)
    if found is None:
        raise BadValue("Nobody overrode an answer in this episode: there is nothing to leave out.")
    fork = fork_before(records, found.number, found.answers, pace=0.0, live_video=False)
    left = max(1, fork.max_steps - len(fork.steps))
    return replace(fork, purpose=PURPOSE, max_steps=left, cancel=cancel or StopToken())


@dataclass(frozen=True)
class Counterfactual:
    """How an episode would have gone without its overrides: `steps` in all, with those before the fork."""

    episode: str  # the fork
    result: EpisodeResult
    true_goal: bool | None
    steps: int
    overrides: int  # of the parent, which they left out
    parent_result: EpisodeResult | None

    @property
    def sentence(self) -> str:
        """Return a sentence such as "Without your 2 overrides: failed at step 9 (step limit)"."""
        n = self.overrides
        who = f"Without your {'override' if n == 1 else plural(n, 'override')}"
        if self.result is not EpisodeResult.SUCCEEDED:
            return f"{who}: failed at step {self.steps} ({self.result.value})"
        if self.true_goal is False:
            return f"{who}: claimed the goal falsely after step {self.steps}"
        also = " too" if self.parent_result is EpisodeResult.SUCCEEDED else ""
        return f"{who}: reached the goal{also}, after step {self.steps}"


def find_counterfactual(store: Store, parent: str) -> Counterfactual | None:
    """Return the latest that was run to its end, None if there is none. Raises UnknownName, LogError."""
    of = store.summary(parent)
    found = store.rows((str, EpisodeResult, bool | None, int), _FIND, (store.nr(parent), of.episode, PURPOSE))
    for id, result, true_goal, steps in found:
        return Counterfactual(id, result, true_goal, steps, of.overrides or 0, of.result)
    return None


_FIND = f"""
select id, result, true_goal, ifnull(steps, 0) + (
    select count(*) from record where record.episode = ? and kind = 'StepFinished'
        and number <= cast(settings ->> '$.moment' as integer))
from shown where settings ->> '$.parent' = ? and settings ->> '$.purpose' = ?
    and result not in ('{EpisodeResult.ENDED.value}', '{EpisodeResult.INTERRUPTED.value}')
order by nr desc limit 1
"""
