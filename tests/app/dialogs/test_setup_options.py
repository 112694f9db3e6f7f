"""Setting an episode up: robots that fit, and the options of its parts."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from pydantic import Field
from pytestqt.qtbot import QtBot

from app.dialogs.answerer.answerer_choice import HTTP
from app.dialogs.setup.option_fields import OptionFields
from core.methods.registry import METHODS
from core.plugins import PLUGINS_VARIABLE
from core.registry import Entry, Options
from core.vqa.answerers.profiles import profile_names
from core.vqa.registry import OTHER_ANSWERERS
from robots.registry import ROBOTS
from tests.app.conftest import Opened
from tests.app.dialogs.conftest import choose, pick, setup, write

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"


@pytest.mark.long
def test_that_every_component_is_offered_and_a_robot_that_does_not_fit_says_why(
    again: Opened, lamps: Path
) -> None:
    dialog = setup(again())
    robots = dialog._robot
    assert {robots.itemData(i) for i in range(robots.count())} == set(ROBOTS.names())
    methods, answerers = dialog._method, dialog.answerer._profile
    assert {methods.itemData(i) for i in range(methods.count())} == set(METHODS.names())
    offered = {answerers.itemData(i) for i in range(answerers.count())}
    print(
        "offered:", *sorted({*ROBOTS.names(), *METHODS.names(), *offered} - {"", HTTP})
    )  # for docs/parts.md: pytest -rP
    assert offered == {"", HTTP, *profile_names(), *OTHER_ANSWERERS.names()}
    assert "no predicate" in robots.itemText(robots.findData("ur5e"))


def test_that_a_chosen_robot_that_does_not_fit_cannot_be_started(again: Opened, lamps: Path) -> None:
    at = again()
    dialog = setup(at)
    dialog.tasks.add_folder(str(lamps))
    at.until(lambda: dialog._report is not None and "lit" in str(dialog._report.outline.goal))
    assert dialog.settings.robot == "symbolic"
    dialog._select_robot("kitchen")
    dialog._chosen()
    at.until(lambda: dialog._report is not None)
    assert "Kitchen simulator" in dialog._report.blocked and not dialog.start.isEnabled()


@pytest.mark.long
def test_that_a_plug_in_is_set_up_with_its_options_and_runs(
    again: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PLUGINS_VARIABLE, str(EXAMPLES / "plugins"))
    at = again(preset="Watch", openness=1.0)
    dialog = setup(at)
    dialog.tasks.add_folder(str(EXAMPLES / "grid"))
    at.until(lambda: dialog._report is not None and dialog._report.outline.tasks == ("problem",))
    choose(dialog, "grid")
    pick(dialog.answerer._profile, "grid-eye: An example: reads the grid robot's picture by its colours.")
    (slip,), (tolerance,) = (
        [field for _, field, _ in fields._fields.values()]
        for fields in (dialog._robot_options, dialog.answerer.options)
    )
    assert slip.toolTip().startswith("Probability") and (slip.low, slip.high) == (0, 1)
    write(slip, "0.5")
    write(tolerance, "30")
    wanted = {"robot.slip": "0.5", "answerer.tolerance": "30"}
    at.until(lambda: dialog._report is not None and not dialog._report.blocked)
    assert dialog.settings.options == wanted
    dialog._start()
    told = at.over().started.settings  # type: ignore[union-attr]
    assert {name: told[name] for name in wanted} == wanted and told["robot"] == "grid"
    at.do("setup")
    assert at.controller.dialog._robot_options.values == {"slip": "0.5"}  # type: ignore[union-attr]


def test_that_an_option_out_of_range_is_in_the_way_and_its_field_is_marked(again: Opened) -> None:
    at = again(answerer="perfect")
    dialog = setup(at)
    (field,) = (f for p, f, _ in dialog.answerer.options._fields.values() if p.name == "skip")
    write(field, "7")
    at.until(lambda: dialog._report is not None and dialog._report.blocked)
    assert "perfect: the option skip must be" in dialog._report.blocked and field.property("bad")
    write(field, "0.7")
    at.until(lambda: dialog._report is not None and not dialog._report.blocked)
    assert dialog.settings.options_for("answerer") == {"skip": "0.7"}


def test_that_a_robot_that_lacks_something_here_is_told_with_what_mends_it(
    again: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (EXAMPLES / "plugins" / "grid.py").read_text().replace("Path(__file__).parents[1]", "Path()")
    fits = "incompatibilities=fits,"
    lacking = f'missing=lambda: MissingRequirement("No wheels are there.", "buy some"), {fits}'
    text = text.replace(fits, lacking).replace("import Options", "import MissingRequirement, Options")
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "grid.py").write_text(text)
    monkeypatch.setenv(PLUGINS_VARIABLE, str(tmp_path / "plugins"))
    at = again()
    dialog = setup(at)
    dialog.tasks.add_folder(str(EXAMPLES / "grid"))
    at.until(lambda: dialog._report is not None and dialog._report.outline.tasks == ("problem",))
    choose(dialog, "grid")
    at.until(lambda: dialog._report is not None and dialog._report.blocked)
    assert dialog._report.blocked == "No wheels are there: buy some"


class Every(Options):
    quick: bool = True
    side: Literal["left", "right"] = "left"
    tries: int = Field(3, ge=1, le=9)
    share: float = Field(0.5, ge=0, le=1)
    where: str = ""


def test_that_each_shape_of_option_has_its_field_and_is_read_back(qtbot: QtBot) -> None:
    entry = Entry("one", "One", "", lambda **_: None, Every)
    fields = OptionFields()
    qtbot.addWidget(fields)
    fields.show_for(entry)
    assert fields.values == {} and fields.isVisibleTo(None)
    given = {"quick": "false", "side": "right", "tries": "5", "share": "0.25", "where": "here"}
    fields.show_for(None)
    fields.show_for(entry, given)
    assert fields.values == given and not fields.fault
    fields.show_for(Entry("two", "Two", "", lambda **_: None))
    assert not fields.isVisibleTo(None)
