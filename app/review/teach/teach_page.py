"""The pages of the dialog that teaches an eye, as HTML. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from app.review.teach.teach_process import TeachingResult
from core.text.untrusted_text import one_line
from core.vqa.eye.teaching.teach import HEADS, WORDS


def labels_page(counts: Mapping[str, Sequence[int]]) -> str:
    """Return how many labels of each answer there are, per predicate."""
    if not counts:
        return (
            "<p>There is no label of these kinds. Judge pictures in a blind review (B, or Q for all in the "
            "list), or overrule answers while an episode runs.</p>"
        )
    rows = [[_word(name), *map(str, said), str(sum(said))] for name, said in counts.items()]
    whole = [sum(said[n] for said in counts.values()) for n in range(3)]
    rows.append(["<b>all</b>", *map(str, whole), f"<b>{sum(whole)}</b>"])
    return "<p>What the eye can learn from:</p>" + _table(("predicate", *WORDS, "labels"), rows)


def taught_page(taught: TeachingResult) -> str:
    """Return the figures on labels that were kept back, before and after."""
    rows = [[_word(cell) for cell in row] for row in taught.rows]
    rows[-1:] = [[f"<b>{cell}</b>" for cell in row] for row in rows[-1:]]
    said = "".join(f"<p>{escape(one_line(warning))}</p>" for warning in taught.warnings)
    return (
        f"<p>Version {_word(taught.version)}, asked about episodes that it did not learn from:</p>"
        f"{_table(HEADS, rows)}{said}<p>It is used only if you keep it, from the next episode on.</p>"
    )


_NAME, _NUMBER = 'width="22%"', 'align="right"'


def _word(words: str) -> str:
    return escape(one_line(words, 60))


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = (
        "".join(f"<td {_NUMBER if n else _NAME}>{cell}</td>" for n, cell in enumerate(line))
        for line in (heads, *rows)
    )
    return f'<table width="100%" cellpadding="1"><tr>{"</tr><tr>".join(lines)}</tr></table>'
