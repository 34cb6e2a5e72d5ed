"""MuData's and AnnData's files."""

import warnings

import h5py
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from anndata import AnnData
from converted import INSTANCES, assert_same_views

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of versions to come
    import mudata

NAMES = [f"cell{i}" for i in range(INSTANCES)]
FORMATS = [np.asarray, sp.csr_matrix, sp.csc_matrix]
COLUMNS = {
    "category": pd.Categorical(["t", "b", None, "t", "b", "t", "b"]),
    "text": ["t", "b", "b", "t", "b", "t", "b"],
    "number": [2.5, 1.0, np.nan, 2.5, 1.0, 1.0, 1.0],
    "integer": [3, 1, 2, 1, 3, 2, 1],
    "flag": [True, False, True, True, False, True, False],
    "nullable": pd.array([1, None, 3, 1, 3, 1, 1], dtype="Int64"),
    "nullable_flag": pd.array([True, None, False, True, True, False, True], dtype="boolean"),
}


def modality(x, rows=NAMES, prefix="g", obs=None):
    return AnnData(
        x,
        obs=pd.DataFrame(obs or {}, index=list(rows)),
        var=pd.DataFrame(index=[f"{prefix}{j}" for j in range(x.shape[1])]),
    )


def write(path, modalities, columns=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = mudata.MuData(modalities)
        for name, values in (columns or {}).items():
            data.obs[name] = pd.Series(values, index=NAMES)
        data.write(path)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4"])
def test_modalities(read, tmp_path, sparse, form, dtype):
    x = (sparse.toarray() * 100).astype(dtype)
    write(
        tmp_path / "d.h5mu", {"rna": modality(form(x)), "atac": modality(form(2 * x), prefix="p")}
    )
    got = read(tmp_path / "d.h5mu")
    assert sp.issparse(got.views[0]) == (form is not np.asarray)
    assert_same_views(got.views, [x, 2 * x])
    assert got.names["view_names"] == ["rna", "atac"]
    assert got.names["instance_names"] == NAMES
    assert got.names["feature_names_2"] == [f"p{j}" for j in range(6)]
    assert got.labels is None


@pytest.mark.parametrize("column", COLUMNS)
def test_labels(read, tmp_path, views, column):
    write(tmp_path / "d.h5mu", {"rna": modality(views[0])}, COLUMNS)
    got = read(tmp_path / "d.h5mu", "--label-column", column)
    series = pd.Series(COLUMNS[column])
    if column in ("category", "text"):
        assert list(got.labels) == list(series.astype(object).fillna(""))
    else:
        np.testing.assert_array_equal(
            got.labels, series.astype("Float64").to_numpy(float, na_value=np.nan)
        )


def test_columns_are_named_when_no_label_is(read, tmp_path, views):
    write(tmp_path / "d.h5mu", {"rna": modality(views[0])}, COLUMNS)
    notes = read(tmp_path / "d.h5mu").notes
    assert all(column in notes for column in COLUMNS)


@pytest.mark.parametrize("column", ["leiden", "rna:leiden"])
def test_labels_of_a_modality(read, tmp_path, views, column):
    leiden = list("abcabca")
    write(
        tmp_path / "d.h5mu",
        {"rna": modality(views[0], obs={"leiden": leiden}), "atac": modality(views[1], prefix="p")},
    )
    with h5py.File(tmp_path / "d.h5mu", "a") as file:  # mudata copies it; others do not
        file["obs"].attrs["column-order"] = []
        for name in list(file["obs"]):
            if "leiden" in name:
                del file["obs"][name]
    assert list(read(tmp_path / "d.h5mu", "--label-column", column).labels) == leiden


def test_subsets_and_orders(read, tmp_path, views, sparse):
    some, other = [4, 0, 6, 2, 1, 3, 5], [5, 3, 0, 4]
    write(
        tmp_path / "d.h5mu",
        {
            "rna": modality(views[0][some], [NAMES[i] for i in some]),
            "atac": modality(sparse[other], [NAMES[i] for i in other], prefix="p"),
        },
        {"label": list("abcabca")},
    )
    got = read(tmp_path / "d.h5mu", "--label-column", "label")
    order = [NAMES.index(name) for name in got.names["instance_names"]]
    assert sorted(order) == list(range(INSTANCES))
    assert list(got.labels) == ["abcabca"[i] for i in order]
    expected = sparse.toarray()
    expected[[i for i in range(INSTANCES) if i not in other]] = 0
    assert_same_views(got.views, [views[0][order], expected[order]])
    np.testing.assert_array_equal(got.missing[:, 1] != 0, [i not in other for i in order])


@pytest.mark.parametrize("form", FORMATS)
def test_h5ad(read, tmp_path, sparse, form):
    x = form(sparse.toarray())
    data = modality(x, obs={"kind": list("abcabca")})
    data.write(tmp_path / "blood.h5ad")
    got = read(tmp_path / "blood.h5ad", "--label-column", "kind")
    assert_same_views(got.views, [sparse])
    assert got.names["view_names"] == ["blood"]
    assert list(got.labels) == list("abcabca")


def test_old_categories(read, tmp_path, views):
    data = modality(views[0], obs={"kind": list("abcabca")})
    data.write(tmp_path / "d.h5ad")
    with h5py.File(tmp_path / "d.h5ad", "a") as file:
        obs = file["obs"]
        del obs["kind"]
        obs["kind"] = np.array([0, 1, -1, 0, 1, 1, 0], dtype="i1")
        obs["__categories/kind"] = ["x", "y"]
    got = read(tmp_path / "d.h5ad", "--label-column", "kind")
    assert list(got.labels) == ["x", "y", "", "x", "y", "y", "x"]


def test_mudata_reads_what_is_written(m3lak, tmp_path, dataset):
    path, expected = dataset
    m3lak("convert", path, "-o", tmp_path / "out.h5mu")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mudata.set_options(pull_on_update=False)  # else it warns of the next version
        got = mudata.read_h5mu(tmp_path / "out.h5mu")
    assert list(got.mod) == expected.names["view_names"]
    assert list(got.obs_names) == expected.names["instance_names"]
    assert [label if isinstance(label, str) else "" for label in got.obs["label"]] == list(
        expected.labels
    )
    for v, (name, x) in enumerate(zip(got.mod, expected.views, strict=True)):
        there = np.flatnonzero(expected.missing[:, v] == 0)
        assert list(got[name].obs_names) == [expected.names["instance_names"][i] for i in there]
        assert sp.issparse(got[name].X) == sp.issparse(x)
        assert_same_views([got[name].X], [x[there]])
    assert list(got["rna"].var_names) == expected.names["feature_names_1"]
    assert list(got["words"].var_names) == [f"words:f{j}" for j in range(1, 7)]
    np.testing.assert_array_equal(got.obsmap["rna"] == 0, expected.missing[:, 0])


def test_everything_survives(m3lak, read, tmp_path, dataset):
    path, expected = dataset
    m3lak("convert", path, "-o", tmp_path / "out.h5mu")
    got = read(tmp_path / "out.h5mu", "--label-column", "label")
    order = [got.names["instance_names"].index(name) for name in expected.names["instance_names"]]
    assert_same_views([view[order] for view in got.views], expected.views)
    assert list(got.labels[order]) == list(expected.labels)
    np.testing.assert_array_equal(got.missing[order], expected.missing)
