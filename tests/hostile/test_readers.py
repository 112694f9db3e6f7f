"""Whoever reads bytes past core/data_file.py is in the table of SECURITY.md, with its check."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
READS = re.compile(
    r"\.read_(?:text|bytes)\(|json\.loads?\(|np\.load\(|\bimread\(|imdecode\(|readNet\w*\(|sqlite3\.connect\("
    r"|(?:tomllib|pickle)\.loads\(|frombuffer\(|validate_json\(|VideoCapture\(|\.recv(?:from)?\(|ZipFile\("
    r"|(?<!def )(?<![\w.`])open\(|\.open\(\"rb|os\.(?:open|read)\(|\.unpack(?:_from)?\(|stdin\.read"
)


def test_that_every_reader_of_bytes_has_its_place_in_the_table() -> None:
    table = (ROOT / "SECURITY.md").read_text().partition("## Who reads")[2].partition("## Keys")[0]
    named = set(re.findall(r"`((?:core|app|robots|training)/[\w/.]*)`", table))
    readers = {
        str(path.relative_to(ROOT))
        for top in ("core", "app", "robots", "training")
        for path in (ROOT / top).rglob("*.py")
        if READS.search(path.read_text())
    }
    unnamed = {r for r in readers if not any(r == n or (n.endswith("/") and r.startswith(n)) for n in named)}
    assert not unnamed
    assert all((ROOT / name).exists() for name in named)
