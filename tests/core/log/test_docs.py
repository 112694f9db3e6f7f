"""What docs/log.md tells people to type does what it says."""

import re
from pathlib import Path

import pytest

from core.belief import Verdict
from core.events import AnswersReceived
from core.log.annotations import EpisodeAnnotations
from core.log.labels import add_label
from core.log.recorder import Recorder
from core.log.store import Store
from core.log.video import segments
from tests.core.log import made

PAGE = (Path(__file__).parents[3] / "docs" / "log.md").read_text()


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("log") / "episodes.db"
    with Recorder.open(path) as recorder:
        given = list(recorder.record_events(made.episode(4, True, "ada", truth=True)))
    with Store.open(path) as store, EpisodeAnnotations(store) as annotations:
        annotations.tag(given[0].episode, "paper")
        number = next(r.number for r in given if isinstance(r.event, AnswersReceived))
        segments.insert(
            store.db, store.nr(given[0].episode), segments.Segment("top", 1.0, 2.0, "0" * 64, 9, 0)
        )
        add_label(store, given[0].episode, number, 0, Verdict.NO, "bob", blind=True)
    return path


@pytest.mark.parametrize("sql", re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL))
def test_that_every_query_of_the_page_finds_something(path: Path, sql: str) -> None:
    with Store.open(path, read_only=True) as store:
        assert store.db.execute(sql).fetchall()


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
def test_that_the_python_of_the_page_runs(
    path: Path, code: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(path.parent)
    exec(code, {})
    assert capsys.readouterr().out.endswith(" 4 2\n" if "print" in code else "")


def test_that_the_page_names_every_table_and_view(path: Path) -> None:
    with Store.open(path, read_only=True) as store:
        rows = store.db.execute("select type, name from sqlite_master where type in ('table', 'view')")
        shown = {name for _, name in rows if not name.startswith(("_", "sqlite_", "word_"))}
    assert {name for name in shown if not re.search(rf"\*\*{name}\*\*|`{name}`", PAGE)} == set()
