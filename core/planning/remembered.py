"""Remember what a pure method returned, for as long as its object lives."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])
Key = TypeVar("Key")
Value = TypeVar("Value")


class Table(dict[Key, Value]):
    """The results of a pure function of one argument, each computed when it is first asked for. Inner loops
    ask it several times as fast as a method.
    """

    def __init__(self, function: Callable[[Key], Value]) -> None:
        self._function = function

    def __missing__(self, key: Key) -> Value:
        found = self[key] = self._function(key)
        return found


def remembered(method: Method) -> Method:
    """Call the method once for each choice of positional arguments. Any thread may; two may both call it."""
    table = f"_{method.__name__}_by_arguments"

    @wraps(method)
    def ask(self: Any, *arguments: Any) -> Any:
        try:
            return self.__dict__[table][arguments]
        except KeyError:
            known = self.__dict__.setdefault(table, {})
            found = known[arguments] = method(self, *arguments)
            return found

    return ask  # type: ignore[return-value]
