"""Teach an eye in a process of its own, at a lower priority: it multiplies matrices for seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.runtime.background_process import Report, run_in_process
from core.stop_token import StopToken


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
    rows: Sequence[Sequence[str]]  # `figure_rows`
    warnings: Sequence[str] = ()


def teach_in_process(job: TeachingJob, cancel: StopToken, report: Report) -> TeachingResult:
    """Teach an eye. Raises ConsoleError, Cancelled."""
    work = "app.review.teach.teach_process:_teach"
    taught: TeachingResult = run_in_process(work, job, "teaching", cancel, report)
    return taught


# --- the side that teaches -------------------------------------------------------------------------------


def _teach(job: TeachingJob, report: Report) -> TeachingResult:
    from core.log.store import Store
    from core.vqa.eye.eye import Eye
    from core.vqa.eye.teaching import versions
    from core.vqa.eye.teaching.labels import LabelSource, choose, read_labels
    from core.vqa.eye.teaching.teach import figure_rows, teach, warnings

    base = Path(job.eye)
    with Store.open(job.log, read_only=True) as store:
        labels = choose(read_labels(store, job.episodes), [LabelSource(s) for s in job.sources])
        taught = teach(Eye(base), labels, store.picture, StopToken(), report)
    folder = versions.stage_version(taught.eye, base / "trunk.onnx")
    return TeachingResult(folder, taught.eye.card.version, list(figure_rows(taught)), warnings(taught))
