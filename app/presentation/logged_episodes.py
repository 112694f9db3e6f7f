"""Logged episodes, groups of them and their figures in words. Pure."""

from __future__ import annotations

from core.log.store import EpisodeSummary
from core.review.groups import SHARES, EpisodeGroup, Figure
from core.text.untrusted_text import one_line


def fork_text(s: EpisodeSummary) -> str:
    """Return what an episode was forked from, "" for one that was not."""
    return f"Fork of {s.parent}" if s.parent else ""


def group_name(group: EpisodeGroup) -> str:
    return one_line(" · ".join(value or "none" for value in group.values), 80) or "all together"


def figure_text(name: str, figure: Figure) -> tuple[str, str]:
    """Return a figure and its interval, such as ("33 %", "10 to 70") or ("7.5", "6.1 to 8.9")."""
    if figure.value is None:
        return "–", ""
    scale, unit = (100.0, " %") if name in SHARES else (1.0, "")
    digits = 0 if unit else 1 if name != "cost" else 3
    value = f"{scale * figure.value:.{digits}f}{unit}"
    if figure.low is None or figure.high is None:
        return value, "one episode"
    return value, f"{scale * figure.low:.{digits}f} to {scale * figure.high:.{digits}f}"
