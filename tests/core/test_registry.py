"""One typed entry for each part: options with ranges, and other people's parts from a folder."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Literal

import pytest
from pydantic import Field

from core import plugins
from core.errors import BadFile, BadValue, UnknownName
from core.parameters import Parameter, ParameterType, format_value, parameters_of
from core.plugins import PLUGINS_VARIABLE
from core.registry import Entry, Options, Registry, late, requires_package

PLUGIN = """
from core.registry import Entry, Options
class Loud(Options):
    volume: int = 3
ENTRIES = {"robots": [Entry("parrot", "Parrot", "It repeats.", lambda options, **_: options.volume, Loud)]}
"""


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Own(Options):
    quick: bool = False
    speed: float = Field(0.5, ge=0, le=1, title="Top speed", description="Of the way that is left.")
    tries: int | None = Field(None, ge=1)
    colour: Colour = Colour.BLUE
    side: Literal["left", "right"] = "left"
    where: str = ""
    ask: tuple[str, ...] = ()


ENTRY = Entry("one", "One", "The first.", lambda options: options, Own)
TABLE: Registry[object] = Registry("robot", (ENTRY,))


def test_that_text_from_the_command_line_becomes_typed_options() -> None:
    options = ENTRY.read_options({"quick": "yes", "speed": "0.25", "tries": "4", "colour": "red"})
    assert options == Own(quick=True, speed=0.25, tries=4, colour=Colour.RED)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"speed": "2"}, "One: the option speed must be at most 1, not '2'."),
        ({"spede": "1"}, "One has no option 'spede'"),
        ({"side": "up"}, "'left' or 'right'"),
        ({"tries": "many"}, "tries must be a whole number, not 'many'"),
    ],
)
def test_that_a_wrong_option_is_refused_in_one_sentence(values: dict[str, str], said: str) -> None:
    with pytest.raises(BadValue) as told:
        ENTRY.read_options(values)
    assert said in str(told.value) and "\n" not in str(told.value)


def test_that_each_option_is_told_with_its_range_default_and_help() -> None:
    told = {p.name: p for p in parameters_of(Own)}
    assert told["speed"] == Parameter(
        "speed", "Top speed", "Of the way that is left.", ParameterType.NUMBER, "0.5", 0, 1
    )
    assert [p.kind for p in told.values()] == [
        *(
            ParameterType.BOOLEAN,
            ParameterType.NUMBER,
            ParameterType.INTEGER,
            ParameterType.CHOICE,
            ParameterType.CHOICE,
            ParameterType.TEXT,
            ParameterType.LIST,
        )
    ]
    assert told["speed"].allowed_values == "0 to 1" and told["tries"].allowed_values == "1 or more"
    assert told["colour"].allowed_values == "red, blue" and told["colour"].default == "blue"
    assert told["where"].title == "Where"


def test_that_words_are_parted_by_commas() -> None:
    assert ENTRY.read_options({"ask": "on, clear,"}) == Own(ask=("on", "clear"))
    assert ENTRY.read_options({"ask": ""}) == ENTRY.read_options({"ask": ()}) == Own()
    assert format_value(("on", "clear")) == "on, clear"


@pytest.mark.parametrize("value", [True, 3, 0.25, Colour.RED, "here", None])
def test_that_a_written_value_is_read_as_the_same(value: object) -> None:
    name = {bool: "quick", int: "tries", float: "speed", Colour: "colour", str: "where"}.get(type(value), "")
    if name:
        assert getattr(ENTRY.read_options({name: format_value(value)}), name) == value
    else:
        assert format_value(value) == ""


def test_that_an_unknown_name_says_what_is_meant() -> None:
    with pytest.raises(UnknownName, match="did you mean one"):
        TABLE["onee"]


def test_that_a_package_that_is_not_there_is_told_with_the_command_that_mends_it() -> None:
    assert requires_package("json", "video")() is None
    missing = requires_package("no_such_package", "video")()
    assert missing is not None and "[video]" in missing.remedy


# --- other people's --------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(PLUGINS_VARIABLE, os.pathsep.join(["", str(tmp_path)]))
    return tmp_path


def test_that_an_entry_of_a_file_in_a_named_folder_stands_beside_ours(folder: Path) -> None:
    (folder / "parrot.py").write_text(PLUGIN)
    assert TABLE.names() == ("one", "parrot")
    parrot = TABLE["parrot"]
    assert parrot.make(options=parrot.read_options({"volume": "5"})) == 5
    assert Registry("method", ()).names() == (), "another kind's table has none of it"


def test_that_a_file_is_run_once(folder: Path) -> None:
    (folder / "parrot.py").write_text(PLUGIN)
    assert TABLE["parrot"].options is TABLE["parrot"].options


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ENTRIES = {'robots': [1]}", "an entry 1 where a core.registry.Entry is needed"),
        ("ENTRIES = []", "no table"),
        ("import no_such_package", "ModuleNotFoundError"),
        (PLUGIN.replace('"parrot"', '"one"'), "there is one already"),
    ],
)
def test_that_a_plug_in_that_cannot_be_used_is_named_with_its_file(
    folder: Path, text: str, said: str
) -> None:
    (folder / "mine.py").write_text(text)
    with pytest.raises(BadFile, match=said) as told:
        TABLE.names()
    assert "mine.py" in str(told.value)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package beside ours, whose `y3.py` a test writes."""
    about = tmp_path / "y3_parts-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: y3-parts\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[dkprompt.robots]\nmine = y3:ENTRY\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    for cached in (plugins._all_installed, plugins._installed):
        cached.cache_clear()
    yield tmp_path / "y3.py"
    sys.modules.pop("y3", None)
    for cached in (plugins._all_installed, plugins._installed):
        cached.cache_clear()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "ENTRY = 1",
            "y3-parts, y3:ENTRY: gives an entry 1 where a core.registry.Entry is needed",
        ),
        ("1 / 0", "ZeroDivisionError"),
        (
            "from core.registry import Entry\nENTRY = Entry('one', 'One', '', lambda **_: 1)",
            "there is one already",
        ),
    ],
)
def test_that_a_broken_package_takes_away_nothing_but_itself(
    installed: Path, text: str, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    installed.write_text(text)
    assert TABLE.names() == ("one",)
    assert said in str(TABLE.faults()["y3-parts"])
    assert caplog.text.count("uninstall y3-parts") == 1
    TABLE.names()
    assert caplog.text.count("uninstall y3-parts") == 1


def test_that_a_folder_that_is_not_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PLUGINS_VARIABLE, str(tmp_path / "nowhere"))
    with pytest.raises(BadFile, match="no folder of plug-ins"):
        TABLE.names()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        ("lambda options, **_: {}['seed']", ", line 2: 'parrot' cannot be made (KeyError: 'seed'). Mend"),
        ("lambda options: 1", ": 'parrot' cannot be made (TypeError: <lambda>() got an unexpected keyword"),
    ],
)
def test_that_a_plug_in_that_cannot_be_made_is_told_in_one_sentence_with_its_line(
    folder: Path, make: str, said: str
) -> None:
    (folder / "mine.py").write_text(
        f"from core.registry import Entry\nENTRIES = {{'robots': [Entry('parrot', 'P', '', {make})]}}\n"
    )
    with pytest.raises(BadFile) as told:
        TABLE["parrot"].build(options=Options(), seed=1)
    assert f"mine.py{said}" in str(told.value) and "\n" not in str(told.value)


def test_that_a_plug_ins_own_refusal_and_a_fault_of_ours_pass_unchanged(folder: Path) -> None:
    (folder / "mine.py").write_text(
        "from core.errors import BadValue\nfrom core.registry import Entry\n"
        "def make(**_): raise BadValue('Not so.')\nENTRIES = {'robots': [Entry('parrot', 'P', '', make)]}\n"
    )
    with pytest.raises(BadValue, match=r"^Not so\.$"):
        TABLE["parrot"].build()
    with pytest.raises(TypeError):
        ENTRY.build(seed=1)


def test_that_what_is_imported_late_can_be_sent_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(late("core.errors:BadValue")))("No.").args == ("No.",)
