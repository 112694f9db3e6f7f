"""Methods: what to ask, and what to make of the answers. Chosen by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from core.domains import Folder
from core.errors import UnknownName
from core.methods.dkprompt import DKPrompt
from core.ports import Method
from core.problem import Problem

METHODS: Mapping[str, Callable[[Folder, Problem], Method]] = MappingProxyType({"dkprompt": DKPrompt})


def make_method(name: str, folder: Folder, problem: Problem) -> Method:
    """Raises UnknownName."""
    if name not in METHODS:
        raise UnknownName("method", name, METHODS)
    return METHODS[name](folder, problem)
