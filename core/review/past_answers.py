"""Has this model been wrong here before? What it answered about a predicate earlier, and who was right."""

from __future__ import annotations

from dataclasses import dataclass

from core.intervals import wilson_interval
from core.log.store import Store


@dataclass(frozen=True)
class PastAnswers:
    """A model's judged yes and no answers about a predicate."""

    model: str
    predicate: str
    judged: int
    right: int

    @property
    def interval(self) -> tuple[float, float]:
        """Return Wilson's 95 % interval of the share that was right."""
        return wilson_interval(self.right, self.judged)


def past_answers(store: Store, model: str, predicate: str, before: str = "") -> PastAnswers:
    """Return what is known of ended episodes, or only of those logged before this one.

    The last word of a reviewer counts, else the simulator's truth, else what the operator let count; an
    "unknown" counts nowhere. Raises UnknownName, LogError.
    """
    limit = 2**62
    if before:
        first = store.execute("select min(id) from record where episode = ?", (store.nr(before),))
        limit = first.fetchone()[0] or limit
    ((hidden,),) = store.rows((bool,), "select exists (select 1 from episode where deleted is not null)")
    some, named = _SOME.format(kept=_KEPT if hidden else ""), (predicate, model, limit)
    counts = f"{some} select count(*), ifnull(sum(verdict = said), 0) from some"
    ((judged, right),) = store.rows((int, int), counts, named)
    return PastAnswers(model, predicate, judged, right)


# The index `answer_told` has all columns of `some`: no row of the table is read.
_SOME = """
with word as materialized (
    select record, place, verdict from label where id in (select max(id) from label group by record, place)),
some as (
    select a.record, a.place, a.verdict, coalesce(word.verdict, a.truth, a.operator_verdict) as said
    from answer a left join word on word.record = a.record and word.place = a.place
    where a.predicate = ? and a.model = ? and a.record < ? and a.verdict <> 'unknown'
        and coalesce(word.verdict, a.truth, a.operator_verdict) <> 'unknown' {kept})
"""
_KEPT = "and a.episode in (select nr from episode where deleted is null)"
