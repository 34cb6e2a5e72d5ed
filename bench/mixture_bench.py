"""The Dirichlet process mixture against scikit-learn's BayesianGaussianMixture (variational, the
same model cut off at 20 components), on points of a known mixture of ten Gaussians: seconds of a
fit with default settings, seconds of all cores together (which other work on the machine hardly
changes), and the mean log density of 50,000 points held out.

bench/run mixture [POINTSxCOLUMNS…]    default 100000x8 1000000x2
"""

import sys
import time
import warnings

import numpy as np
from m3lak import DirichletProcessMixture
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import BayesianGaussianMixture

components, held_out = 10, 50_000
warnings.simplefilter("ignore", ConvergenceWarning)


class Truth:
    def __init__(self, d, rng):
        self.weights = rng.dirichlet(np.full(components, 3))
        # As far apart in any number of dimensions.
        self.means = rng.normal(0, 10 / np.sqrt(d), (components, d))
        spread = rng.normal(size=(components, d, d)) / np.sqrt(d)
        self.factors = np.linalg.cholesky(spread @ spread.transpose(0, 2, 1) + 0.3 * np.eye(d))

    def draw(self, count, rng):
        of = rng.choice(components, count, p=self.weights)
        noise = rng.normal(size=(count, self.means.shape[1]))
        return self.means[of] + np.einsum("nij,nj->ni", self.factors[of], noise)

    def score(self, X):
        logs = []
        for weight, mean, factor in zip(self.weights, self.means, self.factors, strict=True):
            away = np.linalg.solve(factor, (X - mean).T)
            log_size = np.log(np.diag(factor)).sum() + 0.5 * len(mean) * np.log(2 * np.pi)
            logs.append(np.log(weight) - log_size - 0.5 * (away**2).sum(axis=0))
        return np.logaddexp.reduce(logs).mean()


def report(name, fit, X, new):
    begin, begin_of_cores = time.perf_counter(), time.process_time()
    mixture = fit(X)
    seconds, of_cores = time.perf_counter() - begin, time.process_time() - begin_of_cores
    heavy = (mixture.weights_ > 0.001).sum()
    score = mixture.score(new)
    spent = f"{seconds:8.1f} s {of_cores:8.1f} s"
    print(f"  {name:<26} {spent} {score:12.5f} {heavy:6} components", flush=True)
    return seconds, of_cores


for size in sys.argv[1:] or ("100000x8", "1000000x2"):
    count, d = map(int, size.split("x"))
    rng = np.random.default_rng(1)
    truth = Truth(d, rng)
    X, new = truth.draw(count, rng), truth.draw(held_out, rng)
    print(f"{count} points, {d} columns: seconds, of all cores; held out; of weight above .001")
    print(f"  {'the truth':<26} {'':21} {truth.score(new):12.5f} {components:6} components")
    seconds, of_cores = report("m3lak", DirichletProcessMixture().fit, X, new)
    theirs = BayesianGaussianMixture(
        n_components=20, weight_concentration_prior_type="dirichlet_process", random_state=1
    )
    taken, of_their_cores = report("BayesianGaussianMixture", theirs.fit, X, new)
    ratios = f"{taken / seconds:.1f} and {of_their_cores / of_cores:.1f} times"
    print(f"  {theirs.n_iter_} iterations of at most {theirs.max_iter}; {ratios}", flush=True)
