from __future__ import annotations

from core.intervals import grouped_interval, wilson_interval


def test_that_what_is_alike_within_an_episode_says_less() -> None:
    assert grouped_interval([(19, 20)] * 10) == wilson_interval(190, 200)
    assert grouped_interval([(20, 20)] * 9 + [(10, 20)])[0] < 0.85 < wilson_interval(190, 200)[0]
    assert grouped_interval([(20, 20)]) == grouped_interval([]) == (0.0, 1.0)
