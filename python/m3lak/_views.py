"""What users have, as views: a name, a matrix and the names of its columns each."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse

from m3lak import _core


@dataclass
class NamedView:
    name: str
    values: Any  # a 2-D array of float64 or float32, or a CSR matrix of float64; None: not there
    feature_names: list[str] = field(default_factory=list)


def is_frame(value: Any) -> bool:
    return hasattr(value, "columns") and hasattr(value, "iloc")


def is_matrix(value: Any) -> bool:
    """Something with rows and columns; a list of lists is none."""
    return scipy.sparse.issparse(value) or len(getattr(value, "shape", ())) == 2


def module_of(value: Any) -> str:
    return type(value).__module__.partition(".")[0]


def is_several(X: Any) -> bool:
    """Whether X holds views, each a matrix of its own, rather than one matrix."""
    if is_matrix(X):  # some sparse ones are dicts
        return module_of(X) in ("anndata", "mudata")
    if isinstance(X, Mapping) or module_of(X) == "mudata":
        return True
    if not isinstance(X, (list, tuple)) or not X:
        return False
    if not any(view is None or is_matrix(view) or has_gaps(view) for view in X):
        return False
    return all(view is None or is_matrix(view) or is_rows(view) for view in X)


def has_gaps(value: Any) -> bool:
    return is_rows(value) and any(row is None for row in value)


def has_names(X: Any) -> bool:
    """Whether the views of X are known by their names, not by their places."""
    return is_several(X) and not isinstance(X, (list, tuple))


def is_rows(value: Any) -> bool:
    """A view as a list of rows, None for instances that lack it."""
    return isinstance(value, (list, tuple)) and all(
        row is None or np.ndim(row) == 1 for row in value
    )


def split(X: Any, views: Any) -> list[tuple[str, Any]]:
    """Names and values of the views of X; `views` says how one matrix is cut."""
    if module_of(X) == "mudata":
        return [(name, align(part, X.obs_names)) for name, part in X.mod.items()]
    if module_of(X) == "anndata":
        return annotated(X, views)
    if isinstance(X, Mapping) and not is_matrix(X):
        return same_rows([(str(name), value) for name, value in X.items()])
    if is_several(X):
        return same_rows([(f"view{i + 1}", value) for i, value in enumerate(X)])
    if views is None:
        return [("view1", X)]
    return [(name, columns_of(X, which)) for name, which in cuts(X, views)]


def annotated(X: Any, views: Any) -> list[tuple[str, Any]]:
    """Of an AnnData: X, or those of X, layers and obsm that `views` names."""
    if isinstance(views, str) or not isinstance(views, (type(None), Iterable)):
        raise ValueError(
            f"views={views!r}: must be a list of X, layers and obsm, or a dict of them"
        )
    if X.isbacked:
        X = X.to_memory()
    chosen = ["X"] if views is None else views
    named = chosen.items() if isinstance(chosen, Mapping) else [(key, key) for key in chosen]
    parts: list[tuple[str, Any]] = []
    for name, key in named:
        if key == "X":
            parts.append((name, Part(X.X, list(X.var_names))))
        elif key in X.layers:
            parts.append((name, Part(X.layers[key], list(X.var_names))))
        elif key in X.obsm:
            parts.append((name, X.obsm[key]))
        else:
            known = ["X", *X.layers, *X.obsm]
            raise ValueError(f"views: the AnnData has no {key!r}; it has {known}")
    return parts


@dataclass
class Part:
    """A matrix whose columns have names."""

    values: Any
    names: list[str]
    rows: Any = None  # where the rows of all instances are; -1: there is none


def align(part: Any, names: Any) -> Part:
    """A modality of a MuData, in the order of all its instances."""
    return Part(part.X, list(part.var_names), part.obs_names.get_indexer(names))


def same_rows(parts: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Refuses tables whose rows have different names: which is which would be a guess."""
    frames = [(name, value) for name, value in parts if is_frame(value)]
    for name, frame in frames[1:]:
        first, other = frames[0]
        if len(frame) == len(other) and not frame.index.equals(other.index):
            raise ValueError(
                f"the rows of views {first!r} and {name!r} have different names or another order; "
                "m3lak.join(views) brings them together"
            )
    return parts


