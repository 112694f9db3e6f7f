from pathlib import Path

import pytest

from core.belief import QueryTopic
from core.errors import BadFile, BadValue, UnknownName
from core.vqa.answerers.profiles import load_profile, profile_names, symmetric_name
from core.vqa.data_files import RESOURCES

VISION = ("inview", "closed", "open", "inside", "halved", "onfloor", "ontop", "cooked")  # the paper's Table 2


@pytest.mark.parametrize("name", profile_names())
def test_that_every_shipped_profile_loads_under_its_file_name(name: str) -> None:
    profile = load_profile(name)
    assert profile.name == name
    assert profile.about
    assert profile.source


@pytest.mark.parametrize(
    "name", [name for name in profile_names() if name.endswith(("household", "household-checks"))]
)
def test_that_household_profiles_name_every_predicate_that_vision_perceives(name: str) -> None:
    profile = load_profile(name)
    assert set(VISION) <= set(profile.predicates)
    for rates in profile.predicates.values():
        assert rates.basis == "measured" or rates.note


@pytest.mark.parametrize("name", profile_names())
def test_that_closed_is_open_turned_over(name: str) -> None:
    predicates = load_profile(name).predicates
    if "open" not in predicates:
        return
    opened, closed = predicates["open"], predicates["closed"]
    assert closed.yes_if_true == pytest.approx(1 - opened.yes_if_false)
    assert closed.yes_if_false == pytest.approx(1 - opened.yes_if_true)


@pytest.mark.parametrize("name", profile_names())
def test_that_every_shipped_profile_says_how_it_answers_about_steps(name: str) -> None:
    predicates = load_profile(name).predicates
    for about in (QueryTopic.STEP_SUCCEEDED, QueryTopic.STEP_POSSIBLE):
        assert predicates[about.value].basis == "measured" or predicates[about.value].note


def test_that_a_predicate_without_figures_takes_the_default() -> None:
    profile = load_profile("gpt-4.1-household")
    assert profile.rates_for("juggled") == profile.default
    assert profile.rates_for("inside").yes_if_true == 0.44


def test_that_a_profile_of_ones_own_is_read_and_checked(tmp_path: Path) -> None:
    text = (RESOURCES / "profiles" / "symmetric-34.toml").read_text()
    path = tmp_path / "mine.toml"
    path.write_text(text.replace("0.66", "0.5"))
    assert load_profile(path).default.yes_if_true == 0.5
    path.write_text(text.replace("0.66", "1.5"))
    with pytest.raises(BadFile, match=r"mine\.toml: default\.yes_if_true must be at most 1, not 1\."):
        load_profile(path)
    path.write_text(text.replace("[default]", "[default]\ncolour = 1"))
    with pytest.raises(BadFile, match=r"default\.colour is not a known key"):
        load_profile(path)


def test_that_an_unknown_profile_lists_what_there_is() -> None:
    with pytest.raises(UnknownName, match="did you mean perfect"):
        load_profile("perfekt")


@pytest.mark.parametrize("accuracy", [0, 0.375, 0.9, 1])
def test_that_a_profile_of_any_accuracy_has_a_name(accuracy: float) -> None:
    profile = load_profile(symmetric_name(accuracy))
    for rates in (profile.default, *profile.predicates.values()):
        assert rates.yes_if_true == pytest.approx(accuracy)
        assert rates.yes_if_false == pytest.approx(1 - accuracy)
    assert profile.persistence == load_profile("symmetric-34").persistence


def test_that_an_accuracy_that_cannot_be_is_refused() -> None:
    with pytest.raises(BadValue, match="take 0 to 1"):
        symmetric_name(1.01)
    with pytest.raises(UnknownName):
        load_profile("symmetric-101")
