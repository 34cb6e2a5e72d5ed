"""M³LAK as a classifier of scikit-learn's kind."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from m3lak import _core, _labels
from m3lak._base import ViewsClassifier, log_odds, seed_of, threads_of
from m3lak._learned import Learned
from m3lak._progress import Bar

# What scikit-learn calls otherwise.
other_names = {"seed": "random_state", "threads": "n_jobs"}


def to_text(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (np.integer, np.floating)):
        value = value.item()
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    return str(value)


def from_text(text: str) -> Any:
    if text in ("yes", "no"):
        return text == "yes"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def settings_of(options: _core.Options) -> dict[str, Any]:
    """As parameters of the classifier, without seed and threads."""
    return {
        parameter.name.replace("-", "_"): from_text(options.get(parameter.name))
        for parameter in _core.parameters()
        if parameter.name not in other_names
    }


def preset(name: str) -> dict[str, Any]:
    """Parameters of a preset, "default" or "paper", for ``M3LAKClassifier(**preset(name))``.

    >>> preset("paper")["latent"]
    20
    """
    return settings_of(_core.Options.preset(name))


class M3LAKClassifier(Learned, ClassNamePrefixFeaturesOutMixin, TransformerMixin, ViewsClassifier):
    """Multi-view classifier with a learned kernel, fitted by Markov chain Monte Carlo.

    The defaults are right for most data: how to scale the views and how much each counts is found
    out inside of the training data, and so are the probabilities.

    Parameters
    ----------
    latent : int or "auto"
        Dimension of the latent space that all views share.
    features : int
        Number of random frequencies; too few cannot draw a curved boundary.
    C : float or "auto"
        Weight of the hinge; "auto": chosen among 1 … 10 by cross-validation.
    scaling : str
        "auto", "none", "center", "standardize", "equal-variance", "unit-length", "root-center",
        "root-standardize" or "root-unit-length".
    calibrate : bool
        Fit probabilities to held-out scores. Without it fitting is quicker.
    iterations, burn_in, chains : int
        Of the sampler: iterations in all, those thrown away at the start, independent chains.
    views : None, sequence or dict
        How one array or DataFrame is cut into views: sizes, slices or lists of columns (by number
        or name), or a dict of names and these. None: it is one view. Of an AnnData: which of X,
        layers and obsm. Not needed if ``X`` is a list or dict of views.
    unlabeled : object
        A label that means "not known", as -1 does in scikit-learn's semi-supervised learning. NaN
        and None always do. Unknown labels are learned from as far as views go.
    random_state : int, RandomState instance or None
        An integer gives the same bits as the program's ``--seed``, for any ``n_jobs``.
    n_jobs : int or None
        Threads. None: as OMP_NUM_THREADS says, or as many as there are cores.
    verbose : int
        1 shows progress.

    The other parameters are settings of the model and its sampler, as the program has them:
    docs/settings.md says what each does.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    view_names_ : list of str
        The names of the views.
    n_features_in_ : int
        Features of all views.
    model_ : object
        What the library learned. ``save`` and ``load`` keep it in a file of the program's.

    Examples
    --------
    >>> from m3lak import M3LAKClassifier, simulate
    >>> views, y = simulate(instances=150, views=(10, 6), random_state=1)
    >>> sorted(views)
    ['view1', 'view2']
    >>> model = M3LAKClassifier(iterations=60, burn_in=30, calibrate=False).fit(views, y)
    >>> model.score(views, y) > 0.9
    True

    One array will do, so that scikit-learn's tools can cut it by rows:

    >>> import numpy as np
    >>> from sklearn.model_selection import cross_val_score
    >>> X = np.hstack([views["view1"], views["view2"]])
    >>> quick = M3LAKClassifier(views=[10, 6], iterations=60, burn_in=30, calibrate=False)
    >>> bool(cross_val_score(quick, X, y, cv=3).mean() > 0.8)
    True
    """

    def __init__(
        self,
        *,
        latent: int | str = "auto",
        private_latent: int = 1,
        features: int = 100,
        linear: int = 512,
        linear_variance: float = 3,
        C: float | str = 2,
        weight_precision: float = 1,
        sample_weight_precision: bool = False,
        weight_shape: float = 1,
        weight_rate: float = 1,
        label_weight: float = 0,
        relevance_shape: float = 0.1,
        relevance_rate: float = 1e-05,
        private_precision: float = 1,
        noise_shape: float = 0.01,
        noise_rate: float = 1e-05,
        concentration: float = 1,
        sample_concentration: bool = False,
        concentration_shape: float = 1,
        concentration_rate: float = 1,
        base: str = "reconstruction",
        base_mean: float = 0,
        base_strength: float = 10,
        base_dof: float | str = "auto",
        base_scale: float = 0.5,
        scaling: str = "auto",
        fits: int = 2,
        follow_ridge: bool = True,
        iterations: int = 500,
        burn_in: int = 100,
        thin: int | str = "auto",
        chains: int = 1,
        draws_memory: int = 2048,
        precision: str = "double",
        start: str = "svd",
        hmc: str = "preconditioned",
        sweep: str = "one-by-one",
        latent_leapfrog: int = 3,
        frequency_leapfrog: int = 3,
        weight_leapfrog: int = 20,
        target_acceptance: float = 0.8,
        integrate_private: bool = True,
        integrate_augmentation: bool = True,
        tuning_folds: int = 5,
        calibrate: bool = True,
        views: Any = None,
        unlabeled: Any = None,
        random_state: Any = 1,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.latent = latent
        self.private_latent = private_latent
        self.features = features
        self.linear = linear
        self.linear_variance = linear_variance
        self.C = C
        self.weight_precision = weight_precision
        self.sample_weight_precision = sample_weight_precision
        self.weight_shape = weight_shape
        self.weight_rate = weight_rate
        self.label_weight = label_weight
        self.relevance_shape = relevance_shape
        self.relevance_rate = relevance_rate
        self.private_precision = private_precision
        self.noise_shape = noise_shape
        self.noise_rate = noise_rate
        self.concentration = concentration
        self.sample_concentration = sample_concentration
        self.concentration_shape = concentration_shape
        self.concentration_rate = concentration_rate
        self.base = base
        self.base_mean = base_mean
        self.base_strength = base_strength
        self.base_dof = base_dof
        self.base_scale = base_scale
        self.scaling = scaling
        self.fits = fits
        self.follow_ridge = follow_ridge
        self.iterations = iterations
        self.burn_in = burn_in
        self.thin = thin
        self.chains = chains
        self.draws_memory = draws_memory
        self.precision = precision
        self.start = start
        self.hmc = hmc
        self.sweep = sweep
        self.latent_leapfrog = latent_leapfrog
        self.frequency_leapfrog = frequency_leapfrog
        self.weight_leapfrog = weight_leapfrog
        self.target_acceptance = target_acceptance
        self.integrate_private = integrate_private
        self.integrate_augmentation = integrate_augmentation
        self.tuning_folds = tuning_folds
        self.calibrate = calibrate
        self.views = views
        self.unlabeled = unlabeled
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _options(self) -> _core.Options:
        options = _core.Options()
        for parameter in _core.parameters():
            if parameter.name not in other_names:
                value = getattr(self, parameter.name.replace("-", "_"))
                options.set(parameter.name, to_text(value))
        options.set("seed", str(seed_of(self.random_state)))
        threads = threads_of(self.n_jobs)
        options.set("threads", str(threads) if threads else "auto")
        options.check()
        return options

    def fit(self, X: Any, y: Any) -> M3LAKClassifier:
        """Learns from views and labels.

        Parameters
        ----------
        X : list, dict, array, sparse matrix, DataFrame, AnnData or MuData
            The views, each with one row an instance: a list of arrays, a dict of names and arrays
            or DataFrames, or one array or DataFrame (see ``views``). A cell that is not known is
            NaN; a row of nothing but NaN is a missing view.
        y : array or str
            The labels; of an AnnData or MuData also the name of a column of ``obs``.

        Ctrl-C ends it after the current iteration. What was drawn by then is there, if anything
        was; KeyboardInterrupt is raised all the same.
        """
        options = self._options()
        data, found = self._read_training(X, y)
        bar = Bar() if self.verbose else None
        try:
            model, interrupt = _core.fit(data, options, bar)
        finally:
            if bar:
                bar.close()
        if model is not None:
            self._become(found)
            self._keep(model)
        if interrupt is not None:
            raise interrupt
        self._warn()
        return self

    def _keep(self, model: _core.Model) -> None:
        self.model_ = model
        self._n_features_out = int(model.options.get("latent"))

    def _warn(self) -> None:
        failed = [check for check in self.checks_ if not check["passed"]]
        if failed:
            told = "; ".join(
                f"{check['name']} ({check['value']:.4g}): {check['remedy']}" for check in failed
            )
            warnings.warn(
                f"{len(failed)} of {len(self.checks_)} checks of the chain failed, take results "
                f"with care. {told}",
                ConvergenceWarning,
                stacklevel=3,
            )

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        if "model_" in state:
            state = {**state, "model_": state["model_"].bytes()}
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if isinstance(state.get("model_"), bytes):
            state = {**state, "model_": _core.Model.from_bytes(state["model_"])}
        super().__setstate__(state)

    def _predict(self, X: Any, latent_spread: bool = False) -> _core.Prediction:
        data = self._read(X)
        return self.model_.predict(data, threads_of(self.n_jobs), latent_spread)

    def predict_proba(
        self, X: Any, return_std: bool = False
    ) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        """The probability of each class, in the order of ``classes_``.

        With ``return_std``, also their standard deviation over the posterior, to first order.
        """
        check_is_fitted(self)
        found = self._predict(X)
        probability = np.ascontiguousarray(found.probability)
        if not return_std:
            return probability
        return probability, np.ascontiguousarray(found.probability_spread)

    def decision_function(
        self, X: Any, return_std: bool = False
    ) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        """The log odds of the second class; of several classes, of each against the rest.

        With ``return_std``, also their standard deviation over the posterior, to first order.
        """
        check_is_fitted(self)
        found = self._predict(X)
        odds = log_odds(found.probability)
        if not return_std:
            return odds
        p, spread = found.probability, found.probability_spread
        rest = p[:, ::-1] if p.shape[1] == 2 else 1 - p
        std = spread / np.maximum(p * rest, np.finfo(float).tiny)
        return odds, (std[:, 1] if p.shape[1] == 2 else std)

    def transform(
        self, X: Any, return_std: bool = False
    ) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        """The latent representation that the views share: its posterior mean, given the views.

        With ``return_std``, also its standard deviation, which is larger where views are missing.
        """
        check_is_fitted(self)
        found = self._predict(X, latent_spread=return_std)
        mean = np.ascontiguousarray(found.latent)
        return (mean, np.ascontiguousarray(found.latent_spread)) if return_std else mean

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model to a file that ``load`` and the program ``m3lak`` read."""
        check_is_fitted(self)
        if not Path(path).absolute().parent.is_dir():
            raise FileNotFoundError(f"{path}: there is no such folder")
        self.model_.save(Path(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str], views: Any = None) -> M3LAKClassifier:
        """A classifier from a file that ``save`` or ``m3lak train`` wrote.

        Classes are numbers if all of their names are. ``views``: as for the constructor; files do
        not say how one array is cut.
        """
        with open(path, "rb"):  # so that a file that is not there is the usual error
            pass
        model = _core.Model.load(Path(path))
        made = cls(**settings_of(model.options), views=views)
        made.random_state = int(model.options.get("seed"))
        made.classes_ = _labels.from_texts(model.classes)
        made.view_names_ = [scale["name"] for scale in model.scales]
        made._features = [len(scale["mean"]) for scale in model.scales]
        made.n_features_in_ = sum(made._features)
        made._keep(model)
        return made
