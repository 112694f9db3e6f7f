from __future__ import annotations

from dataclasses import replace

import pytest

from core.domains import Situation, Skill
from core.errors import BadValue, UnknownName
from core.planning.domain_library import load_task
from core.planning.outcomes import scale_rates, scaled_situations
from robots.stochastic import sample, select

TWO = (Situation("stays", 0.25), Situation("drops", 0.25, drops="?1"))


def test_that_a_draw_is_even_and_never_changes() -> None:
    draws = [sample(seed, "grasp mug", tries) for seed in range(100) for tries in range(100)]
    assert abs(sum(draws) / len(draws) - 0.5) < 0.01
    assert all(0 <= d < 1 for d in draws)
    assert len(set(draws)) == len(draws)
    assert sample(7, "grasp mug", 2) == pytest.approx(0.54070970, abs=1e-8)


def test_that_seed_step_and_try_each_change_the_draw() -> None:
    assert len({sample(1, "a", 0), sample(2, "a", 0), sample(1, "b", 0), sample(1, "a", 1)}) == 4


def test_that_nothing_goes_wrong_at_openness_0() -> None:
    assert select(scale_rates(TWO, 0), 0.0) is None


def test_that_openness_scales_every_rate() -> None:
    assert [s.rate for s in scale_rates(TWO, 1.5)] == [0.375, 0.375]


def test_that_luck_falls_on_at_most_one_situation() -> None:
    named = [select(TWO, luck) for luck in (0.0, 0.249, 0.25, 0.499, 0.5, 0.99)]
    assert [s.name if s else "" for s in named] == ["stays", "stays", "drops", "drops", "", ""]


@pytest.mark.parametrize("openness", [-0.1, 1.76, float("nan"), float("inf")])
def test_that_openness_outside_its_range_is_refused_in_one_sentence(openness: float) -> None:
    with pytest.raises(BadValue, match="outside its range"):
        scale_rates(TWO, openness)


def test_that_rates_which_pass_1_are_refused() -> None:
    with pytest.raises(BadValue, match="add up to"):
        scale_rates(TWO, 1.75, {"stays": 0.5})


def test_that_a_single_rate_can_be_set_by_name_and_a_wrong_name_is_told() -> None:
    spec = replace(load_task("halve_egg")[0], skills={"cut": Skill("cut", "cut", situations=TWO)})
    assert [s.rate for s in scaled_situations(spec, 1, {"drops": 0.1})["cut"]] == [0.25, 0.1]
    with pytest.raises(UnknownName, match="did you mean drops"):
        scaled_situations(spec, 1, {"drop": 0.1})
