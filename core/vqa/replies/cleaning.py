"""Strip from a reply what is not part of it: thoughts, turn markers, formulas, tags."""

from __future__ import annotations

import re
import unicodedata

MAX_CHARS = 10_000  # without thoughts; a longer reply is not an answer
_THOUGHT = ("</think>", "</thinking>", "</thought>", "◁/think▷", "[/think]", "<|channel|>final<|message|>")
_THINKS = re.compile(r"<think(?:ing)?>|<thought>|◁think▷|\[think\]|<\|channel\|>(?:analysis|commentary)")
_TOKEN = r"<\|[^|<>\n]{1,40}\|>"
_BOX = re.compile(r"<\|begin_of_box\|>(.*?)<\|end_of_box\|>", re.DOTALL)
_ANSWERED = re.compile(r"\[(?:final[ _])?answer\](.*?)\[/(?:final[ _])?answer\]", re.DOTALL)
_STRUCK = re.compile(r"~~[^~\n]{1,200}~~")
_END = re.compile(
    _TOKEN
    + r"|</?(?:s|user|human|assistant|system)>|<(?:end_of_(?:turn|utterance)|eos|pad)>|\[(?:/?inst|eos)\]"
)  # of a model's turn
_LINE_END = re.compile(rf"(?:{_END.pattern})$")
_ROLE = re.compile(
    rf"\s*(?:(?:{_TOKEN}|<s>|<bos>|\[/inst\]|<(?:assistant|bot|response)>)\s*(?:assistant\b)?\s*:?\s*)+"
)  # before it
_FORMULA = re.compile(r"\\(?:text|textbf|mathbf|mathrm)\{([^{}]{0,99})\}")
_BOXED = re.compile(r"\\boxed\{([^{}]{0,999})\}+")
_PUNCTUATION = str.maketrans({"’": "'", "\r": "\n", "。": ".", **dict.fromkeys("「」『』【】«»„“”‹›", '"')})
_INLINE = re.compile(r"</?(?:b|i|em|strong|span|code)>")
_ANY_TAG = re.compile(r"</?[a-z][\w-]{0,30} ?/?>")


def after_thoughts(text: str) -> str:
    """Return what follows the thoughts, in lower case; "" if they have no end."""
    text = text.lower()
    for close in _THOUGHT:
        text = text.rpartition(close)[2]
    return "" if _THINKS.search(text) else text


def final_words(text: str, most: int) -> str:
    """Return on one line of `most` characters what follows the thoughts, or else how they end."""
    low = text.lower()
    at = max((low.rfind(close) + len(close) for close in _THOUGHT if close in low), default=0)
    said = " ".join((text[at:] if text[at:].strip() else text).split())
    if len(said) <= most:
        return said
    return f"…{said[1 - most :]}" if _THINKS.search(said.lower()) else f"{said[: most - 1]}…"


def clean_reply(text: str) -> str:
    """Return the reply in lower case with normalised characters, without thoughts or text after its turn.

    Return "" if it is too long, damaged (not UTF-8), or a thought without an end.
    """
    text = after_thoughts(text)
    if len(text) > MAX_CHARS or "\ufffd" in text:
        return ""
    text = unicodedata.normalize("NFKC", text).translate(_PUNCTUATION)
    text = "".join(c for c in text if c in "\n\t" or unicodedata.category(c)[0] != "C")
    text = _ANSWERED.sub(r"<answer>\1</answer>", _BOX.sub(r"<answer>\1</answer>", text))
    text = _STRUCK.sub(" ", text)
    text = _ROLE.sub("", text, count=1) if _ROLE.match(text) else text
    text = _BOXED.sub(r"\1", _FORMULA.sub(r"\1", _END.split(text, maxsplit=1)[0]))
    return text.replace("\\[", " ").replace("\\]", " ").strip()


def strip_line_ends(text: str, count: int) -> str:
    """Remove the end-of-turn marker after each line of a list, if it has exactly `count` > 1 such lines.

    Otherwise only what comes before the first marker belongs to the reply (`clean_reply`).
    """
    lines = [line.strip() for line in text.lower().splitlines() if line.strip()]
    bare = [line[: mark.start()] for line in lines if (mark := _LINE_END.search(line)) and mark.start()]
    return (
        "\n".join(bare) if 1 < count == len(lines) == len(bare) and not any(map(_END.search, bare)) else text
    )


def strip_tags(text: str) -> str:
    """Return the text without its tags; what they separate stays separate."""
    return _ANY_TAG.sub("\n", _INLINE.sub("", text))
