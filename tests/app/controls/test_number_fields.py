"""Number fields under desktops of several languages, with keys."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QLocale, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.controls.layout import column
from app.controls.number_fields import NumberField, WholeField, typing_fault
from app.dialogs.setup.option_fields import NumberFields, OptionFields, RunFields
from core.config import Settings
from core.methods.registry import METHODS

KEPT: list[QWidget] = []  # the window of the test that runs
LOCALES = ["de_DE", "sv_SE", "ar_EG", "en_US"]


@pytest.fixture(params=LOCALES, autouse=True)
def language(request: pytest.FixtureRequest) -> Iterator[None]:
    before = QLocale()
    QLocale.setDefault(QLocale(request.param))
    yield
    QLocale.setDefault(before)


def shown(qtbot: QtBot, *fields: QWidget) -> QWidget:
    root = QWidget()
    KEPT[:] = [root]
    root.setLayout(column(*fields))
    qtbot.addWidget(root)
    root.show()
    root.activateWindow()
    qtbot.waitUntil(root.isActiveWindow)
    return root


def type_into(field: NumberField, words: str, end: Qt.Key = Qt.Key.Key_Tab) -> None:
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, words)
    QTest.keyClick(field, end)


@pytest.mark.parametrize(
    ("typed", "meant"), [("1.5", "1.5"), ("1,5", "1.5"), ("0.50", "0.5"), ("0,05", "0.05")]
)
def test_that_a_typed_number_means_the_same_everywhere(qtbot: QtBot, typed: str, meant: str) -> None:
    field = NumberField("x", 0.0, 10_000.0, 1.0, 0.05)
    shown(qtbot, field, WholeField("y", 0, 9, 3))
    type_into(field, typed)
    assert (field.text(), field.value(), field.fault) == (meant, float(meant), "")


@pytest.mark.parametrize("typed", ["1.234,5", "1,234.5", "1 000", "1,234", "", "20000", "abc"])
def test_that_what_is_ambiguous_counts_for_nothing_and_says_why(qtbot: QtBot, typed: str) -> None:
    field = NumberField("US dollars", 0.0, 10_000.0, 2.5, 0.5)
    root = shown(qtbot, field, WholeField("y", 0, 9, 3))
    field.setFocus()
    field.selectAll()
    QTest.keyClick(field, Qt.Key.Key_Backspace)
    QTest.keyClicks(field, typed)
    assert (field.value(), typing_fault(root).startswith("US dollars: ")) == (2.5, True)
    entered: list[object] = []
    root.keyPressEvent = entered.append  # type: ignore[method-assign]
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert not entered, "Enter would act on another number than the one that is shown"
    assert field.text() == typed
    QTest.keyClick(field, Qt.Key.Key_Tab)
    assert (field.text(), field.value(), typing_fault(root)) == ("2.5", 2.5, "")


def test_that_a_whole_number_takes_no_separator(qtbot: QtBot) -> None:
    field = WholeField("Calls", 0, 1_000_000, 7)
    shown(qtbot, field, WholeField("y", 0, 9, 3))
    type_into(field, "1.000")
    assert field.value() == 7
    type_into(field, "1000")
    assert (field.text(), field.value()) == ("1000", 1000)
    QTest.keyClick(field, Qt.Key.Key_Up)
    assert field.value() == 1001


def test_that_a_change_is_told_when_a_number_becomes_unreadable(qtbot: QtBot) -> None:
    field = NumberField("x", 0.0, 10.0, 2.5, 0.5)
    shown(qtbot, field)
    told: list[float] = []
    field.valueChanged.connect(lambda: told.append(field.value()))
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "1,234")
    assert told[-1] == 2.5


def test_that_half_a_dollar_is_half_a_dollar(qtbot: QtBot) -> None:
    form = NumberFields(Settings(), ("max_dollars", "max_calls"))
    shown(qtbot, form)
    type_into(form.fields["max_dollars"], "0.50")
    assert form.values == {"max_dollars": 0.5, "max_calls": None}
    type_into(form.fields["max_dollars"], "0")
    assert (form.values["max_dollars"], form.fields["max_dollars"].text()) == (None, "no limit")


def test_that_options_and_openness_are_read_and_shown_with_a_point(qtbot: QtBot) -> None:
    options, run = OptionFields(), RunFields(Settings())
    options.show_for(METHODS["careful"], {"operator_cost": "0.125"})
    shown(qtbot, options, run)
    type_into(run.numbers["openness"], "0,75")
    assert run.applied(Settings()).openness == 0.75
    assert options.values == {"operator_cost": "0.125"}
    field = options._fields["operator_cost"][1]
    assert isinstance(field, NumberField)
    assert field.text() == "0.125"
    type_into(field, "2,5")
    assert options.values == {"operator_cost": "2.5"}