def refuse_other_order(X: Any, y: Any) -> None:
    """That labels have the names of the rows, but in another order, is never meant."""
    frames = [X] if is_frame(X) else list(X.values()) if isinstance(X, Mapping) else []
    index = getattr(y, "index", None)
    for frame in frames:
        if not is_frame(frame) or not hasattr(index, "equals") or len(index) != len(frame):
            continue
        if not index.equals(frame.index) and set(index) == set(frame.index):
            raise ValueError("the rows of y are in another order than those of X; y.loc[X.index]")


def cuts(X: Any, views: Any) -> list[tuple[str, Any]]:
    """`views` as names and columns."""
    total = X.shape[1]
    if isinstance(views, Mapping):
        return [(str(name), which) for name, which in views.items()]
    if isinstance(views, str) or not isinstance(views, Iterable):
        raise ValueError(f"views={views!r}: must be sizes, slices or lists of columns, or a dict")
    views = list(views)
    if not views:
        raise ValueError("views: there must be one at least")
    if all(isinstance(size, numbers.Integral) for size in views):
        if sum(views) != total or min(views) < 1:
            raise ValueError(
                f"views={views}: sizes must be positive and add up to the {total} features of X"
            )
        ends = np.cumsum(views)
        views = [slice(int(end - size), int(end)) for size, end in zip(views, ends, strict=True)]
    return [(f"view{i + 1}", which) for i, which in enumerate(views)]


def columns_of(X: Any, which: Any) -> Any:
    frame = is_frame(X)
    if isinstance(which, str) or not isinstance(which, (slice, Sequence, np.ndarray)):
        raise ValueError(f"views: {which!r} is neither a slice nor a list of columns")
    by_name = not isinstance(which, slice) and any(isinstance(c, str) for c in which)
    try:
        if frame:
            return X[list(which)] if by_name else X.iloc[:, which]
        if by_name:
            raise ValueError(f"views: columns {list(which)} have names, but X has none")
        return X[:, which]
    except (IndexError, KeyError) as error:
        raise ValueError(f"views: X has no columns {which!r}") from error


def matrix(name: str, value: Any) -> NamedView:
    """One view, its numbers as the library takes them; without a copy if they are so already."""
    if value is None:
        return NamedView(name, None)
    if isinstance(value, Part):
        view = matrix(name, value.values)
        view.feature_names = [str(column) for column in value.names]
        if value.rows is not None:
            view.values = spread(view.values, value.rows)
        return view
    if is_frame(value):
        return frame_matrix(name, value)
    if scipy.sparse.issparse(value):
        return NamedView(name, compressed(name, value))
    if has_gaps(value):
        value = without_none(name, value)
    return NamedView(name, numbers_of(name, value))


def spread(values: Any, rows: np.ndarray) -> Any:
    """Rows by their places; NaN where there is none."""
    if np.array_equal(rows, np.arange(values.shape[0])):
        return values
    taken = values[np.maximum(rows, 0)]
    if scipy.sparse.issparse(taken):
        # A missing row is one of stored NaN.
        taken = taken.multiply((rows >= 0)[:, None]).tolil()
        taken[np.flatnonzero(rows < 0)] = np.nan
        return compressed("", taken)
    taken[rows < 0] = np.nan
    return taken


def frame_matrix(name: str, frame: Any) -> NamedView:
    names = [str(column) for column in frame.columns]
    for column, dtype in zip(names, frame.dtypes, strict=True):
        kind = getattr(getattr(dtype, "numpy_dtype", dtype), "kind", "O")
        if kind == "O" and hasattr(dtype, "subtype"):  # pandas' sparse columns
            kind = dtype.subtype.kind
        if kind not in "biuf":
            raise ValueError(
                f"view {name!r}: column {column!r} is not numeric ({dtype}); encode it or leave it "
                "out"
            )
    if len(names) > 0 and all(hasattr(dtype, "subtype") for dtype in frame.dtypes):
        return NamedView(name, compressed(name, frame.sparse.to_coo()), names)
    values = frame.to_numpy()
    if values.dtype == object:  # columns that know of a missing value of their own
        values = frame.to_numpy(dtype=np.float64, na_value=np.nan)
    return NamedView(name, numbers_of(name, values), names)


def compressed(name: str, value: Any) -> Any:
    if value.dtype.kind == "c":
        raise ValueError(f"view {name!r}: complex data not supported")
    if value.dtype.kind not in "biuf":
        raise ValueError(f"view {name!r}: holds {value.dtype}, not numbers")
    if hasattr(value, "check_format"):
        try:
            value.check_format(full_check=True)  # what is wrong here would be read out of bounds
        except ValueError as error:
            raise ValueError(f"view {name!r}: its sparse matrix is damaged: {error}") from error
    rows = scipy.sparse.csr_array(value, dtype=np.float64)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    if rows.nnz > np.iinfo(np.int32).max:
        raise ValueError(f"view {name!r}: has more than 2^31 stored numbers")
    return rows


