"""Data for all tests here, and what m3lak reads from files."""

import numpy as np
import pytest
import scipy.sparse as sp
from converted import INSTANCES, Converted, load


@pytest.fixture
def read(m3lak, tmp_path):
    """What m3lak reads from files, as Converted."""

    def read_files(*arguments) -> Converted:
        output = tmp_path / "read_by_m3lak.npz"
        return load(output, m3lak("convert", *arguments, "-o", output).err)

    return read_files


@pytest.fixture
def rng():
    return np.random.default_rng(1)


@pytest.fixture
def views(rng):
    """Two dense views; numbers that only survive if all bits do."""
    return [rng.standard_normal((INSTANCES, 3)), rng.standard_normal((INSTANCES, 5)) * 1e-300]


@pytest.fixture
def sparse(rng):
    return sp.random(INSTANCES, 6, density=0.4, random_state=rng, format="csr")


@pytest.fixture
def labels():
    return np.array([3, 1, 2, 1, 3, 2, 1])


@pytest.fixture
def texts():
    return ["köln", "bonn", "köln", "", "bonn", "köln", "東京"]


@pytest.fixture
def dataset(views, sparse, texts, tmp_path):
    """An .npz file with everything a dataset can have, and the same as Converted."""
    views[0][2] = np.nan  # whole row: the instance lacks the view
    views[1][4, 1] = np.nan
    missing = np.zeros((INSTANCES, 3))
    missing[2, 0] = 1
    missing[5, 2] = 1
    csr = sparse.copy().tolil()
    csr[5] = 0
    csr = csr.tocsr()
    names = {
        "instance_names": [f"patient {i}" for i in range(INSTANCES)],
        "view_names": ["rna", "protein", "words"],
        "feature_names_1": ["α", "b", "c"],
    }
    path = tmp_path / "dataset.npz"
    np.savez(
        path,
        X1=views[0],
        X2=views[1],
        X3_data=csr.data,
        X3_indices=csr.indices,
        X3_indptr=csr.indptr,
        X3_shape=csr.shape,
        y=np.array(texts),
        missing=missing,
        **{key: np.array(value) for key, value in names.items()},
    )
    return path, Converted([*views, csr], np.array(texts), names, missing, "")
