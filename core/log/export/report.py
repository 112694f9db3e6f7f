"""An episode as one HTML file to read or print: no script, no link, embedded pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from markupsafe import Markup

from core import events as ev
from core.belief import Verdict
from core.domains import DomainSpec
from core.log.export.report_parts import SIGNS, DomainHtml
from core.log.export.sections import sections
from core.log.export.timeline import timeline
from core.log.rerun_settings import domain_spec_of
from core.log.store import EpisodeSummary, Store
from core.state.causes import result_words
from core.state.state_reducer import fold_records
from core.text.html_page import macros, page
from core.text.vocabulary import in_words


def export(store: Store, episode: str, to: Path) -> None:
    """Write the report. Raises UnknownName, LogError, OSError."""
    to.write_text(report(store, episode), encoding="utf-8", errors="replace")


def report(store: Store, episode: str) -> str:
    """Return the whole page. Raises UnknownName, LogError."""
    summary = store.summary(episode)
    records = list(store.records(summary.episode))
    html = DomainHtml(_folder(summary, records))
    state = fold_records(records)
    marks = [replace(mark, label=in_words(html.domain_spec, mark.label)) for mark in state.marks]
    return page(
        "log/export/report.html",
        f"{summary.task} · {summary.episode}",
        task=summary.task,
        episode=summary.episode,
        domain=summary.domain,
        result=result_words(summary.result, summary.true_goal),
        reason=html.text(summary.reason or ""),
        began=f"{datetime.fromtimestamp(summary.began, UTC):%Y-%m-%d %H:%M:%S}",
        tiles=list(_tiles(summary)),
        fork=_fork(records),
        timeline=timeline(marks, state.now),
        sections=list(sections(store, html, records)),
    )


def _folder(summary: EpisodeSummary, records: Sequence[ev.Record]) -> DomainSpec:
    """Return the domain folder for its words; what a log names outside the program is not opened."""
    first = records[0].event if records else None
    return domain_spec_of(
        first if isinstance(first, ev.EpisodeStarted) else ev.EpisodeStarted(summary.task, "", (), (), ())
    )


def _tiles(summary: EpisodeSummary) -> Iterator[tuple[str, object]]:
    tiles = {
        "goal believed": _goal_sign(summary.believed_goal),
        "goal true": _goal_sign(summary.true_goal),
        "steps": summary.steps,
        "re-plans": summary.replans,
        "questions": summary.questions,
        "calls": summary.calls,
        "overrides": summary.overrides,
        "stops": summary.stops,
        "seconds": None if summary.seconds is None else f"{summary.seconds:.1f}",
        "cost": "not known" if summary.cost is None else f"${summary.cost:.4f}",
    }
    for name, value in tiles.items():
        yield name.removesuffix("s") if value == 1 else name, "–" if value is None else value


def _fork(records: Sequence[ev.Record]) -> Markup:
    """Return what an episode was forked from, and what was changed in it."""
    started = records[0].event if records else None
    settings = started.settings if isinstance(started, ev.EpisodeStarted) else {}
    if not (parent := settings.get("parent")):
        return Markup()
    what = settings.get("purpose") or settings.get("changed") or "with the same belief"
    drawn: Markup = macros("log/export/events.html").fork(parent, settings.get("moment", "?"), what)
    return drawn


def _goal_sign(value: bool | None) -> str:
    return "not known" if value is None else SIGNS[Verdict.from_bool(value)]
