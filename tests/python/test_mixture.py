"""The Dirichlet process mixture."""

import pickle

import numpy as np
import pytest
from m3lak import DirichletProcessMixture
from sklearn.utils.estimator_checks import parametrize_with_checks

QUICK = {"iterations": 20, "burn_in": 10}


@pytest.fixture
def groups():
    rng = np.random.default_rng(3)
    of = rng.integers(0, 3, 900)
    centres = np.array([[-8.0, 0.0], [0.0, 7.0], [8.0, -2.0]])
    return centres[of] + rng.normal(size=(900, 2)), of, centres


@parametrize_with_checks([DirichletProcessMixture(**QUICK)])
def test_an_estimator_as_scikit_learn_wants_it(estimator, check):
    check(estimator)


def test_finds_groups(groups):
    X, of, centres = groups
    mixture = DirichletProcessMixture().fit(X)
    heavy = mixture.weights_ > 0.05
    assert heavy.sum() == 3
    nearest = np.abs(mixture.means_[heavy][:, None] - centres).max(axis=2).min(axis=1)
    assert nearest.max() < 0.5
    assert mixture.covariances_.shape == (mixture.n_components_, 2, 2)
    assert mixture.weights_.sum() < 1
    assert len(mixture.component_counts_) == 100
    labels = mixture.predict(X)
    agree = sum(np.bincount(labels[of == group]).max() for group in range(3))
    assert agree > 0.98 * len(X)
    np.testing.assert_array_equal(labels, mixture.predict_proba(X).argmax(axis=1))


def test_density_is_near_the_true_one(groups):
    X, _, centres = groups
    mixture = DirichletProcessMixture().fit(X)
    rng = np.random.default_rng(4)
    new = centres[rng.integers(0, 3, 4000)] + rng.normal(size=(4000, 2))
    away = ((new[:, None] - centres) ** 2).sum(axis=2)
    true = np.log(np.exp(-away / 2).sum(axis=1) / (3 * 2 * np.pi))
    assert abs(mixture.score(new) - true.mean()) < 0.05
    assert mixture.score(new) == mixture.score_samples(new).mean()


def test_threads_and_pickle_do_not_matter(groups):
    X = groups[0]
    one = DirichletProcessMixture(**QUICK, n_jobs=1).fit(X)
    two = DirichletProcessMixture(**QUICK, n_jobs=2).fit(X)
    again = pickle.loads(pickle.dumps(one))
    for other in (two, again):
        np.testing.assert_array_equal(one.score_samples(X), other.score_samples(X))


def test_parameters_reach_the_sampler(groups):
    mixture = DirichletProcessMixture(
        **QUICK, mean=[1, 2], scale=np.eye(2), dof=7, strength=0.5, concentration=0.3,
        sample_concentration=False, thin=2,
    ).fit(groups[0])  # fmt: skip
    assert mixture.concentration_ == 0.3
    used = mixture._mixture.options
    assert (used.dof, used.strength, used.thin) == (7, 0.5, 2)
    np.testing.assert_array_equal(used.mean, [1, 2])


@pytest.mark.parametrize(
    "bad",
    [{"dof": 0.5}, {"concentration": -1}, {"iterations": 5}, {"mean": [1]}, {"thin": "often"},
     {"scale": -np.eye(2)}],
)  # fmt: skip
def test_bad_parameters_are_named(groups, bad):
    with pytest.raises(ValueError, match=next(iter(bad)) if "iterations" not in bad else "burn_in"):
        DirichletProcessMixture(**bad).fit(groups[0])
