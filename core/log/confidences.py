"""Raw confidences of answers that people judged, to fit calibrations on."""

from __future__ import annotations

from core.errors import UnknownName
from core.log.database import as_log_error
from core.log.integrity import validation
from core.log.store import Store
from core.vqa.calibration import JudgedConfidence


def judged_confidences(store: Store, model: str) -> tuple[JudgedConfidence, ...]:
    """Return this model's yes/no answers with log-probabilities that a person judged yes or no.

    Raises LogError, and UnknownName for a model that has none.
    """
    with as_log_error(store.path):
        rows = store.db.execute(
            f"select predicate, raw, model_verdict = verdict {_FROM} and model = ? "
            "order by episode, number, place",
            (model,),
        ).fetchall()
        if not rows:
            known = store.db.execute(f"select distinct model {_FROM}").fetchall()
            raise UnknownName("model with judged log-probabilities", model, [str(name) for (name,) in known])
    return tuple(JudgedConfidence(*validation.parse_columns((str, float, bool), row)) for row in rows)


_FROM = """from (
    select j.*, json_extract(r.body, '$.call.confidences[' || j.place || ']') as raw
    from judged j join episode e on e.id = j.episode
    join record r on r.episode = e.nr and r.number = j.number
) where raw is not null and verdict <> 'unknown' and model_verdict <> 'unknown'"""
