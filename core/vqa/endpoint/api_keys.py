"""API keys: read from the environment or the keyring, never from a file or an argument, never shown."""

from __future__ import annotations

import os

from core.errors import AnswererError
from core.vqa.endpoint.presets import EndpointPreset

SERVICE = "dkprompt-console"
MIN_KEY_CHARS = 6  # a shorter value is not treated as a key
MIN_LEAK_CHARS = 12  # a run of this many characters gives too much away


class Secret:
    """A key that hides its value; `reveal` is called in one place only, where the request is sent."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    def scrub(self, text: str) -> str:
        """Return the text with the key, and every run of `MIN_LEAK_CHARS` of its characters, replaced by
        "***".

        A value shorter than `MIN_KEY_CHARS` ("none", "EMPTY") is not a secret, and could be an answer: it
        stays.
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
    """Return the key of an endpoint; an empty one if none is needed. Raises AnswererError."""
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
    """Return the status of an endpoint's key ("ready", "doubt" or "info") and in words where it was found.

    The key itself is never returned. May wait for the system's keyring.
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
    """Return the key from the system's keyring, "" if there is none; a missing keyring is not an error."""
    import keyring
    from keyring.errors import KeyringError

    try:
        return (keyring.get_password(SERVICE, name) or "").strip()
    except (KeyringError, OSError, RuntimeError):
        return ""
