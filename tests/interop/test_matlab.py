"""MATLAB's files as SciPy, hdf5storage and Octave write and read them."""

import subprocess

import hdf5storage
import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from converted import assert_same_views


def cell(values):
    """A cell array, as both libraries understand it."""
    array = np.empty((1, len(values)), dtype=object)
    array[0, :] = values
    return array


def save_scipy(path, variables):
    scipy.io.savemat(path, variables)


def save_scipy_compressed(path, variables):
    scipy.io.savemat(path, variables, do_compression=True)


def save_73(path, variables):
    hdf5storage.savemat(str(path), variables, format="7.3", truncate_existing=True)


def octave(code):
    done = subprocess.run(
        ["octave-cli", "--no-init-file", "--eval", code],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


SAVERS = [save_scipy, save_scipy_compressed, save_73]
VERSION_5 = [save_scipy, save_scipy_compressed]


@pytest.mark.parametrize("save", SAVERS)
@pytest.mark.parametrize("shape", [(-1, 1), (1, -1)])
def test_dense_views(read, tmp_path, views, labels, save, shape):
    y = labels.astype(float).reshape(shape)
    save(tmp_path / "d.mat", {"X1": views[0], "X2": views[1], "y": y})
    got = read(tmp_path / "d.mat")
    assert_same_views(got.views, views)
    np.testing.assert_array_equal(got.labels, labels)


@pytest.mark.parametrize("save", SAVERS)
@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"])
def test_types(read, tmp_path, rng, save, dtype):
    x = rng.integers(0, 100, (40, 35)).astype(dtype)
    save(tmp_path / "d.mat", {"X1": x, "y": np.arange(40, dtype="i4")[:, None]})
    assert_same_views(read(tmp_path / "d.mat").views, [x])


@pytest.mark.parametrize("save", VERSION_5)
@pytest.mark.parametrize("dtype", ["f8", "?"])
def test_sparse_views(read, tmp_path, sparse, labels, save, dtype):
    x = sparse.astype(dtype)
    save(tmp_path / "d.mat", {"X1": x, "X2": x.toarray(), "y": labels[:, None]})
    got = read(tmp_path / "d.mat")
    assert sp.issparse(got.views[0]) and not sp.issparse(got.views[1])
    assert_same_views(got.views, [x, x])


@pytest.mark.parametrize("save", SAVERS)
def test_cell_of_views(read, tmp_path, views, labels, save):
    save(tmp_path / "d.mat", {"X": cell(views), "gt": labels[:, None]})
    got = read(tmp_path / "d.mat")
    assert_same_views(got.views, views)
    np.testing.assert_array_equal(got.labels, labels)


@pytest.mark.parametrize("save", VERSION_5)
def test_cell_of_dense_and_sparse_views(read, tmp_path, views, sparse, labels, save):
    save(tmp_path / "d.mat", {"X": cell([views[0], sparse]), "y": labels[:, None]})
    assert_same_views(read(tmp_path / "d.mat").views, [views[0], sparse])


@pytest.mark.parametrize("save", SAVERS)
def test_cell_of_labels(read, tmp_path, views, texts, save):
    save(tmp_path / "d.mat", {"X1": views[0], "y": cell(texts).T})
    assert list(read(tmp_path / "d.mat").labels) == texts


@pytest.mark.parametrize("save", VERSION_5)
def test_char_matrix_of_labels(read, tmp_path, views, save):
    texts = ["a", "bcd", "a", "a", "bcd", "ef", "a"]
    save(tmp_path / "d.mat", {"X1": views[0], "y": np.array(texts)})
    assert list(read(tmp_path / "d.mat").labels) == texts


@pytest.mark.parametrize("option", ["-v6", "-v7"])
def test_octave(read, tmp_path, option):
    octave(f"""
        X = {{reshape(1:14, 7, 2) / 3, sparse(eye(7)), single(ones(7, 3)), rand(7, 1) > 2}};
        y = {{'a'; 'bc'; 'a'; ''; 'bc'; 'a'; 'a'}}; info.made = 'by octave';
        save('{option}', '{tmp_path}/d.mat', 'X', 'y', 'info')
    """)
    got = read(tmp_path / "d.mat")
    first = np.arange(1.0, 15).reshape(2, 7).T / 3
    expected = [first, np.eye(7), np.ones((7, 3)), np.zeros((7, 1))]
    assert_same_views(got.views, expected)
    assert sp.issparse(got.views[1])
    assert list(got.labels) == ["a", "bc", "a", "", "bc", "a", "a"]


def names_of(array):
    return ["".join(np.ravel(item)) for item in array.ravel()]


def test_scipy_reads_what_is_written(m3lak, tmp_path, dataset):
    path, expected = dataset
    m3lak("convert", path, "-o", tmp_path / "out.mat")
    got = scipy.io.loadmat(tmp_path / "out.mat")
    assert_same_views([got["X1"], got["X2"], got["X3"]], expected.views)
    assert names_of(got["y"]) == list(expected.labels)
    for key, names in expected.names.items():
        assert names_of(got[key]) == names
    np.testing.assert_array_equal(got["missing"], expected.missing)


def test_hdf5storage_reads_what_is_written(m3lak, tmp_path, dataset):
    path, expected = dataset
    m3lak("convert", path, "--format", "mat73", "-o", tmp_path / "out.mat")
    got = hdf5storage.loadmat(str(tmp_path / "out.mat"))
    assert_same_views([got["X1"], got["X2"]], expected.views[:2])
    assert names_of(got["view_names"]) == expected.names["view_names"]
    np.testing.assert_array_equal(got["missing"], expected.missing)


@pytest.mark.parametrize("version", ["mat", "mat73"])
def test_everything_survives(m3lak, read, tmp_path, dataset, version):
    path, expected = dataset
    m3lak("convert", path, "--format", version, "-o", tmp_path / "out.mat")
    got = read(tmp_path / "out.mat")
    assert_same_views(got.views, expected.views)
    assert list(got.labels) == list(expected.labels)
    assert got.names.items() >= expected.names.items()
    np.testing.assert_array_equal(got.missing, expected.missing)


def test_octave_reads_what_is_written(m3lak, tmp_path, dataset):
    path, expected = dataset
    m3lak("convert", path, "-o", tmp_path / "out.mat")
    octave(f"""
        d = load('{tmp_path}/out.mat');
        assert(issparse(d.X3)); assert(iscellstr(d.y)); assert(d.view_names{{2}}, 'protein');
        assert(d.y{{2}}, 'bonn'); assert(d.y{{1}}, 'köln'); assert(d.y{{4}}, '');
        X1 = d.X1; X2 = d.X2; X3 = full(d.X3);
        save('-v6', '{tmp_path}/again.mat', 'X1', 'X2', 'X3')
    """)
    got = scipy.io.loadmat(tmp_path / "again.mat")
    assert_same_views([got["X1"], got["X2"], got["X3"]], expected.views)
