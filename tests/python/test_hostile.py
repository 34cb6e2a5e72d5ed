"""Bad input is refused with words that help, and nothing crashes the interpreter."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

X = np.random.default_rng(1).normal(size=(20, 4))
y = np.arange(20) % 2


@pytest.mark.parametrize(
    ("views", "words"),
    [
        ({}, "no view"),
        ([], "Expected 2D|0 sample|no view"),
        ({"a": X, "b": X[:10]}, "different numbers of instances: 'a' 20, 'b' 10"),
        ({"a": np.empty((0, 4))}, "0 sample"),
        ({"a": X, "b": np.empty((20, 0))}, "'b'.*0 feature"),
        ({"a": X[:, 0]}, "'a'.*Expected 2D"),
        ({"a": X[None]}, "'a'.*Expected 2D"),
        ({"a": X.astype(complex)}, "'a'.*[Cc]omplex"),
        ({"a": X, "b": np.where(X > 2, np.inf, X) - [np.inf, 0, 0, 0]}, "'b'.*infinite"),
        ({"a": np.full((20, 4), "x")}, "'a'.*'x'.*not a number"),
        ({"a": np.full((20, 4), "x", dtype=object)}, "'a': row 1, column 1.*'x'"),
        ({"a": pd.DataFrame({"g": range(20), "sex": ["f", "m"] * 10})}, "'sex' is not numeric"),
        ({"a": pd.DataFrame({"when": pd.date_range("2020", periods=20)})}, "'when'.*not numeric"),
        ({"a": np.full((20, 4), np.nan)}, "every instance lacks it|lacks all views"),
        ({"a": np.where(np.arange(20)[:, None] == 7, np.nan, X)}, "instance 8.*lacks all views"),
        ({"a": X, "b": None}, "'b' is None"),
        ({"a": object()}, "'a'"),
        ({"a": scipy.sparse.csr_matrix(X.astype(complex))}, "complex"),
        ({"a": [[1.0, 2.0], None, [3.0]] + [[1.0, 2.0]] * 17}, "'a': its rows have"),
        ("words", "."),
        (None, "."),
        (5, "."),
    ],
)
def test_views_that_are_refused(quick, views, words):
    with pytest.raises((ValueError, TypeError), match=words):
        quick().fit(views, y)


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (None, "requires y"),
        (y[:10], "inconsistent numbers of samples"),
        (np.zeros(20), "one class"),
        (np.full(20, np.nan), "no label of y is known"),
        (np.where(y, np.inf, 0), "infinity"),
        (X[:, 0], "Unknown label type"),
        (X, "1d|Unknown label"),
        ("kind", "only AnnData and MuData"),
    ],
)
def test_labels_that_are_refused(quick, labels, words):
    with pytest.raises(ValueError, match=words):
        quick().fit({"a": X}, labels)


@pytest.mark.parametrize(
    ("views", "words"),
    [
        ([3, 2], "add up to the 4"),
        ([4, 0], "must be positive"),
        ([], "one at least"),
        ("ab", "must be sizes"),
        (3, "must be sizes"),
        ([["a"], ["b"]], "X has none"),
        ([[0, 9]], "no columns"),
        ([None], "neither a slice nor"),
        ({"a": slice(0, 0)}, "0 feature"),
    ],
)
def test_cuts_that_are_refused(quick, views, words):
    with pytest.raises(ValueError, match=words):
        quick(views=views).fit(X, y)


def test_new_data_must_be_like_the_old(quick):
    first = pd.DataFrame(X, columns=list("abcd"))
    model = quick().fit({"rna": first, "protein": X}, y)
    with pytest.raises(ValueError, match="'rna': X has 3 features.*expecting 4"):
        model.predict({"rna": first[["a", "b", "c"]], "protein": X})
    with pytest.raises(ValueError, match="'rna': column 2 is 'x', but 'b'"):
        model.predict({"rna": first.rename(columns={"b": "x"}), "protein": X})
    with pytest.raises(ValueError, match="view 'dna'.*'rna', 'protein'"):
        model.predict({"dna": first})
    with pytest.raises(ValueError, match="3 views.*fitted with 2"):
        model.predict([X, X, X])
    with pytest.raises(ValueError, match="no view"):
        model.predict([None, None])


@pytest.mark.parametrize("size", [1e300, 1e-300, 1e150])
def test_huge_and_tiny_values(quick, size):
    """Whatever comes out, the interpreter lives, and it is a probability or a clear error."""
    try:
        p = quick().fit({"a": size * X, "b": X}, y).predict_proba({"a": size * X, "b": X})
    except ValueError as error:
        assert len(str(error)) > 10
    else:
        assert ((p >= 0) & (p <= 1)).all()


@pytest.mark.parametrize(("part", "value"), [("indices", 999), ("indices", -1), ("indptr", 9999)])
def test_damaged_sparse_matrices(quick, part, value):
    damaged = scipy.sparse.csr_array(X)
    getattr(damaged, part)[3] = value
    with pytest.raises(ValueError, match="'a'.*damaged"):
        quick().fit({"a": damaged, "b": X}, y)
    with pytest.raises(ValueError, match="damaged|range|ind"):
        quick().fit(damaged, y)


def test_constant_and_single_columns(quick):
    assert quick().fit({"a": np.ones((20, 1)), "b": X}, y).score({"a": np.ones((20, 1)), "b": X}, y)
    assert quick().fit({"a": X[:, :1]}, y).predict({"a": X[:1, :1]}).shape == (1,)


def test_arrays_may_go_away(quick):
    import gc

    views = {"a": X.copy(), "b": X.copy()}
    model = quick().fit(views, y)
    expected = model.predict_proba(views)
    del views
    gc.collect()
    np.testing.assert_array_equal(model.predict_proba({"a": X, "b": X}), expected)
