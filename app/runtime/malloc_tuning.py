"""Keeps the memory of pictures from staying behind when they are gone."""

from __future__ import annotations

import ctypes
import sys

LARGE = 256 << 10  # bytes; a picture of 256 x 256 has less, one of a live camera more
_M_MMAP_THRESHOLD = -3  # glibc's malloc.h


def set_mmap_threshold() -> bool:
    """From now on whatever is large lies in pages of its own, which go back to the system with it.

    glibc raises its own threshold to the largest block that was ever freed, up to 32 MiB. Pictures then lie
    between small things in the heaps of several threads, and the holes they leave are kept: an episode on
    an arm cost some 10 MiB that never came back. Whether it took; elsewhere than on glibc it does nothing.
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        return bool(ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, LARGE))
    except (OSError, AttributeError):  # another C library
        return False
