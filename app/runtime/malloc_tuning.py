"""Make glibc return the memory of freed pictures to the system."""

from __future__ import annotations

import ctypes
import sys

LARGE = 256 << 10  # bytes; a picture of 256 x 256 has less, one of a live camera more
_M_MMAP_THRESHOLD = -3  # glibc's malloc.h


def set_mmap_threshold() -> bool:
    """Allocate large blocks in pages of their own, which are returned to the system when freed.

    glibc raises its threshold to the largest block ever freed, up to 32 MiB. Pictures then lie between small
    blocks in the heaps of several threads, and the holes that they leave are kept: an episode on an arm cost
    some 10 MiB for good. Return False if this had no effect, as without glibc.
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        return bool(ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, LARGE))
    except (OSError, AttributeError):  # another C library
        return False
