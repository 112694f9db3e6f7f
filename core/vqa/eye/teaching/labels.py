"""Read from the log what an eye can learn: answers about pictures, by people and by simulators."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from core.belief import Atom, QueryTopic, Verdict
from core.log.database import as_log_error
from core.log.integrity import validation
from core.log.store import Store
from core.vqa.eye.eye import NO, UNSEEN, YES
from core.vqa.eye.questions import question_key


class LabelSource(Enum):
    """Who said it. Where several did about the same question and picture, the first of these counts."""

    BLIND = "blind review"
    REVIEW = "review"
    OVERRIDE = "override"
    TRUTH = "simulator's truth"

    @property
    def is_person(self) -> bool:
        return self is not LabelSource.TRUTH


DRAWN = "drawn "  # begins the name of what stands for an episode, of pictures that a simulator drew


@dataclass(frozen=True)
class PictureLabel:
    """What is so in a logged picture. `answer` is NO, YES or UNSEEN, as in `core.vqa.eye.eye`."""

    episode: str
    picture: str  # its id
    atom: Atom
    answer: int
    source: LabelSource
    by: str
    after: str = ""  # the action done last before the picture; empty at the beginning
    robot: str = ""  # whose picture it is

    @property
    def is_drawn(self) -> bool:
        return self.episode.startswith(DRAWN)

    @property
    def question(self) -> str:
        return question_key(self.atom)


FEW = 10  # labels of one answer, below which it is not told from chance that all are of one moment
AnswerCounts = tuple[int, int, int]  # no, yes, cannot be seen


def read_labels(store: Store, episodes: Sequence[str] = ()) -> tuple[PictureLabel, ...]:
    """Return everything said about stored pictures of ended episodes, oldest first: of these, or of all that
    have the domain and the robot of the latest one.

    A person's "unknown" says that the picture does not show it. Questions about steps are left out. Raises
    UnknownName, LogError.
    """
    wanted = [store.nr(episode) for episode in episodes]
    with as_log_error(store.path):
        rows = store.db.execute(_READ).fetchall()
    latest = max(rows, default=[0])[0]
    where = next((row[1:3] for row in rows if row[0] == latest), ())
    found = []
    for row in rows:
        nr, _, *columns, _ = row
        if nr not in wanted if wanted else row[1:3] != where:
            continue
        robot, id, picture, words, verdict, source, by, after = validation.parse_columns(_COLUMNS, columns)
        atom = validation.parse_atom(words)
        if atom.predicate not in _STEPS:
            said = _ANSWERS[verdict], LabelSource(source), by, after, robot
            found.append(PictureLabel(id, picture, atom, *said))
    return tuple(found)


def choose(labels: Iterable[PictureLabel], sources: Collection[LabelSource]) -> tuple[PictureLabel, ...]:
    """Return one label for each question about each picture, from these sources.

    Where those of the same source contradict each other, nothing is learnt from any.
    """
    found: dict[tuple[str, str], list[PictureLabel]] = {}
    for label in labels:
        if label.source in sources:
            found.setdefault((label.picture, label.question), []).append(label)
    order = list(LabelSource)
    chosen = []
    for said in found.values():
        first = min(order.index(label.source) for label in said)
        best = [label for label in said if label.source is order[first]]
        if len({label.answer for label in best}) == 1:
            chosen.append(best[-1])
    return tuple(chosen)


def count_labels(labels: Iterable[PictureLabel]) -> dict[str, AnswerCounts]:
    """Return for each predicate, sorted, how many labels say no, yes and cannot be seen."""
    counts: dict[str, list[int]] = {}
    for label in labels:
        counts.setdefault(label.atom.predicate, [0, 0, 0])[label.answer] += 1
    return {predicate: (no, yes, unseen) for predicate, (no, yes, unseen) in sorted(counts.items())}


def one_moment(labels: Iterable[PictureLabel]) -> dict[str, tuple[int, str]]:
    """Return the predicates of which "yes", or "no", is known from directly after one action only, the other
    hardly from there, and which.

    An eye may then learn to tell that moment, and labels kept back, of the same moments, cannot show it.
    """
    moments: dict[str, dict[int, list[str]]] = {}
    for label in labels:
        moments.setdefault(label.atom.predicate, {}).setdefault(label.answer, []).append(label.after)
    found = {}
    for predicate, by_answer in sorted(moments.items()):
        for answer, other in ((NO, YES), (YES, NO)):
            after = by_answer.get(answer, [])
            else_ = by_answer.get(other, after)
            alone = len(after) >= FEW and len(set(after)) == 1 and else_.count(after[0]) < FEW
            if alone and set(else_) - set(after):
                found[predicate] = (answer, after[0])
    return found


def count_sources(labels: Iterable[PictureLabel]) -> dict[LabelSource, int]:
    """Return how many labels are from each source."""
    counts = dict.fromkeys(LabelSource, 0)
    for label in labels:
        counts[label.source] += 1
    return counts


_ANSWERS: Mapping[Verdict, int] = {Verdict.NO: NO, Verdict.YES: YES, Verdict.UNKNOWN: UNSEEN}
_COLUMNS = (str, str, str, str, Verdict, str, str, str)
_STEPS = {topic.value for topic in QueryTopic if topic is not QueryTopic.FACT}

_AFTER = """coalesce((select s.body ->> '$.step.name' from record s where s.episode = r.episode
    and s.kind = 'StepFinished' and s.number < r.number order by s.number desc limit 1), '')"""
_READ = """
select e.nr, e.domain, ifnull(e.settings ->> '$.robot', ''), e.id, r.body ->> '$.frame' as picture,
    json_extract(r.body, '$.call.answers[' || w.place || '].atom'),
    iif(w.as_what = 'truth' and not a.seen, 'unknown', w.verdict),
    case when w.as_what = 'truth' then 'simulator''s truth' when w.as_what = 'operator' then 'override'
        when w.blind then 'blind review' else 'review' end, w.judge, {after}, r.id
from opinions w
join answer a on a.record = w.record and a.place = w.place
join record r on r.id = w.record
join shown e on e.nr = r.episode
where exists (select 1 from picture where id = r.body ->> '$.frame')
union all
select e.nr, e.domain, ifnull(e.settings ->> '$.robot', ''), e.id, r.frame, r.atom, r.verdict,
    'override', r.by, {after}, r.id
from corrections r
join shown e on e.nr = r.episode
where exists (select 1 from picture where id = r.frame)
union all
select e.nr, e.domain, ifnull(e.settings ->> '$.robot', ''), e.id, r.picture,
    json_extract(r.body, '$.review[' || l.place || '].atom'), l.verdict,
    iif(l.blind, 'blind review', 'review'), l.by, {after}, r.id
from label l
join record r on r.id = l.record and r.kind = 'FrameCaptured'
join shown e on e.nr = r.episode
where l.id = (select max(id) from label where record = l.record and place = l.place and by = l.by)
    and exists (select 1 from picture where id = r.picture)
union all
select e.nr, e.domain, ifnull(e.settings ->> '$.robot', ''), e.id, r.body ->> '$.frame', f.value -> '$.atom',
    iif(not f.value ->> '$.is_observable', 'unknown', iif(f.value ->> '$.holds', 'yes', 'no')),
    'simulator''s truth', 'simulator', {after}, r.id
from record r
join shown e on e.nr = r.episode
join json_each(r.body, '$.unasked') f
where r.kind = 'GroundTruthRecorded' and exists (select 1 from picture where id = r.body ->> '$.frame')
order by 11
""".replace("{after}", _AFTER)
