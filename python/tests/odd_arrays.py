# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
"""The same numbers, however they may lie in memory."""
import numpy as np


def unaligned(array):
    """At an odd address, as bytes from a file or a network may be."""
    held = np.zeros(array.nbytes + 1, dtype=np.uint8)
    moved = held[1:].view(array.dtype).reshape(array.shape)
    moved[...] = array
    return moved


def unaligned_by_columns(array):
    return unaligned(np.ascontiguousarray(array.T)).T


def packed(array):
    """A field of a packed structure."""
    rows = np.zeros(array.shape, dtype=[("flag", "u1"), ("of", array.dtype)])
    rows["of"] = array
    return rows["of"]


def read_only(array):
    fixed = array.copy()
    fixed.flags.writeable = False
    return fixed


def spread(array):
    wide = np.zeros([3 * n for n in array.shape], dtype=array.dtype)
    wide[tuple(slice(None, None, 3) for _ in array.shape)] = array
    return wide[tuple(slice(None, None, 3) for _ in array.shape)]


def backwards(array):
    turned = tuple(slice(None, None, -1) for _ in array.shape)
    return np.ascontiguousarray(array[turned])[turned]


def swapped(array):
    """With the bytes of the other kind of machine."""
    return array.astype(array.dtype.newbyteorder())


def of_a_subclass(array):
    class Named(np.ndarray):
        pass

    return array.copy().view(Named)


ODD = [unaligned, unaligned_by_columns, packed, read_only, spread, backwards, np.asfortranarray, of_a_subclass]
