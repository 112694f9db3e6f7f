"""Whose error rates count."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from core.data_file import toml_text
from core.errors import UnknownName
from core.methods.careful.answered import AnswerRates
from core.methods.careful.error_model import UNSTATED, Asked
from core.vqa.answerers.profiles import Profile, Rates
from tests.core import tiny


def test_that_the_answerers_own_rates_count(careful) -> None:
    rates = careful().errors.rates("closed")
    assert (rates.if_true, rates.if_false) == (0.8, 0.3)


def test_that_of_an_answerer_that_states_none_middling_ones_are_assumed(careful) -> None:
    rates = careful(answerer=object()).errors.rates("closed")
    assert (rates.if_true, rates.if_false) == pytest.approx(UNSTATED)


def test_that_the_rates_of_a_named_profile_count_in_place_of_the_answerers(careful) -> None:
    rates = careful(error_rates="symmetric-34").errors.rates("closed")
    assert (rates.if_true, rates.if_false) == pytest.approx((0.66, 0.34))


def test_that_a_profile_of_judged_answers_counts_for_each_predicate(careful, tmp_path) -> None:
    judged = tmp_path / "rates.toml"
    judged.write_text(
        'name = "judged"\nabout = "a model"\nsource = "people"\n'
        "skip = 0.0\nskip_unseen = 0.5\npersistence = 0.6\n"
        '[default]\nyes_if_true = 0.7\nyes_if_false = 0.2\nbasis = "measured"\n'
        '[predicates.closed]\nyes_if_true = 0.9\nyes_if_false = 0.1\nbasis = "measured"\n'
    )
    errors = careful(answerer=object(), error_rates=str(judged)).errors
    assert errors.rates("closed").if_true == pytest.approx(0.9)
    assert errors.rates("inside").if_false == pytest.approx(0.2)


@pytest.mark.parametrize(("basis", "assumed"), [("few", True), ("measured", False)])
def test_that_rates_of_few_judged_answers_count_as_assumed(
    careful, tmp_path, basis: str, assumed: bool
) -> None:
    rates = Rates(0.8, 0.3, basis, "of 26 true and 1 false")  # type: ignore[arg-type]
    judged = Profile("judged", "a model", "27 answers judged by a person", 0, 0.5, 0.6, rates)
    (file := tmp_path / "rates.toml").write_text(toml_text(asdict(judged)))
    policy = careful(answerer=object(), error_rates=str(file))
    assert ("TOO FEW" in policy.assumption and "of 26 true and 1 false" in policy.assumption) is assumed
    assert policy.known_rates.sentence.startswith("Error rates of judged: 27 answers judged by a person.")


def test_that_a_profile_that_is_not_there_is_refused_with_the_known_ones(careful) -> None:
    with pytest.raises(UnknownName, match="symmetric-34"):
        careful(error_rates="nobody")


@pytest.mark.parametrize(
    ("name", "asked", "yes"),
    [
        ("answers that tell nothing", Asked(), 0.5),
        ("answers as expected", Asked(expected=True), 0.95),
        ("answers as expected", Asked(expected=False), 0.05),
        ("the first answer again", Asked(before=True), 0.95),
    ],
)
def test_that_a_habit_decides_the_answer_whatever_is_so(careful, name, asked, yes) -> None:
    method = careful(rate_doubt=0.2)
    way = [w.name for w in method.errors.ways].index(name)
    for state in (tiny.PROBLEM.state, tiny.PROBLEM.state - {tiny.CLOSED}):
        shown = method.errors.shown[tiny.CLOSED][method.world.number(state)]
        found = method.errors.likelihoods(tiny.CLOSED, True, asked)[shown][way]
        assert found == pytest.approx(yes, abs=0.05)


def test_that_a_question_is_expected_to_be_answered_as_often_as_others_were() -> None:
    some, none = AnswerRates({"p": (5, 10)}), AnswerRates({"p": (0, 6)})
    assert 0.5 < some.expected("p") < 0.6 and AnswerRates().expected("p") > 0.9
    assert none.silent and none.expected("p") == none.expected("q") == 0
