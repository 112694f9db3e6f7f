"""Teach an eye in a process of its own, at a lower priority: it multiplies matrices for seconds."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from app.runtime.background_process import Report, run_in_process, serve
from core.cancel import Cancel
from core.errors import BadValue, ConsoleError
from core.vqa.eye.eye_file import PredicateFigures

Counts = Mapping[str, Sequence[int]]


@dataclass(frozen=True)
class TeachingJob:
    """What an eye is to be taught with: which labels of which episodes (none: all) of a log."""

    log: str
    eye: str  # the folder of the version to begin with
    sources: tuple[str, ...]  # LabelSource.value
    episodes: tuple[str, ...]


@dataclass(frozen=True)
class TeachingResult:
    """What came of it: the files of the new version wait in `folder` until they are kept."""

    folder: Path
    version: str
    learnt: Counts
    left_out: Mapping[str, int]
    before: Mapping[str, PredicateFigures]
    after: Mapping[str, PredicateFigures]


def teach_in_process(job: TeachingJob, cancel: Cancel, report: Report) -> TeachingResult:
    """Teach an eye. Raises ConsoleError, Cancelled."""
    reply, code = run_in_process("app.review.teach.teach_process", asdict(job), cancel, report)
    if not reply:
        raise BadValue(f"The teaching broke off ({code}): teach with fewer episodes, or free memory.")
    said = json.loads(reply)
    if "error" in said:
        raise BadValue(said["error"])
    return parse_teaching_result(said)


def parse_teaching_result(said: Mapping[str, Any]) -> TeachingResult:
    """Read what the other side returned."""
    figures = [{name: PredicateFigures(**f) for name, f in said[k].items()} for k in ("before", "after")]
    return TeachingResult(Path(said["folder"]), said["version"], said["learnt"], said["left_out"], *figures)


# --- the side that teaches -------------------------------------------------------------------------------


def _teach(asked: Mapping[str, Any], report: Report) -> Mapping[str, object]:
    from core.log.store import Store
    from core.vqa.eye.eye import Eye
    from core.vqa.eye.teaching import versions
    from core.vqa.eye.teaching.labels import LabelSource, choose, read_labels
    from core.vqa.eye.teaching.teach import teach

    base = Path(asked["eye"])
    try:
        with Store.open(asked["log"], read_only=True) as store:
            labels = choose(read_labels(store, asked["episodes"]), [LabelSource(s) for s in asked["sources"]])
            taught = teach(Eye(base), labels, store.picture, Cancel(), report)
        return {
            "folder": str(versions.stage_version(taught.eye, base / "trunk.onnx")),
            "version": taught.eye.card.version,
            "learnt": dict(taught.learnt),
            "left_out": dict(taught.left_out),
            "before": {name: asdict(f) for name, f in taught.before.items()},
            "after": {name: asdict(f) for name, f in taught.after.items()},
        }
    except ConsoleError as error:
        return {"error": str(error)}


if __name__ == "__main__":
    serve(_teach)
