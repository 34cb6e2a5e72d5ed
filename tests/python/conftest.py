"""What the tests of the Python package share: small data, and settings that take a moment."""

import warnings

import numpy as np
import pytest
from m3lak import M3LAKClassifier, simulate
from quick_settings import QUICK
from sklearn.exceptions import ConvergenceWarning


@pytest.fixture
def quick():
    """Makes classifiers that fit in a moment."""
    return lambda **more: M3LAKClassifier(**{**QUICK, **more})


@pytest.fixture(autouse=True)
def short_chains_are_no_news():
    """Chains of forty iterations fail checks; the tests of the warning ask for it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


@pytest.fixture(scope="session")
def task():
    """Views and labels: two views, 80 instances, a linear boundary."""
    return simulate(instances=80, views=(6, 8), latent=3, random_state=1)


@pytest.fixture(scope="session")
def fitted(task):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return M3LAKClassifier(**QUICK, chains=2).fit(*task)


@pytest.fixture(scope="session")
def stacked(task):
    """The same as one array."""
    views, y = task
    return np.hstack(list(views.values())), y
