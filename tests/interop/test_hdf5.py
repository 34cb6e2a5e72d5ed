"""Plain HDF5 files as h5py writes and reads them."""

import h5py
import numpy as np
import pytest
import scipy.sparse as sp
from converted import assert_same_views


def write_sparse(parent, name, matrix, shape="shape"):
    group = parent.create_group(name)
    group.attrs["encoding-type"] = f"{matrix.format}_matrix"
    group.attrs[shape] = matrix.shape
    for part in ("data", "indices", "indptr"):
        group[part] = getattr(matrix, part)


OPTIONS = [
    {},
    {"chunks": (3, 2)},
    {"compression": "gzip", "shuffle": True},
    {"fletcher32": True},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_dense_views(read, tmp_path, views, labels, options):
    with h5py.File(tmp_path / "d.h5", "w") as file:
        for k, view in enumerate(views, 1):
            file.create_dataset(f"X{k}", data=view, **options)
        file["y"] = labels
    got = read(tmp_path / "d.h5")
    assert_same_views(got.views, views)
    np.testing.assert_array_equal(got.labels, labels)


@pytest.mark.parametrize("dtype", ["?", "i1", ">i4", "<u8", "f2", ">f4", "f8"])
def test_types(read, tmp_path, rng, dtype):
    x = rng.integers(0, 100, (7, 4)).astype(dtype)
    with h5py.File(tmp_path / "d.h5", "w") as file:
        file["X1"] = x
        file["y"] = x[:, 0]
    got = read(tmp_path / "d.h5")
    assert_same_views(got.views, [x])
    np.testing.assert_array_equal(got.labels, x[:, 0].astype(float))


@pytest.mark.parametrize("dtype", [h5py.string_dtype(), "S9"], ids=str)
def test_labels_of_text(read, tmp_path, views, texts, dtype):
    with h5py.File(tmp_path / "d.h5", "w") as file:
        file["X1"] = views[0]
        file["y"] = np.array([text.encode() for text in texts], dtype=dtype)
    assert list(read(tmp_path / "d.h5").labels) == texts


@pytest.mark.parametrize("form", ["csr", "csc"])
@pytest.mark.parametrize("shape", ["shape", "h5sparse_shape"])
def test_sparse_views(read, tmp_path, sparse, form, shape):
    with h5py.File(tmp_path / "d.h5", "w") as file:
        write_sparse(file, "X1", sparse.asformat(form), shape)
    got = read(tmp_path / "d.h5")
    assert sp.issparse(got.views[0])
    assert_same_views(got.views, [sparse])


@pytest.mark.parametrize("name", ["X", "views"])
def test_group_of_views(read, tmp_path, views, sparse, name):
    with h5py.File(tmp_path / "d.h5", "w") as file:
        group = file.create_group(name)
        group["b"], group["a"] = views
        write_sparse(group, "c", sparse)
    got = read(tmp_path / "d.h5")
    assert_same_views(got.views, [views[1], views[0], sparse])
    assert got.names["view_names"] == ["a", "b", "c"]


def test_h5py_reads_what_is_written(m3lak, tmp_path, dataset):
    path, expected = dataset
    m3lak("convert", path, "-o", tmp_path / "out.h5")
    with h5py.File(tmp_path / "out.h5") as file:
        x3 = file["X3"]
        sparse = sp.csr_matrix(
            (x3["data"][:], x3["indices"][:], x3["indptr"][:]), shape=x3.attrs["shape"]
        )
        assert_same_views([file["X1"][:], file["X2"][:], sparse], expected.views)
        assert list(file["y"].asstr()) == list(expected.labels)
        for key, names in expected.names.items():
            assert list(file[key].asstr()) == names
        np.testing.assert_array_equal(file["missing"][:], expected.missing)


def test_everything_survives(m3lak, read, tmp_path, dataset):
    path, expected = dataset
    m3lak("convert", path, "-o", tmp_path / "out.h5")
    got = read(tmp_path / "out.h5")
    assert_same_views(got.views, expected.views)
    assert list(got.labels) == list(expected.labels)
    assert got.names.items() >= expected.names.items()
    np.testing.assert_array_equal(got.missing, expected.missing)
