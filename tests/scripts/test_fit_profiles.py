"""The fitted profiles are what the script makes of the measured one, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.vqa.answerers.profiles import load_profile
from scripts.fit_profiles import ABOUT, BASE, MAX_ERROR, as_toml, scaled


@pytest.mark.parametrize("name", ABOUT)
def test_that_a_fitted_profile_is_the_measured_one_times_the_factor_that_it_states(name: str) -> None:
    profile = load_profile(name)
    factor = float(re.search(r"times ([\d.]+);", profile.source)[1])  # type: ignore[index]
    wanted = scaled(load_profile(BASE), factor)
    assert profile.predicates == dict(wanted.predicates) and profile.default == wanted.default
    assert (profile.skip, profile.skip_unseen, profile.persistence) == (0.05, 0.5, 0.67)


def test_that_a_factor_keeps_the_ratio_of_the_errors_up_to_the_limit() -> None:
    base = load_profile(BASE)
    old, new = base.rates_for("inhand"), scaled(base, 2.0).rates_for("inhand")
    assert (1 - new.yes_if_true) / new.yes_if_false == pytest.approx((1 - old.yes_if_true) / old.yes_if_false)
    assert scaled(base, 50.0).rates_for("inview").yes_if_false == MAX_ERROR


def test_that_a_written_profile_is_read_back_the_same(tmp_path: Path) -> None:
    profile = scaled(load_profile(BASE), 1.25)
    file = tmp_path / "mine.toml"
    file.write_text(as_toml(profile, "Made by a test."))
    read = load_profile(file)
    assert read == profile
