"""NumPy's and SciPy's own files: .npy, .npz."""

import numpy as np
import pytest
import scipy.sparse as sp
from converted import assert_same_views

DTYPES = [
    "?",
    "i1",
    "u1",
    "<i2",
    ">i2",
    "<u4",
    ">i8",
    "<u8",
    "<f2",
    ">f2",
    "<f4",
    ">f4",
    "<f8",
    ">f8",
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", ["C", "F"])
def test_npy_of_every_type(read, tmp_path, rng, dtype, order):
    x = np.asarray(rng.integers(0, 100, (7, 33)), dtype=dtype, order=order)
    np.save(tmp_path / "x.npy", x)
    got = read("--view", tmp_path / "x.npy")
    assert_same_views(got.views, [x])
    assert got.names["view_names"] == ["x"]


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_npy_versions(read, tmp_path, views, version):
    with open(tmp_path / "x.npy", "wb") as file:
        np.lib.format.write_array(file, views[0], version=version)
    assert_same_views(read("--view", tmp_path / "x.npy").views, [views[0]])


@pytest.mark.parametrize("dtype", ["<i8", ">i2", "<f8", "U", ">U4", "S", "?"])
@pytest.mark.parametrize("column", [False, True])
def test_npy_labels(read, tmp_path, views, labels, dtype, column):
    y = (labels > 1).astype(int) if dtype == "?" else labels
    y = y.astype(dtype)
    np.save(tmp_path / "x.npy", views[0])
    np.save(tmp_path / "y.npy", y[:, None] if column else y)
    got = read("--view", tmp_path / "x.npy", "--labels", tmp_path / "y.npy")
    np.testing.assert_array_equal(got.labels, y.astype(float))


def test_npy_labels_of_text_and_unknown_ones(read, tmp_path, views, texts, labels):
    np.save(tmp_path / "x.npy", views[0])
    np.save(tmp_path / "y.npy", np.array(texts))
    got = read("--view", tmp_path / "x.npy", "--labels", tmp_path / "y.npy")
    assert list(got.labels) == texts
    numbers = np.where(labels == 2, np.nan, labels)
    np.save(tmp_path / "y.npy", numbers)
    got = read("--view", tmp_path / "x.npy", "--labels", tmp_path / "y.npy")
    np.testing.assert_array_equal(got.labels, numbers)


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_npz(read, tmp_path, views, labels, save):
    save(tmp_path / "d.npz", X1=views[0], X2=np.asfortranarray(views[1]), y=labels)
    got = read(tmp_path / "d.npz")
    assert_same_views(got.views, views)
    np.testing.assert_array_equal(got.labels, labels)
    assert got.names["view_names"] == ["X1", "X2"]


def test_npz_with_other_names(read, tmp_path, views, labels):
    np.savez(tmp_path / "d.npz", a=views[0], b=views[1], who=labels)
    got = read(tmp_path / "d.npz", "--view-variables", "b,a", "--label-column", "who")
    assert_same_views(got.views, views[::-1])
    np.testing.assert_array_equal(got.labels, labels)


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("compressed", [False, True])
def test_save_npz(read, tmp_path, sparse, form, compressed):
    sp.save_npz(tmp_path / "words.npz", sparse.asformat(form), compressed=compressed)
    got = read(tmp_path / "words.npz")
    assert sp.issparse(got.views[0])
    assert_same_views(got.views, [sparse])
    assert got.names["view_names"] == ["words"]


def test_instances_in_columns(read, tmp_path, views, labels):
    np.savez(tmp_path / "d.npz", X1=views[0].T, X2=views[1].T, y=labels)
    got = read(tmp_path / "d.npz")
    assert_same_views(got.views, views)
    assert "columns" in got.notes


def test_everything_survives_npz(read, dataset):
    path, expected = dataset
    got = read(path)
    assert_same_views(got.views, expected.views)
    assert list(got.labels) == list(expected.labels)
    assert got.names.items() >= expected.names.items()
    np.testing.assert_array_equal(got.missing, expected.missing)


def test_what_is_written_as_npy(m3lak, tmp_path, views, labels):
    np.savez(tmp_path / "d.npz", X1=views[0], X2=views[1], y=labels)
    m3lak("convert", tmp_path / "d.npz", "-o", tmp_path / "out.npy")
    written = [np.load(tmp_path / f"out.{part}.npy") for part in ("X1", "X2", "labels")]
    assert_same_views(written[:2], views)
    np.testing.assert_array_equal(written[2], labels)


def test_the_same_data_gives_the_same_file(m3lak, tmp_path, views, labels):
    np.savez(tmp_path / "d.npz", X1=views[0], y=labels)
    for name in ("a.npz", "b.npz"):
        m3lak("convert", tmp_path / "d.npz", "-o", tmp_path / name)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
