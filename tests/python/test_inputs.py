"""All forms in which views and labels come."""

import m3lak
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from m3lak import M3LAKClassifier, join
from numpy.testing import assert_array_equal


def probabilities(model, X, y):
    return model.fit(X, y).predict_proba(X)


def test_all_forms_are_the_same(quick, task, stacked):
    views, y = task
    X, _ = stacked
    frames = {name: pd.DataFrame(x).add_prefix(name) for name, x in views.items()}
    expected = probabilities(quick(), views, y)
    assert_array_equal(probabilities(quick(), list(views.values()), y), expected)
    assert_array_equal(probabilities(quick(), frames, pd.Series(y)), expected)
    assert_array_equal(probabilities(quick(views=[6, 8]), X, y), expected)
    assert_array_equal(probabilities(quick(views=[slice(0, 6), slice(6, 14)]), X, y), expected)
    assert_array_equal(probabilities(quick(views=[range(6), list(range(6, 14))]), X, y), expected)
    assert_array_equal(probabilities(quick(views={"a": slice(6), "b": slice(6, 14)}), X, y),
                       expected)  # fmt: skip
    frame = pd.concat(frames.values(), axis=1)
    by_name = [list(part.columns) for part in frames.values()]
    assert_array_equal(probabilities(quick(views=by_name), frame, y), expected)


def test_a_single_array_is_one_view(quick, stacked):
    model = quick().fit(*stacked)
    assert model.view_names_ == ["view1"]
    assert model.n_features_in_ == 14


def test_views_of_a_dict_are_known_by_name(quick, task):
    views, y = task
    model = quick().fit(views, y)
    turned = dict(reversed(views.items()))
    assert_array_equal(model.predict_proba(turned), model.predict_proba(views))


@pytest.mark.parametrize("form", ["csr_array", "csc_matrix", "coo_array", "lil_matrix"])
def test_sparse(quick, task, form):
    views, y = task
    rough = {name: np.where(np.abs(x) > 1, x, 0) for name, x in views.items()}
    sparse = {name: getattr(scipy.sparse, form)(x) for name, x in rough.items()}
    rows = {name: scipy.sparse.csr_array(x) for name, x in rough.items()}
    found = probabilities(quick(), sparse, y)
    assert_array_equal(found, probabilities(quick(), rows, y))
    # Sums in another order end in another draw of the same posterior.
    assert np.abs(found - probabilities(quick(), rough, y)).mean() < 0.05


@pytest.mark.parametrize(
    "change",
    [
        np.asfortranarray,
        lambda x: x[::-1].copy()[::-1],  # steps are negative
        lambda x: x[:, ::-1].copy()[:, ::-1],
        lambda x: np.repeat(x, 2, axis=1)[:, ::2],
        lambda x: x.astype(">f8"),
        lambda x: x.astype(object),
        lambda x: np.ma.masked_array(x),
        lambda x: x.astype(np.longdouble),
        pd.DataFrame,
        lambda x: pd.DataFrame(x).astype("Float64"),
    ],
)
def test_layouts(quick, task, change):
    views, y = task
    changed = {name: change(x) for name, x in views.items()}
    expected = probabilities(quick(), views, y)
    assert_array_equal(probabilities(quick(), changed, y), expected)


def test_read_only_arrays_are_left_alone(quick, task):
    views, y = task
    copies = {name: x.copy() for name, x in views.items()}
    copies["view1"][3] = np.nan  # a missing view: its row is emptied, but not here
    before = {name: x.copy() for name, x in copies.items()}
    for x in copies.values():
        x.flags.writeable = False
    model = quick().fit(copies, y)
    model.predict(copies)
    for name, x in copies.items():
        assert_array_equal(x, before[name])


@pytest.mark.parametrize("dtype", [np.float16, np.int8, np.uint64, bool])
def test_other_types_of_numbers(quick, task, dtype):
    views, y = task
    rounded = {name: (x > 0 if dtype is bool else np.abs(4 * x)).astype(dtype)
               for name, x in views.items()}  # fmt: skip
    as_double = {name: x.astype(float) for name, x in rounded.items()}
    np.testing.assert_allclose(
        probabilities(quick(), rounded, y), probabilities(quick(), as_double, y), rtol=1e-4
    )


