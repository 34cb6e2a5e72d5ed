"""Real multi-view data sets, where they are at hand: read exactly as SciPy reads them."""

import os
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse

FOLDER = Path(os.environ.get("M3LAK_DATA", Path(__file__).parents[3] / "shared" / "data"))
FILES = sorted(FOLDER.glob("*/*.mat"))


def view_of(data, key):
    if key in data:
        return data[key]
    parts = (data[f"{key}_data"], data[f"{key}_indices"], data[f"{key}_indptr"])
    return scipy.sparse.csr_array(parts, shape=data[f"{key}_shape"])


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.stem)
def test_is_read_as_scipy_reads_it(m3lak, tmp_path, file):
    m3lak("convert", file, "-o", "copy.npz")
    expected, copy = scipy.io.loadmat(file), np.load(tmp_path / "copy.npz")
    keys = [key for key in expected if key[0] == "X"]
    assert len(keys) == len([key for key in copy if key in keys or key.endswith("_indptr")])
    for key in keys:
        view = view_of(copy, key)
        assert scipy.sparse.issparse(view) == scipy.sparse.issparse(expected[key])
        assert view.shape == expected[key].shape
        assert abs(view - expected[key]).max() == 0
    assert (copy["y"] == expected["y"].ravel()).all()
