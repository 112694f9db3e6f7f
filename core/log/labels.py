"""Correct answers afterwards, and derive a model's error rates per predicate from it."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, fields

from core.belief import Verdict
from core.data_file import toml_text
from core.errors import BadValue, UnknownName
from core.log.store import Store
from core.text.plural import plural
from core.vqa.answerers.profiles import Profile, Rates
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

    A rate of k in n answers is (k + 1) / (n + 2), so that a few answers do not make a model infallible. Only
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
        skip=_share(everything.skipped, answers),
        skip_unseen=0.5,
        persistence=0.67,
        default=_rates(everything),
        predicates={judged.predicate: _rates(judged) for judged in found},
    )
    return toml_text(asdict(made), NOT_MEASURED)


NOT_MEASURED = """Not measured: skip_unseen, as the log does not know what the picture does not show;
persistence, which is GPT-4.1's."""


def _rates(counts: AnswerCounts) -> Rates:
    yes_if_true = _share(counts.yes_if_true, counts.true)
    yes_if_false = _share(counts.yes_if_false, counts.false)
    return Rates(yes_if_true, yes_if_false, "measured", f"of {counts.true} true and {counts.false} false")


def _share(part: int, whole: int) -> float:
    return round((part + 1) / (whole + 2), 3)


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
