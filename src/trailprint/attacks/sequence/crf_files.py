"""CRFsuite's model files: check that they are complete, and read them."""

from __future__ import annotations

import struct

import numpy as np

from trailprint.features.templates import LETTERS
from trailprint.kernels.chains import Chain, Codes

#: File header: magic, size, kind, version, counts of features, labels and attributes, offsets of
#: five parts.
_HEADER = struct.Struct("<4sI4sI3I5I")
#: Header of the feature part: name, size, number of features; the features follow.
_PART = struct.Struct("<4s2I")
_FEATURE = np.dtype([("kind", "<u4"), ("source", "<u4"), ("target", "<u4"), ("weight", "<f8")])
#: Header of a list of names: name, size, flags, byte order, number of names, offset of the table
#: of their offsets.
_NAMES = struct.Struct("<4s5I")
#: Header of one name: its number and its length, including a final zero byte.
_NAME = struct.Struct("<2I")
#: Kinds of features: of a label in a context, and of a transition between two labels.
_STATE, _STEP = 0, 1


def is_whole(model: bytes | None) -> bool:
    """
    Whether a model has the structure that CRFsuite writes.

    The header says how long the file is and where its five parts begin. This is no proof: use only
    models that Trailprint has trained itself.
    """
    if model is None or len(model) < _HEADER.size:
        return False
    magic, size, kind, version, _, _, _, *starts = _HEADER.unpack_from(model)
    if (magic, size, kind, version) != (b"lCRF", len(model), b"FOMC", 100):
        return False
    parts = zip(starts, (b"FEAT", b"CQDB", b"CQDB", b"LFRF", b"AFRF"), strict=True)
    return all(model[start : start + 4] == name for start, name in parts)


def read_chain(model: bytes, n_codes: int) -> Chain:
    """Read a model trained on contexts encoded by `attributes`; codes are -1 to ``n_codes``."""
    *_, features_at, labels_at, attributes_at, _, _ = _HEADER.unpack_from(model)
    label = np.array([int(name) for name in _names(model, labels_at)], dtype=np.int64)
    names = _names(model, attributes_at)
    features = _features(model, features_at)
    state, step = np.zeros((len(names) + 1, len(label))), np.zeros((len(label), len(label)))
    for kind, table in ((_STATE, state), (_STEP, step)):
        own = features[features["kind"] == kind]
        table[own["source"], own["target"]] = own["weight"]
    return Chain(label, _places(names, n_codes), state, step)


def _features(model: bytes, at: int) -> np.ndarray:
    _, size, _ = _PART.unpack_from(model, at)
    count = (size - _PART.size) // _FEATURE.itemsize
    return np.frombuffer(model, _FEATURE, count, at + _PART.size)


def _names(model: bytes, at: int) -> list[str]:
    """Return the names of labels or attributes, in the order of their numbers."""
    *_, count, places_at = _NAMES.unpack_from(model, at)
    names = []
    for place in np.frombuffer(model, "<u4", count, at + places_at).tolist():
        _, length = _NAME.unpack_from(model, at + place)
        first = at + place + _NAME.size
        names.append(model[first : first + length - 1].decode("ascii"))
    return names


def _places(names: list[str], n_codes: int) -> Codes:
    """Return the attribute number of each column and code + 1; ``len(names)`` if it has none."""
    places = np.full((len(LETTERS), n_codes + 2), len(names), dtype=np.int32)
    for number, name in enumerate(names):
        code = int(name[1:])
        if code <= n_codes:
            places[LETTERS.index(name[0]), code + 1] = number
    return places
