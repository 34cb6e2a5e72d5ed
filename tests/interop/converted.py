"""What m3lak wrote, as NumPy sees it."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp

INSTANCES = 7


@dataclass
class Converted:
    """An .npz file that m3lak wrote."""

    views: list  # dense arrays and sparse matrices
    labels: np.ndarray | None
    names: dict  # instance_names, view_names, feature_names_1, …
    missing: np.ndarray | None
    notes: str


def load(path: Path, notes: str = "") -> Converted:
    with np.load(path) as file:
        arrays = dict(file)
    views = []
    while (name := f"X{len(views) + 1}") in arrays or f"{name}_data" in arrays:
        if name in arrays:
            views.append(arrays[name])
        else:
            parts = [arrays[f"{name}_{part}"] for part in ("data", "indices", "indptr")]
            views.append(sp.csr_matrix(tuple(parts), shape=arrays[f"{name}_shape"]))
    names = {key: list(value) for key, value in arrays.items() if "names" in key}
    return Converted(views, arrays.get("y"), names, arrays.get("missing"), notes)


def assert_same_views(actual, expected):
    """Equal bit by bit; NaN equals NaN."""
    assert len(actual) == len(expected)
    for a, e in zip(actual, expected, strict=True):
        e = e.toarray() if sp.issparse(e) else np.asarray(e, dtype=float)
        np.testing.assert_array_equal(a.toarray() if sp.issparse(a) else a, e)
