"""Data to learn from: files that the program reads, and simulated data."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse

from m3lak import _core, _labels


def simulate(
    instances: int = 1000,
    views: Sequence[int] = (20, 30),
    *,
    latent: int = 5,
    private_latent: int = 1,
    noise: float = 0.5,
    boundary: str = "linear",
    missing_views: float = 0,
    missing_cells: float = 0,
    unknown_labels: float = 0,
    random_state: int = 1,
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Views and labels from the generative model, as ``m3lak simulate`` makes them.

    Unknown labels are NaN. The boundary is "linear", "ring" or "xor".

    >>> views, y = simulate(instances=50, views=(4, 3), missing_views=0.2)
    >>> views["view2"].shape
    (50, 3)
    """
    data = _core.simulate(
        instances, list(views), latent, private_latent, noise, boundary, missing_views,
        missing_cells, unknown_labels, random_state,
    )  # fmt: skip
    found, y = arrays(data)
    assert y is not None
    return found, y


def read(
    *files: str | os.PathLike[str], labels: str = "", as_frame: bool = False
) -> tuple[dict[str, Any], Any]:
    """Views and labels of files that the program reads: .mat, .npz, .h5, .h5mu, CSV, …

    A file of one table is one view. ``labels`` is the column or variable that holds the labels, if
    that is not clear. Sparse views are CSR; y is None if there are no labels. With ``as_frame``,
    views are DataFrames and y a Series of pandas, with the names of features and instances.
    """
    for file in files:
        with open(file, "rb"):  # so that a file that is not there is the usual error
            pass
    data = _core.read([os.fspath(file) for file in files], labels)
    views, y = arrays(data)
    return frames(data, views, y) if as_frame else (views, y)


def frames(data: _core.Dataset, views: dict[str, Any], y: Any) -> tuple[dict[str, Any], Any]:
    import pandas as pd

    index = data.instance_names or None
    found: dict[str, Any] = {}
    for i, (name, values) in enumerate(views.items()):
        sparse = scipy.sparse.issparse(values)
        make = pd.DataFrame.sparse.from_spmatrix if sparse else pd.DataFrame
        found[name] = make(values, index=index, columns=data.feature_names(i) or None)
    return found, None if y is None else pd.Series(y, index=index)


def arrays(data: _core.Dataset) -> tuple[dict[str, Any], Any]:
    views: dict[str, Any] = {}
    for i, name in enumerate(data.names):
        if data.is_sparse(i):
            shape, starts, indices, values = data.sparse(i)
            views[name] = scipy.sparse.csr_array((values, indices, starts), shape=shape)
        else:
            views[name] = data.dense(i)
    if data.classes is None:
        return views, None
    classes, of = _labels.from_texts(data.classes), np.asarray(data.labels)
    if (of >= 0).all():
        return views, classes[of]
    unknown = None if classes.dtype.kind == "U" else np.nan
    y = classes.astype(object if unknown is None else float)[of]
    y[of < 0] = unknown
    return views, y
