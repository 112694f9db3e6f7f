"""Parquet of the judged questions, with the pictures that they are about. Extra: `datasets`.

`datasets`, pandas, polars and DuckDB read it; `datasets` decodes the pictures, as the schema names them so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from core.errors import BadValue, MissingPackage
from core.log.related import related
from core.log.store import Store

BATCH = 100  # rows that are in memory at a time
TEST = 0.2  # share of the rows that is kept apart at least, where there are enough episodes


@dataclass(frozen=True)
class JudgedQuestion:
    """A model's answer that a person has judged, or of which a simulator knew the truth; or a question that a
    blind review alone asked.
    """

    episode: str
    task: str
    domain: str
    turn: int
    record: int  # the number of the AnswersReceived record; of FrameCaptured where nobody asked
    asked: float  # Unix time
    picture: str  # its id
    question: str
    atom: str  # (inside mug cabinet)
    model: str  # "": nobody asked one
    model_answer: str  # yes, no, unknown
    model_reply: str
    model_confidence: float | None
    answer: str | None  # a person's: yes, no, unknown; the last reviewer's, else what the operator let stand
    by: str | None  # who said it; None with an answer: the operator let the model's stand
    judged_as: str | None  # reviewer, operator
    blind: bool | None  # a reviewer who had not seen what the model said
    judged: float | None  # Unix time of a reviewer's word
    truth: str | None  # yes, no: as the simulator knew


_READ = """
select e.id, e.task, ifnull(e.domain, ''), ifnull(r.turn, 0), r.number, r.wall, r.body ->> '$.frame',
    ifnull(q.value ->> '$.text', ''),
    (select '(' || group_concat(value, ' ') || ')' from json_each(said.value, '$.atom')), a.model, a.verdict,
    ifnull(said.value ->> '$.raw_reply', ''), a.confidence, ifnull(l.verdict, a.operator_verdict),
    ifnull(l.by, a.operator),
    iif(l.id is not null, 'reviewer', iif(a.operator_verdict is null, null, 'operator')),
    l.blind, l.wall, a.truth
from answer a
join record r on r.id = a.record
join shown e on e.nr = a.episode
join json_each(r.body, '$.call.answers') said on said.key = a.place
left join record asked on asked.episode = r.episode and asked.number = (select max(number) from record
    where kind = 'QuestionsAsked' and episode = r.episode and number < r.number)
left join json_each(asked.body, '$.queries') q on q.key = a.place
left join label l on l.id = (select max(id) from label where record = a.record and place = a.place)
where coalesce(l.verdict, a.operator_verdict, a.truth) is not null
order by a.record, a.place
"""
_UNASKED = """
select e.id, e.task, ifnull(e.domain, ''), ifnull(r.turn, 0), r.number, r.wall, r.picture,
    q.value ->> '$.text', (select '(' || group_concat(value, ' ') || ')' from json_each(q.value, '$.atom')),
    '', '', '', null, l.verdict, l.by, 'reviewer', l.blind, l.wall, null
from label l
join record r on r.id = l.record and r.kind = 'FrameCaptured'
join shown e on e.nr = r.episode
join json_each(r.body, '$.review') q on q.key = l.place
where l.id = (select max(id) from label where record = l.record and place = l.place)
order by l.record, l.place
"""


def judged_questions(store: Store, episodes: Sequence[str] = ()) -> tuple[JudgedQuestion, ...]:
    """Return the judged answers about stored pictures, of all or these episodes, then what a blind review
    asked beside them. Raises LogError.
    """
    rows = store.read(JudgedQuestion, _READ) + store.read(JudgedQuestion, _UNASKED)
    return tuple(row for row in rows if row.picture and (not episodes or row.episode in episodes))


def kept_apart(rows: Sequence[JudgedQuestion]) -> frozenset[str]:
    """Return the episodes to test with: they share no picture with the others, and are always the same."""
    groups, taken = related(rows)[1:], list[JudgedQuestion]()
    while groups and len(taken) < TEST * len(rows):
        taken += groups.pop()
    return frozenset(row.episode for row in taken)


def export(store: Store, to: Path, episodes: Sequence[str] = ()) -> int:
    """Write the judged questions; return how many. Raises MissingPackage, BadValue, LogError, OSError."""
    try:
        import pyarrow
        from pyarrow.parquet import ParquetWriter
    except ImportError:
        raise MissingPackage("Parquet", "datasets") from None
    rows = judged_questions(store, episodes)
    if not rows:
        raise BadValue(
            "Nobody has judged a question about a picture in these episodes: judge some in the review."
        )
    schema = _schema(pyarrow)
    with ParquetWriter(to, schema) as writer:
        for batch in _batches(store, rows):
            writer.write_table(pyarrow.Table.from_pylist(batch, schema=schema))
    return len(rows)


def _batches(store: Store, rows: Sequence[JudgedQuestion]) -> Iterator[list[dict[str, object]]]:
    test = kept_apart(rows)
    for first in range(0, len(rows), BATCH):
        yield [
            {
                **{name: _plain(value) for name, value in asdict(row).items()},
                "picture": {"bytes": store.picture(row.picture), "path": f"{row.picture}.png"},
                "split": "test" if row.episode in test else "train",
            }
            for row in rows[first : first + BATCH]
        ]


def _plain(value: object) -> object:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _schema(arrow: Any) -> Any:
    """Return the columns, with what `datasets` reads of them."""
    kinds = {"str": arrow.string(), "int": arrow.int64(), "float": arrow.float64(), "bool": arrow.bool_()}
    columns = {f.name: kinds[str(f.type).partition(" ")[0]] for f in fields(JudgedQuestion)}
    columns |= {"split": arrow.string()}
    features = {
        name: {"dtype": str(kind).replace("double", "float64"), "_type": "Value"}
        for name, kind in columns.items()
    }
    columns["picture"] = arrow.struct([("bytes", arrow.binary()), ("path", arrow.string())])
    features["picture"] = {"_type": "Image"}
    return arrow.schema(list(columns.items()), {"huggingface": json.dumps({"info": {"features": features}})})
