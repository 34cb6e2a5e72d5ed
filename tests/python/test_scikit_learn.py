"""Scikit-learn's own checks and tools."""

import inspect
import pickle

import numpy as np
import pytest
from m3lak import M3LAKClassifier, _core, preset
from quick_settings import QUICK
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks


@parametrize_with_checks([M3LAKClassifier(**QUICK)])
def test_an_estimator_as_scikit_learn_wants_it(estimator, check):
    check(estimator)


def test_parameters_are_those_of_the_table():
    own = {
        name: parameter.default
        for name, parameter in inspect.signature(M3LAKClassifier).parameters.items()
        if name not in ("views", "unlabeled", "random_state", "n_jobs", "verbose")
    }
    assert own == preset("default")
    table = [parameter.name.replace("-", "_") for parameter in _core.parameters()]
    assert [name for name in table if name not in ("seed", "threads")] == list(own)


def test_all_parameters_reach_the_model(task):
    changed = dict(
        QUICK, latent=2, private_latent=2, C=3.5, label_weight=0.5, base="isotropic",
        sample_concentration=True, thin=2, hmc="plain", relevance_rate=1e-4,
    )  # fmt: skip
    options = M3LAKClassifier(**changed).fit(*task).model_.options
    for name, value in changed.items():
        text = options.get(name.replace("_", "-"))
        assert text in (str(value), {True: "yes", False: "no"}.get(value)), name


def test_pipeline_and_grid_search(quick, stacked):
    X, y = stacked
    pipeline = make_pipeline(StandardScaler(), quick(views=[6, 8]))
    search = GridSearchCV(pipeline, {"m3lakclassifier__latent": [1, 3]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.8
    assert search.best_params_.keys() == {"m3lakclassifier__latent"}


def test_cross_validation_with_processes(quick, stacked):
    one = cross_val_score(quick(views=[6, 8]), *stacked, cv=3)
    two = cross_val_score(quick(views=[6, 8]), *stacked, cv=3, n_jobs=2)
    assert one.tolist() == two.tolist()


def test_calibration(quick, stacked):
    X, y = stacked
    calibrated = CalibratedClassifierCV(quick(views=[6, 8]), cv=3).fit(X, y)
    assert calibrated.score(X, y) > 0.9


def test_clone_and_pickle(quick, task):
    views, y = task
    model = quick(C=3).fit(views, y)
    assert clone(model).get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        clone(model).predict(views)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(views), model.predict_proba(views))
    assert again.view_names_ == model.view_names_
    np.testing.assert_array_equal(again.classes_, model.classes_)


def test_latent_space_as_a_data_frame(quick, stacked):
    X, y = stacked
    frame = quick(views=[6, 8]).fit(X, y).set_output(transform="pandas").transform(X)
    assert list(frame.columns) == ["m3lakclassifier0", "m3lakclassifier1", "m3lakclassifier2"]


def test_short_chains_are_warned_of(quick, task):
    with pytest.warns(ConvergenceWarning, match="checks of the chain failed.*raise iterations"):
        quick().fit(*task)


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        (dict(latent=-3), "`latent = -3`"),
        (dict(C="soon"), "`C = soon`"),
        (dict(hmc="wild"), "`hmc = wild`"),
        (dict(iterations=2.5), "`iterations = 2.5`"),
        (dict(burn_in=50), "must be below `iterations = 40`"),
        (dict(random_state=-1), "random_state"),
        (dict(n_jobs=0), "n_jobs"),
        (dict(latent=None), "`latent = None`"),
    ],
)
def test_bad_settings(quick, task, setting, words):
    with pytest.raises(ValueError, match=words):
        quick(**setting).fit(*task)