def test_missing_views(quick, task):
    views, y = task
    gaps = {name: x.copy() for name, x in views.items()}
    gaps["view2"][::3] = np.nan
    expected = quick().fit(gaps, y).predict_proba(gaps)
    rows = [None if np.isnan(row).all() else row for row in gaps["view2"]]
    assert_array_equal(probabilities(quick(), [gaps["view1"], rows], y), expected)
    model = quick().fit(views, y)
    first = views["view1"]
    assert_array_equal(model.predict_proba([first, None]), model.predict_proba({"view1": first}))
    nothing = np.full((80, 8), np.nan)
    nothing[0] = views["view2"][0]
    some = model.predict_proba([first, nothing])
    np.testing.assert_allclose(some[1:], model.predict_proba([first, None])[1:], rtol=1e-9)


def test_missing_cells(quick, task):
    views, y = task
    gaps = {name: x.copy() for name, x in views.items()}
    gaps["view1"][5, 2] = gaps["view2"][7, 0] = np.nan
    frame = {name: pd.DataFrame(x).astype("Float64") for name, x in gaps.items()}
    model = quick().fit(gaps, y)
    assert np.isfinite(model.predict_proba(gaps)).all()
    assert_array_equal(probabilities(quick(), frame, y), model.predict_proba(gaps))


def test_joined_tables(quick, task):
    views, y = task
    names = [f"s{n}" for n in range(80)]
    rna = pd.DataFrame(views["view1"], index=names)[:60]
    protein = pd.DataFrame(views["view2"], index=names)[20:][::-1]
    with pytest.raises(ValueError, match="m3lak.join"):
        quick().fit({"rna": rna, "protein": protein}, y[:60])
    joined = join({"rna": rna, "protein": protein})
    assert len(joined["rna"]) == len(joined["protein"]) == 80
    labels = pd.Series(y, index=names).reindex(joined["rna"].index)
    assert quick().fit(joined, labels).score(joined, labels) > 0.8


def test_muon(quick, task):
    anndata, mudata = pytest.importorskip("anndata"), pytest.importorskip("mudata")
    views, y = task
    names = [f"s{n}" for n in range(80)]
    obs = pd.DataFrame({"kind": np.where(y == 1, "ill", "well")}, index=names)
    parts = {
        "rna": anndata.AnnData(views["view1"][:70], obs=obs[:70]),
        "protein": anndata.AnnData(scipy.sparse.csr_matrix(views["view2"][10:]), obs=obs[10:]),
    }
    both = mudata.MuData(parts)
    both.obs["kind"] = obs["kind"].reindex(both.obs_names)
    model = quick().fit(both, "kind")
    assert model.view_names_ == ["rna", "protein"]
    assert set(model.predict(both)) <= {"ill", "well"}
    assert model.score(both, both.obs["kind"].astype(object).to_numpy()) > 0.8
    with pytest.raises(ValueError, match="no such column"):
        quick().fit(both, "colour")


def test_annotated_data(quick, task):
    anndata = pytest.importorskip("anndata")
    views, y = task
    data = anndata.AnnData(views["view1"], obsm={"protein": views["view2"]})
    data.obs["y"] = y
    model = quick(views=["X", "protein"]).fit(data, "y")
    assert model.view_names_ == ["X", "protein"]
    assert_array_equal(model.predict_proba(data), probabilities(quick(), list(views.values()), y))
    assert quick().fit(data, "y").view_names_ == ["X"]
    with pytest.raises(ValueError, match="'colour'"):
        quick(views=["colour"]).fit(data, "y")


@pytest.mark.parametrize(
    "labels",
    [
        lambda y: np.where(y == 1, "ill", "well"),
        lambda y: np.where(y == 1, "ill", "well").astype(object),
        lambda y: y == 1,
        lambda y: np.where(y == 1, -1, 1),
        lambda y: y.astype(np.float32),
        lambda y: pd.Series(y).astype("category"),
    ],
)
def test_labels_come_back_as_they_were(quick, task, labels):
    views, y = task
    given = labels(y)
    model = quick().fit(views, given)
    assert model.score(views, given) > 0.9
    assert_array_equal(model.classes_, np.unique(given))
    assert model.predict(views).dtype.kind == np.unique(given).dtype.kind


