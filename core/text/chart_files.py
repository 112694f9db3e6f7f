"""The charts of a page as files for papers: an SVG each, light, with its typeface and its axis named."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from html import unescape
from importlib import resources
from pathlib import Path

from markupsafe import escape

from core.data_file import write_text
from core.install_paths import resource_path

CHART = re.compile(
    r'<svg class="chart" viewBox="0 0 (\d+) (\d+)" role="img" aria-label="([^"]*)">(.*?)</svg>', re.DOTALL
)
RULE = re.compile(r"[.](?:chart|s\d)\b[^{}]*{[^}]*}")  # of the page's style, for charts
HEAD = 22  # px above a chart, for the name of its upright axis


def write_charts(page: str, report: Path) -> None:
    """Write the charts of a report's page into a folder beside it, such as trials-figures. Raises BadFile."""
    folder = report.with_name(f"{report.stem}-figures")
    for name, svg in chart_files(page):
        folder.mkdir(exist_ok=True)
        write_text(folder / name, svg)


def chart_files(page: str) -> Iterator[tuple[str, str]]:
    """Return for each chart of a page the name of its file and its SVG."""
    style = _style()
    for number, (wide, high, label, drawn) in enumerate(CHART.findall(page), 1):
        slug = re.sub(r"[^a-z0-9]+", "-", unescape(label).lower()).strip("-")[:60]
        tall = int(high) + HEAD
        size = f'width="{wide}" height="{tall}" viewBox="0 {-HEAD} {wide} {tall}"'
        root = f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" {size}><style>{style}</style>'
        head = f'<text x="0" y="-6">{escape(unescape(label))}, %</text>'
        yield f"{number:02}-{slug}.svg", f"{root}{head}{drawn}</svg>\n"


def _style() -> str:
    """Return the page's rules for charts in its light colours, without what only browsers know."""
    page = resources.files(__package__).joinpath("html_page.css").read_text("utf-8")
    light = dict(re.findall(r"--(\w+): (#\w+)", page.partition("}")[0]))
    rules = re.sub(r"light-dark\((#\w+), #\w+\)", r"\1", " ".join(RULE.findall(page)))
    rules = re.sub(r"var\(--(\w+)\)", lambda found: light[found[1]], rules)
    font = base64.b64encode((resource_path("resources", "fonts") / "Inter-Regular.otf").read_bytes()).decode()
    face = f"@font-face {{ font-family: Inter; src: url(data:font/otf;base64,{font}); }}"
    return f"{face} svg {{ font-family: Inter, sans-serif; background: #fff; }} {rules}"
