"""The rows as CSV, for a spreadsheet."""

from __future__ import annotations

import csv
import io

from core.evaluation.table import Results


def as_csv(results: Results) -> str:
    """Return a header and one line per row; the columns are those of the JSON file."""
    rows = results.as_json()
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