@pytest.mark.parametrize(
    ("hide", "setting"),
    [
        (lambda y, h: np.where(h, np.nan, y), {}),
        (lambda y, h: [None if gone else int(label) for label, gone in zip(y, h, strict=True)], {}),
        (lambda y, h: np.where(h, -1, y.astype(int)), dict(unlabeled=-1)),
        (lambda y, h: np.where(h, "?", y.astype(int).astype(str)), dict(unlabeled="?")),
    ],
)
def test_unknown_labels(quick, task, hide, setting):
    views, y = task
    hidden = np.arange(80) % 4 == 0
    model = quick(**setting).fit(views, hide(y, hidden))
    assert len(model.classes_) == 2
    expected = quick().fit(views, np.where(hidden, np.nan, y))
    assert_array_equal(model.predict_proba(views), expected.predict_proba(views))


def test_minus_one_is_a_class_unless_told(quick, task):
    views, _ = task
    y = np.arange(80) % 3 - 1
    assert quick().fit(views, y).classes_.tolist() == [-1, 0, 1]
    assert quick(unlabeled=-1).fit(views, y).classes_.tolist() == [0, 1]


def test_several_classes(quick, task):
    views, _ = task
    y = np.digitize(views["view1"][:, 0], [-0.5, 0.5])
    model = quick().fit(views, y)
    probability, spread = model.predict_proba(views, return_std=True)
    assert probability.shape == spread.shape == (80, 3)
    np.testing.assert_allclose(probability.sum(axis=1), 1)
    odds, std = model.decision_function(views, return_std=True)
    assert odds.shape == std.shape == (80, 3)
    assert_array_equal(model.classes_[odds.argmax(axis=1)], model.predict(views))
    np.testing.assert_allclose(1 / (1 + np.exp(-odds)), probability)


def test_large_arrays_are_not_copied():
    """While a dense view is read, memory does not grow by its size."""
    from m3lak import _core

    x = np.ones((2000, 5000))
    x[0] = 0

    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

    model = M3LAKClassifier()
    y = np.arange(2000) % 2
    model._read_training({"a": x[:2], "b": x[:2]}, y[:2])
    before = resident()
    data, _ = model._read_training({"a": x}, y)
    assert isinstance(data, _core.Dataset)
    assert resident() - before < x.nbytes / 10


def test_cuts_need_not_take_all_columns(quick, stacked):
    X, y = stacked
    some = quick(views=[[0, 1], [8]]).fit(X, y)
    assert some.n_features_in_ == 14
    assert_array_equal(some.predict_proba(X), probabilities(quick(), [X[:, :2], X[:, [8]]], y))


def test_masked_cells_are_missing(quick, stacked):
    X, y = stacked
    masked = np.ma.masked_greater(X, 1.5)
    expected = probabilities(quick(views=[6, 8]), np.where(X > 1.5, np.nan, X), y)
    assert_array_equal(probabilities(quick(views=[6, 8]), masked, y), expected)


@pytest.mark.parametrize("dtype", ["string", "Int64", object])
def test_labels_that_pandas_does_not_know(quick, task, dtype):
    views, y = task
    labels = pd.Series(y.astype(int), dtype=object).where(np.arange(80) % 4 > 0, pd.NA)
    if dtype == "string":
        labels = labels.map(lambda label: label if label is pd.NA else str(label))
    model = quick().fit(views, labels.astype(dtype))
    assert len(model.classes_) == 2


def test_a_failed_fit_changes_nothing(quick, task):
    views, y = task
    model = quick().fit(views, y)
    expected = model.predict_proba(views)
    for X, labels in [({"q": views["view1"]}, y[:5]), (views, np.zeros(80))]:
        with pytest.raises(ValueError):
            model.fit(X, labels)
        assert_array_equal(model.predict_proba(views), expected)


def test_labels_in_another_order(quick, task):
    views, y = task
    frames = {name: pd.DataFrame(x) for name, x in views.items()}
    with pytest.raises(ValueError, match="another order"):
        quick().fit(frames, pd.Series(y)[::-1])
    quick().fit(frames, pd.Series(y, index=[f"s{n}" for n in range(80)]))


def test_files_as_frames(tmp_path):
    (tmp_path / "rna.csv").write_text("id,g1,g2\na,1,2\nb,3,4\n")
    (tmp_path / "protein.csv").write_text("id,p1\na,5\nb,6\n")
    views, y = m3lak.read(tmp_path / "rna.csv", tmp_path / "protein.csv", as_frame=True)
    assert y is None
    assert list(views["rna"].columns) == ["g1", "g2"]
    assert list(views["protein"].index) == ["a", "b"]
