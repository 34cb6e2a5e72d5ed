"""Labels as the library has them, and back."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets


def encode(y: Any, unlabeled: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """The classes, and of each instance which of them it has; -1: not known.

    NaN and None are not known, and what equals `unlabeled`.
    """
    y = np.asarray(y)
    if y.ndim != 1:
        y = column_or_1d(y, warn=True)
    unknown = np.zeros(len(y), dtype=bool)
    if y.dtype.kind == "f":
        unknown = np.isnan(y)
    elif y.dtype.kind == "O":
        unknown = np.array([is_unknown(label) for label in y], dtype=bool)
    if unlabeled is not None:
        unknown |= np.array([label == unlabeled for label in y.tolist()], dtype=bool)
    known = y[~unknown]
    if len(known) == 0:
        raise ValueError("no label of y is known: there is nothing to learn from")
    if known.dtype.kind == "O":
        known = plain(known)
    if known.dtype.kind == "f" and not np.isfinite(known).all():
        raise ValueError("Input y contains infinity or a value too large for its type.")
    check_classification_targets(known)
    classes, codes = np.unique(known, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"y has one class only ({classes.tolist()[0]!r}) among its known labels: there is "
            "nothing to tell apart"
        )
    of = np.full(len(y), -1, dtype=np.int32)
    of[~unknown] = codes
    return classes, of


def is_unknown(label: Any) -> bool:
    """None, NaN, and pandas' NA, which is nothing to compare with."""
    try:
        return label is None or bool(label != label)
    except TypeError:
        return True


def plain(labels: np.ndarray) -> np.ndarray:
    """Objects that are numbers, as an array of numbers."""
    if not all(isinstance(label, (numbers.Number, np.bool_)) for label in labels):
        return labels
    return np.array(labels.tolist())


def texts(classes: np.ndarray) -> list[str]:
    """The names of the classes in a model file: whole numbers are written without a point."""
    return [
        str(int(c)) if isinstance(c, float) and c.is_integer() else str(c) for c in classes.tolist()
    ]


def from_texts(names: list[str]) -> np.ndarray:
    """The classes of a model file: truth values or numbers, if all of them are."""
    if set(names) <= {"False", "True"}:
        return np.array([name == "True" for name in names])
    for kind in (int, float):
        try:
            return np.array([kind(name) for name in names])
        except ValueError:
            continue
    return np.array(names)
