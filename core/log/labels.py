"""Correct answers afterwards, and derive a model's error rates per predicate from it."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, fields

from core.belief import Verdict
from core.data_file import toml_text
from core.errors import BadValue, UnknownName
from core.intervals import wilson_interval
from core.log.store import Store
from core.text.plural import plural
from core.vqa.answerers.profiles import UNSTATED, Profile, Rates
from core.vqa.calibration import JudgedConfidence


@dataclass(frozen=True)
class AnswerLabel:
    """A reviewer's verdict on answer `place` (from 0) of the AnswersReceived record `number`, or on question
    `place` that the FrameCaptured record `number` has for a review.
    """

    number: int
    place: int
    verdict: Verdict  # of the atom
    by: str
    blind: bool  # given before seeing what model and operator said
    wall: float  # Unix time


def add_label(
    store: Store, episode: str, number: int, place: int, verdict: Verdict, by: str, blind: bool = False
) -> None:
    """Add a label; the latest one counts, whoever gave it. Raises UnknownName, BadValue, LogError."""
    row = store.execute(
        "select id, json_array_length(body, iif(kind = 'FrameCaptured', '$.review', '$.call.answers')) "
        "from record where episode = ? and number = ? and kind in ('AnswersReceived', 'FrameCaptured')",
        (store.nr(episode), number),
    ).fetchone()
    if not row or not 0 <= place < (row[1] or 0):
        raise BadValue(f"Record {number} of episode {episode} has no answer {place}: choose another one.")
    store.execute(
        "insert into label(record, place, verdict, by, blind, wall) values (?, ?, ?, ?, ?, ?)",
        (row[0], place, verdict.value, by, blind, time.time()),
    )


def labels(store: Store, episode: str) -> tuple[AnswerLabel, ...]:
    """Return all labels ever given, in order."""
    return store.read(
        AnswerLabel,
        "select r.number, l.place, l.verdict, l.by, l.blind, l.wall from label l "
        "join record r on r.id = l.record where r.episode = ? order by l.id",
        (store.nr(episode),),
    )


@dataclass(frozen=True)
class AnswerCounts:
    """A model's answers about one predicate, counted by what a person said was true."""

    predicate: str
    true: int  # answers about atoms that held, UNKNOWN not counted
    yes_if_true: int
    false: int
    yes_if_false: int
    skipped: int  # UNKNOWN, whatever the truth


def answer_counts(store: Store, model: str) -> tuple[AnswerCounts, ...]:
    """Return the counts per predicate, sorted. Raises LogError, UnknownName for a model never judged."""
    found = store.read(
        AnswerCounts,
        "select predicate, sum(verdict = 'yes' and known), sum(verdict = 'yes' and said), "
        "sum(verdict = 'no' and known), sum(verdict = 'no' and said), sum(not known) from "
        "(select *, model_verdict <> 'unknown' as known, model_verdict = 'yes' as said from judged) "
        "where model = ? and verdict <> 'unknown' group by predicate order by predicate",
        (model,),
    )
    if not found:
        models = store.execute("select distinct model from judged")
        raise UnknownName("model with judged answers", model, [str(name) for (name,) in models])
    return found


def profile_toml(store: Store, model: str, name: str) -> str:
    """Return the rates as a profile for the simulated answerer (TOML, as in `resources/profiles`).

    A rate counts as measured from `OF_EACH` answers of its kind of truth on, and the whole from `JUDGED` on.
    Of fewer it is drawn to that of all predicates, and this one to the assumed rate of any model. Only
    answers that a person looked at count: where people review only suspicious ones, a model looks worse than
    it is. Raises UnknownName, LogError.
    """
    found = answer_counts(store, model)
    everything = AnswerCounts("", *(sum(getattr(j, f.name) for j in found) for f in fields(AnswerCounts)[1:]))
    answers = everything.true + everything.false + everything.skipped
    made = Profile(
        name=name,
        about=f"{model}, as judged by people in the episode log",
        source=f"{plural(answers, 'answer')} judged by a person; no others are counted",
        skip=round((everything.skipped + 1) / (answers + 2), 3),
        skip_unseen=0.5,
        persistence=0.67,
        default=(whole := _rates(everything, UNSTATED, JUDGED)),
        predicates={c.predicate: _rates(c, (whole.yes_if_true, whole.yes_if_false)) for c in found},
    )
    return toml_text(asdict(made), NOT_MEASURED)


NOT_MEASURED = """Not measured: skip_unseen, as the log does not know what the picture does not show;
persistence, which is GPT-4.1's."""


JUDGED, OF_EACH = 30, 10  # answers that measure a model, and of those, about what is so and what is not


def _rates(counts: AnswerCounts, prior: tuple[float, float], least: int = 0) -> Rates:
    true, false = counts.true, counts.false
    enough = min(true, false) >= OF_EACH and true + false >= least
    yes_if_true = _share(counts.yes_if_true, true, prior[0])
    yes_if_false = _share(counts.yes_if_false, false, prior[1])
    ends = (wilson_interval(counts.yes_if_true, true), wilson_interval(counts.yes_if_false, false))
    a, b = (f"{100 * low:.0f} to {100 * high:.0f} % affirmed" for low, high in ends)
    note = f"of {true} true ({a}) and {false} false ({b})"
    return Rates(yes_if_true, yes_if_false, "measured" if enough else "few", note)


def _share(part: int, whole: int, prior: float) -> float:
    """Return the rate of `part` in `whole`: as if at least `OF_EACH` answers, and two more, told it."""
    more = max(2, OF_EACH + 2 - whole)
    return round((part + more * prior) / (whole + more), 3)


def judged_confidences(store: Store, model: str) -> tuple[JudgedConfidence, ...]:
    """Return this model's yes/no answers with log-probabilities that a person judged yes or no.

    Raises LogError, and UnknownName for a model that has none.
    """
    found = store.read(
        JudgedConfidence,
        f"select predicate, raw, model_verdict = verdict {_FROM} and model = ? "
        "order by episode, number, place",
        (model,),
    )
    if not found:
        known = store.execute(f"select distinct model {_FROM}")
        raise UnknownName("model with judged log-probabilities", model, [str(name) for (name,) in known])
    return found


_FROM = """from (
    select j.*, json_extract(r.body, '$.call.confidences[' || j.place || ']') as raw
    from judged j join episode e on e.id = j.episode
    join record r on r.episode = e.nr and r.number = j.number
) where raw is not null and verdict <> 'unknown' and model_verdict <> 'unknown'"""
