"""Labelled replies by the ten thousand, composed from grammars by seed; no label depends on the reader."""
