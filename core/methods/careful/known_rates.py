"""Say how an answerer's error rates are known: stated, of judged answers, of too few of them, or assumed."""

from __future__ import annotations

from dataclasses import dataclass

from core.install_paths import COMMAND
from core.ports import StatesErrorRates
from core.vqa.answerers.profiles import UNSTATED, Profile

_YES, _NO = (f"{share:.0%}" for share in UNSTATED)
_LIKE = f"it affirms {_YES} of what is so, {_NO} of what is not"
_JUDGE = (
    "judge 30 of its answers in a blind review, 10 of what is so and 10 of what is not among them (an "
    "episode with the method dkprompt asks about more of these), then "
    f"`{COMMAND} episodes profile MODEL`, and give the profile with -o method.error_rates=NAME."
)
ASSUMED = f"How often this answerer errs is ASSUMED ({_LIKE}), never measured: {_JUDGE}"


@dataclass(frozen=True)
class KnownRates:
    """`sentence` is "" if the answerer states its rates itself; `assumed`: nobody measured all of them."""

    sentence: str = ""
    assumed: bool = False


STATED = KnownRates()


def known_rates(profile: Profile | None, answerer: object) -> KnownRates:
    """Return how the rates of this answerer are known, if `profile` is the one that was named for it."""
    if profile is None:
        return STATED if isinstance(answerer, StatesErrorRates) else KnownRates(ASSUMED, True)
    rates, said = profile.default, f"Error rates of {profile.name}: {profile.source}"
    if profile.rests_on_few:
        few = f"TOO FEW to measure them: {rates.note}. What is missing is ASSUMED ({_LIKE})"
        return KnownRates(f"{said}. These are {few}: {_JUDGE}", True)
    if rates.yes_if_true > rates.yes_if_false:
        return KnownRates(f"{said}.")
    yes, no = f"{rates.yes_if_true:.0%}", f"{rates.yes_if_false:.0%}"
    return KnownRates(
        f"{said}. It affirms {yes} of what is so and {no} of what is not: its answers tell nothing."
    )
