"""A simulated language model that is asked about a household: common sense, distorted at stated rates.

The random draws depend on the seed and on what is asked, so the same prompt gets the same reply, as at
temperature 0; only a stricter wording of it may get another one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from core.open_world.prompts import NOTHING_UNUSUAL, PromptKind, listed, recognise
from core.open_world.situations import uniform_random
from core.open_world.world_file import pddl_name
from core.ports import ChatMessage, Reply
from core.stock import StockItem
from core.stop_token import StopToken
from core.vqa.knower.commonsense import Commonsense
from core.vqa.knower.knower_profile import KnowerProfile
from core.vqa.knower.simulated_programs import SimulatedPrograms

_HUMS = "A household robot can do a great many things in a kitchen."
_LOST = "I am a language model and have not been asked anything that I know about."


class SimulatedKnower:
    """A `Model` that belongs to the loop's thread."""

    def __init__(
        self,
        profile: KnowerProfile,
        sense: Commonsense,
        stock: tuple[StockItem, ...] = (),
        programs: SimulatedPrograms | None = None,
        seed: int = 0,
        sees: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        """`sees` returns the situations in force, of which it tells when it is asked to look."""
        self._sees = sees
        self._rates, self._sense, self._seed, self._programs = profile, sense, seed, programs
        self._kinds = frozenset({*sense.world.kinds_of_things(), *(item.kind for item in stock)})
        self._replies: Mapping[PromptKind, Callable[..., str]] = {
            PromptKind.MONITOR: self._monitor,
            PromptKind.PREDICATE: self._predicate,
            PromptKind.SUBSTITUTE: self._substitute,
            PromptKind.PURPOSE: self._purpose,
            PromptKind.CHOICE: self._choice,
            PromptKind.REPAIR: self._repair,
            PromptKind.LOOK: self._look,
        }

    @property
    def name(self) -> str:
        return f"simulated language model ({self._rates.name})"

    def ask(self, messages: Sequence[ChatMessage], pictures: Sequence[bytes], cancel: StopToken) -> Reply:
        """Return a reply to a prompt of `core.open_world.prompts`. Raises Cancelled."""
        cancel.check()
        text = messages[-1].text
        lines = enumerate(map(self._answer, listed(text)), 1)
        said = "\n".join(f"{number}. {line}" for number, line in lines) or self._answer(text, cancel)
        return Reply(said, self.name)

    def _answer(self, text: str, cancel: StopToken | None = None) -> str:
        """Return the reply to one prompt; plans are written only with `cancel`."""
        known = recognise(text)
        if known is None:
            return _LOST
        purpose, words = known
        if purpose in self._replies:
            return self._replies[purpose](text=text, **words)
        if self._programs is None or cancel is None:
            return _LOST
        return self._programs.reply(purpose, words.get("situation", ""), cancel)

    def _luck(self, *what: object) -> float:
        return uniform_random(self._seed, self._rates.name, *what)

    def _monitor(self, action: str, situation: str, text: str) -> str:
        how = self._sense.hindrance(action, self._sense.situation(situation))
        if how and self._luck("unclear", text) < self._rates.unclear:
            return f"{_HUMS} It can {action} if {situation}."
        rate = 0.0
        if how in ("fails", "spoils"):
            rate = self._rates.says_no_when_blocked
        elif how == "touches":
            rate = self._rates.says_no_when_touched
        if self._luck("monitor", action, situation) < rate:
            return f"No, it is not suitable for a robot to {action} if {situation}."
        return f"Yes, a robot can {action}."

    def _look(self, **_: str) -> str:
        return f"{next(iter(self._sees()), NOTHING_UNUSUAL)}.".capitalize()

    def _predicate(self, situation: str, text: str) -> str:
        if self._luck("name", situation) < self._rates.misnames:
            return "is_open"
        return predicate_name(situation)

    def _substitute(self, action: str, text: str) -> str:
        role, kind = self._sense.role_of(action, self._kinds)
        # any thing can be carried about; the counts are of what it is used as
        counted = role in self._sense.world.roles or not self._sense.accepts(role, kind)
        if self._luck("substitute", role, kind) < (self._acceptance(role, kind) if counted else 1.0):
            return f"Yes, it is suitable for a robot to {action}."
        return f"No, it is not suitable for a robot to {action}."

    def _purpose(self, goal: str, situation: str, asked: str, thing: str, failed: str, text: str) -> str:
        """Judge as a substitute is judged, each wording by another draw: nobody has counted such replies."""
        role, kind = self._sense.type_of(self._sense.situation(situation).object), pddl_name(thing)
        said = self._luck(asked, role, kind) < self._acceptance(role, kind)
        return f"Yes, a {thing} is good enough." if said else f"No, a {thing} is not good enough."

    def _acceptance(self, role: str, kind: str) -> float:
        if self._sense.accepts(role, kind):
            return self._rates.accepts_good
        return self._rates.accepts_bad_for.get(role, self._rates.accepts_bad)

    def _choice(self, things: str, goal: str, situation: str, text: str) -> str:
        listed = things.split(", ")
        luck = self._luck("none", text)
        if luck < self._rates.names_none:
            return "Water." if luck < self._rates.names_none / 2 else "It depends on the guest."
        role = self._sense.type_of(self._sense.situation(situation).object)
        good = [t for t in listed if self._sense.accepts(role, pddl_name(t))]
        bad = [t for t in listed if t not in good]
        wise = self._luck("wise", situation, things) < self._rates.chooses_good
        pool = (good or bad) if wise else (bad or good)
        first = pool[int(self._luck("which", situation, things) * len(pool))]
        if luck < self._rates.names_none + self._rates.names_several:
            return f"The {first} or the {listed[0]} would do."
        return f"The most suitable is the {first}."

    def _repair(self, device: str, thing: str, opposite: str, situation: str, text: str) -> str:
        meant = self._sense.situation(situation)
        mends = self._sense.world.mends(pddl_name(device), meant.kind, self._sense.type_of(meant.object))
        rate = self._rates.repairs_good if mends else self._rates.repairs_bad
        said = self._luck("repair", device, situation) < rate
        return (
            f"{'Yes' if said else 'No'}, a {device} can{'' if said else 'not'} make the {thing} {opposite}."
        )


def predicate_name(situation: str) -> str:
    """Return "is_dirty" for "the cup is dirty", "has_no_water" for "the faucet has no water"."""
    words = [w for w in situation.lower().replace("'", "").split() if w.isalpha()]
    for verb in ("is", "are", "has", "have", "does"):
        if verb in words[1:]:
            rest = words[words.index(verb, 1) + 1 :]
            start = {"are": "is", "have": "has"}.get(verb, verb)
            return "_".join((start, *rest[:4])) if rest else "is_unusual"
    return "_".join(words[2:6]) or "is_unusual"  # "fell_onto_the_floor"
