"""What all classifiers of the package have in common: views in, scikit-learn's manners out."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import (
    _num_samples,
    check_consistent_length,
    check_is_fitted,
    check_random_state,
    validate_data,
)

from m3lak import _core, _labels, _views


def threads_of(n_jobs: int | None) -> int:
    """As the library counts: 0 is as many as there are cores."""
    if n_jobs is None:
        # What users and process pools set to share a machine.
        limit = os.environ.get("OMP_NUM_THREADS", "")
        return int(limit) if limit.isdigit() else 0
    if n_jobs == 0:
        raise ValueError("n_jobs == 0 has no meaning")
    return n_jobs if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)


def seed_of(random_state: Any) -> int:
    if isinstance(random_state, (int, np.integer)):
        if random_state < 0:
            raise ValueError(f"random_state={random_state}: must be at least 0")
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31))


class ViewsClassifier(ClassifierMixin, BaseEstimator):
    """Reads views and labels; subclasses fit and predict with the library's data."""

    views: Any
    unlabeled: Any
    n_jobs: int | None
    random_state: Any
    classes_: np.ndarray
    view_names_: list[str]
    _needs_all_views = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags

    def _read_training(self, X: Any, y: Any) -> tuple[_core.Dataset, dict[str, Any]]:
        """The library's data, and the attributes that it gives the classifier once it is fitted."""
        views = self._views_of(X, training=True)
        missing = [view.name for view in views if view.values is None]
        if missing:
            raise ValueError(f"view {missing[0]!r} is None: leave it out of the training data")
        data = _views.dataset(views)
        features = [view.values.shape[1] for view in views]
        found = {
            "view_names_": [view.name for view in views],
            "_features": features,
            "classes_": self._read_labels(X, y, data),
        }
        if _views.is_several(X):
            found["n_features_in_"] = sum(features)
        return data, found

    def _read(self, X: Any) -> _core.Dataset:
        """The library's data, whose views and features must be those of training."""
        views = self._views_of(X, training=False)
        return _views.dataset(self._known(views, by_name=_views.has_names(X)))

    def _views_of(self, X: Any, *, training: bool) -> list[_views.NamedView]:
        if not _views.is_several(X):
            if isinstance(X, np.ma.MaskedArray):
                X = X.astype(np.float64).filled(np.nan)
            checked = validate_data(
                self, X, reset=training, accept_sparse="csr", accept_large_sparse=True,
                dtype=[np.float64, np.float32], ensure_all_finite="allow-nan",
                skip_check_array=_views.is_frame(X),
            )  # fmt: skip
            X = X if _views.is_frame(X) else checked
        return [_views.matrix(name, value) for name, value in _views.split(X, self.views)]

    def _become(self, attributes: dict[str, Any]) -> None:
        for name, value in attributes.items():
            setattr(self, name, value)

    def _known(self, views: list[_views.NamedView], by_name: bool) -> list[_views.NamedView]:
        """Views of new data, in the order of training; one may be None, or not in a dict."""
        known = self.view_names_
        who = type(self).__name__
        if not by_name:
            if len(views) != len(known):
                raise ValueError(
                    f"X has {len(views)} views, but {who} was fitted with {len(known)} ({known}); "
                    "give None for a view that is missing"
                )
            for view, name in zip(views, known, strict=True):
                view.name = name
        for view in views:
            if view.name not in known:
                raise ValueError(f"X has a view {view.name!r}; {who} was fitted with {known}")
            if view.values is None:
                continue
            expected = self._features[known.index(view.name)]
            if view.values.shape[1] != expected:
                raise ValueError(
                    f"view {view.name!r}: X has {view.values.shape[1]} features, but {who} is "
                    f"expecting {expected} features as input"
                )
        present = {view.name for view in views if view.values is not None}
        if self._needs_all_views and len(present) < len(known):
            missing = [name for name in known if name not in present]
            raise ValueError(f"X lacks {missing}, and {who} needs all views")
        return sorted(views, key=lambda view: known.index(view.name))

    def _read_labels(self, X: Any, y: Any, data: _core.Dataset) -> np.ndarray:
        """Gives the data its labels; returns the classes."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None"
            )
        if isinstance(y, str):
            y = labels_column(X, y)
        elif _views.is_frame(X) or not _views.is_several(X):
            check_consistent_length(X, y)
        if _num_samples(y) != data.instances:
            raise ValueError(
                f"Found input variables with inconsistent numbers of samples: X has "
                f"{data.instances}, y {_num_samples(y)}"
            )
        _views.refuse_other_order(X, y)
        classes, of = _labels.encode(y, self.unlabeled)
        data.set_labels(_labels.texts(classes), of)
        return classes

    def _predict(self, X: Any) -> _core.Prediction:
        raise NotImplementedError

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each instance."""
        check_is_fitted(self)
        return self.classes_[np.asarray(self._predict(X).label, dtype=np.intp)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class, in the order of ``classes_``."""
        check_is_fitted(self)
        return np.ascontiguousarray(self._predict(X).probability)

    def decision_function(self, X: Any) -> np.ndarray:
        """The log odds of the second class; of several classes, of each against the rest."""
        check_is_fitted(self)
        return log_odds(self._predict(X).probability)


def log_odds(probability: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):
        if probability.shape[1] == 2:
            return np.log(probability[:, 1]) - np.log(probability[:, 0])
        rest = probability.sum(axis=1, keepdims=True) - probability
        return np.log(probability) - np.log(np.maximum(rest, np.finfo(float).tiny))


def labels_column(X: Any, name: str) -> Any:
    """A column of `obs`, where X has one."""
    obs = getattr(X, "obs", None)
    if obs is None:
        raise ValueError(f"y={name!r}: only AnnData and MuData have labels by name; give an array")
    if name not in obs:
        raise ValueError(f"y={name!r}: obs has no such column; it has {list(obs.columns)}")
    return obs[name].astype(object).to_numpy()
