"""An episode as one HTML file to read or print: no script, no link, embedded pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup

from core import events as ev
from core.belief import Verdict
from core.domains import DomainSpec
from core.episode_state import TimelineMark, TimelineTrack
from core.log.export.report_parts import SIGNS, DomainHtml
from core.log.export.sections import sections
from core.log.rerun_settings import domain_spec_of
from core.log.store import EpisodeSummary, Store
from core.state.causes import result_words
from core.state.state_reducer import fold_records
from core.text.html_page import macros, page
from core.text.vocabulary import in_words


def export(store: Store, episode: str, to: Path) -> int:
    """Write the report; return of how many records. Raises UnknownName, LogError, OSError."""
    to.write_text(report(store, episode), encoding="utf-8", errors="replace")
    return sum(1 for _ in store.records(episode))


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
        robot=summary.robot,
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


WIDTH, ROW, LEFT = 960, 26, 76
# Shape and colour both encode the kind: (shape, CSS class). The default is a plain tick.
MARK_STYLES = {
    "done": ("bar", "yes"),
    "failed": ("cross", "no"),
    "halted": ("cross", "no"),
    "yes": ("dot", "yes"),
    "no": ("cross", "no"),
    "unknown": ("ring", "unknown"),
    "contradiction": ("diamond", "unknown"),
    "plan": ("diamond", "you"),
    "no plan": ("cross", "no"),
    "override": ("diamond", "you"),
    "stop": ("cross", "no"),
    "bookmark": ("diamond", "unknown"),
}


class _Mark(NamedTuple):
    """What the template draws, in the units of the picture."""

    title: str
    shape: str
    colour: str
    x: float
    y: float
    long: float


def timeline(marks: Sequence[TimelineMark], seconds: float) -> Markup:
    """Return the SVG of an episode that took `seconds`."""
    rows = {track: ROW * i + ROW / 2 for i, track in enumerate(TimelineTrack)}
    across = WIDTH - LEFT - 12
    times = [
        (LEFT + across * i / 4, "end" if i == 4 else "middle" if i else "start", f"{seconds * i / 4:.3g} s")
        for i in range(5)
    ]
    drawn: Markup = macros("log/export/timeline.html").timeline(
        WIDTH,
        ROW * len(rows) + 22,
        LEFT,
        [(track.value, y) for track, y in rows.items()],
        [_mark(mark, across / max(seconds, 1e-6), rows[mark.track]) for mark in marks],
        times,
    )
    return drawn


def _mark(mark: TimelineMark, scale: float, y: float) -> _Mark:
    x, long = LEFT + mark.start * scale, ((mark.end or mark.start) - mark.start) * scale
    shape, colour = MARK_STYLES.get(mark.kind, ("bar" if long else "tick", "plain"))
    title = f"{mark.label or mark.kind} ({mark.kind}), {mark.start:.1f} s"
    return _Mark(title, shape, colour, round(x, 1), y, round(long, 1))
