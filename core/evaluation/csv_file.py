"""The rows as CSV, for a spreadsheet."""

from __future__ import annotations

import csv
import io

from core.evaluation.table import Results


def as_csv(results: Results) -> str:
    """A head, and a line a row; the columns are the JSON file's."""
    rows = results.as_json()
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
