"""What the goal is evaluated with."""

from typing import Any


def evaluate_bddl_predicate(predicate_name: str, *entities: Any) -> bool:
    raise NotImplementedError("the contract fake judges goals by itself")