def without_none(name: str, rows: Sequence[Any]) -> np.ndarray:
    widths = {len(row) for row in rows if row is not None}
    if len(widths) != 1:
        raise ValueError(f"view {name!r}: its rows have {sorted(widths) or 'no'} numbers")
    gap = [np.nan] * widths.pop()
    return np.asarray([gap if row is None else row for row in rows])


def numbers_of(name: str, value: Any) -> np.ndarray:
    if isinstance(value, np.ma.MaskedArray):
        value = value.astype(np.float64).filled(np.nan)
    array = np.asarray(value)
    if array.ndim != 2:
        raise ValueError(
            f"view {name!r}: Expected 2D array, got {array.ndim}D array instead; reshape your data "
            "with array.reshape(-1, 1) if it is a single feature"
        )
    if array.dtype.kind == "c":
        raise ValueError(f"view {name!r}: complex data not supported")
    if array.dtype.kind not in "biuf":
        array = from_objects(name, array)
    # Half floats fit into float; all else but float itself becomes double.
    wanted = np.float32 if array.dtype in (np.float16, np.float32) else np.float64
    return np.ascontiguousarray(array, dtype=wanted)


def from_objects(name: str, array: np.ndarray) -> np.ndarray:
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError):
        pass
    for column in range(array.shape[1]):
        for row in range(array.shape[0]):
            cell = array[row, column]
            try:
                float(np.nan if cell is None else cell)
            except (TypeError, ValueError):
                raise ValueError(
                    f"view {name!r}: row {row + 1}, column {column + 1} (counted from 1) holds "
                    f"{cell!r}, which is not a number; encode it or leave it out"
                ) from None
    return np.where(array == None, np.nan, array).astype(np.float64)  # noqa: E711


def dataset(views: list[NamedView]) -> _core.Dataset:
    """The library's own; dense views are borrowed."""
    present = [view for view in views if view.values is not None]
    if not present:
        raise ValueError("there is no view")
    if len({view.name for view in views}) < len(views):
        raise ValueError(f"two views have one name: {[view.name for view in views]}")
    counts = {view.values.shape[0] for view in present}
    if len(counts) > 1:
        told = ", ".join(f"{view.name!r} {view.values.shape[0]}" for view in present)
        raise ValueError(f"views have different numbers of instances: {told}")
    if counts == {0}:
        raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
    data = _core.Dataset()
    for view in present:
        if view.values.shape[1] == 0:
            raise ValueError(
                f"view {view.name!r}: Found array with 0 feature(s) (shape={view.values.shape}) "
                "while a minimum of 1 is required."
            )
        if scipy.sparse.issparse(view.values):
            rows = view.values
            data.add_sparse(view.name, rows.shape[1], rows.indptr.astype(np.int32, copy=False),
                            rows.indices.astype(np.int32, copy=False), rows.data,
                            view.feature_names)  # fmt: skip
        else:
            data.add_dense(view.name, view.values, view.feature_names)
    data.settle()
    return data


def join(views: Mapping[str, Any]) -> dict[str, Any]:
    """Tables about some of the same subjects, as views of all of them.

    Each table is a pandas DataFrame whose index names its rows. All have the same rows afterwards;
    a subject that a table lacks has NaN there, which is a missing view.

    >>> import pandas as pd
    >>> rna = pd.DataFrame({"g1": [1.0, 2.0]}, index=["ann", "bob"])
    >>> protein = pd.DataFrame({"p1": [3.0, 4.0]}, index=["bob", "eve"])
    >>> join({"rna": rna, "protein": protein})["protein"]
          p1
    ann  NaN
    bob  3.0
    eve  4.0
    """
    if not isinstance(views, Mapping):
        raise ValueError("views: must be a dict of names and tables")
    index = None
    for name, frame in views.items():
        if not is_frame(frame):
            raise ValueError(f"view {name!r}: only tables whose rows have names can be joined")
        if frame.index.has_duplicates:
            twice = frame.index[frame.index.duplicated()][0]
            raise ValueError(f"view {name!r}: two rows are called {twice!r}")
        index = frame.index if index is None else index.union(frame.index)
    return {name: frame.reindex(index) for name, frame in views.items()}
