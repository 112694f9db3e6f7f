"""Keys: from the environment or the keyring, never from a file or an argument, never shown."""

from __future__ import annotations

import os

from core.errors import AnswererError
from core.vqa.presets import EndpointPreset

SERVICE = "dkprompt-console"
MIN_KEY_CHARS = 6  # characters of a key that is one
MIN_LEAK_CHARS = 12  # characters of a key that would help to guess the rest


class Secret:
    """A key that does not show itself: `reveal` is called in one place, where the request is sent."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    def scrub(self, text: str) -> str:
        """A text without the key: "***" for the whole and for every run of `MIN_LEAK_CHARS` of its
        characters.

        What is shorter than `MIN_KEY_CHARS` is no secret ("none", "EMPTY") and stays: it could be an answer.
        """
        if len(self._value) < MIN_KEY_CHARS:
            return text
        text = text.replace(self._value, "***")
        for start in range(len(self._value) - MIN_LEAK_CHARS + 1):
            text = text.replace(self._value[start : start + MIN_LEAK_CHARS], "***")
        return text

    def __repr__(self) -> str:
        return "Secret(***)"

    __str__ = __repr__

    def __reduce__(self) -> str:
        raise TypeError("a key is not written anywhere")


def find_key(preset: EndpointPreset) -> Secret:
    """The key of an endpoint; an empty one where none is needed. Raises AnswererError."""
    for name in preset.keys:
        if value := os.environ.get(name, "").strip():
            return Secret(value)
    if preset.keys and (value := _from_keyring(preset.name)):
        return Secret(value)
    if preset.needs_key:
        raise AnswererError(
            f"There is no key for {preset.about}: set {preset.keys[0]} in the environment, or store it with "
            f"`keyring set {SERVICE} {preset.name}`."
        )
    return Secret("")


def key_status(preset: EndpointPreset) -> tuple[str, str]:
    """Whether an endpoint has its key: "ready", "doubt" or "info", and in words where it is. Never the key.

    May wait for the system's keyring.
    """
    if not preset.keys:
        return "ready", "no key is needed"
    for name in preset.keys:
        if os.environ.get(name, "").strip():
            return "ready", f"found in the environment ({name})"
    if _from_keyring(preset.name):
        return "ready", "found in the keyring"
    if preset.needs_key:
        return "doubt", f"missing: set {preset.keys[0]} in the environment, or type it here for the keyring"
    return "info", f"none; if your server wants one: {preset.keys[0]}, or type it here for the keyring"


def _from_keyring(name: str) -> str:
    """The key in the system's keyring, "" where there is none: a machine without a keyring is no fault."""
    import keyring
    from keyring.errors import KeyringError

    try:
        return (keyring.get_password(SERVICE, name) or "").strip()
    except (KeyringError, OSError, RuntimeError):
        return ""
