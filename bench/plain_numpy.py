"""The default sampler in plain NumPy: a yardstick for the speed and the arithmetic of m3lak.

  plain_numpy.py DATA.npz --iterations 20    times it: views X1, X2, … (a row an instance), y
  plain_numpy.py --check DIR                 compares sums, energies and gradients that m3lak wrote

Two classes, dense views, nothing missing. Symbols are those of docs/method.md; rows are instances
(H: N x m), frequencies (omega: M x m) or features of a view (projection [W V]: D x (m + K)).
"""

import argparse
import json
import sys
import time
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy.linalg import solve_triangular

LARGEST_INVERSE_LAMBDA = 1e8
TARGET_ACCEPTANCE = 0.8
TOLERANCE = 1e-9


# Features, scores and the hinge


def waves(omega, h):
    angles = h @ omega.T
    return np.cos(angles), np.sin(angles, out=angles)


def scaled_weights(beta):
    """Weights of the cosines and of the sines, divided by sqrt(M)."""
    M = len(beta) // 2
    return beta[:M] / np.sqrt(M), beta[M:-1] / np.sqrt(M)


def scores(beta, cos, sin):
    with_cos, with_sin = scaled_weights(beta)
    return cos @ with_cos + sin @ with_sin + beta[-1]


def slopes(beta, cos, sin):
    """df / d(omega_j . h), N x M; takes the place of the waves."""
    with_cos, with_sin = scaled_weights(beta)
    cos *= with_sin
    sin *= with_cos
    cos -= sin
    return cos


def padded_features(cos, sin):
    N, M = cos.shape
    phi = np.ones((N, 2 * M + 1))
    np.divide(cos, np.sqrt(M), out=phi[:, :M])
    np.divide(sin, np.sqrt(M), out=phi[:, M:-1])
    return phi


def hinge(C, y, f):
    """2C max(0, 1 - y f) of each instance, and its slope by f."""
    zeta = 1 - y * f
    return 2 * C * np.maximum(zeta, 0), np.where(zeta > 0, -2 * C * y, 0)


# Sums and gradients


def statistics(X, Z):
    return Z.T @ Z, X.T @ Z


def weight_sums(phi, x, y, C):
    """sum x phi phi^T and sum (1 + C x) y phi."""
    weighted = phi * np.sqrt(x)[:, None]
    return weighted.T @ weighted, ((1 + C * x) * y) @ phi


def latent_pull(h, y, omega, beta, C):
    """The hinge of each instance, and its gradient by h."""
    cos, sin = waves(omega, h)
    energy, slope = hinge(C, y, scores(beta, cos, sin))
    gradient = slopes(beta, cos, sin) @ omega
    gradient *= slope[:, None]
    return energy, gradient


def frequency_pull(H, y, omega, beta, C):
    """The hinge of all instances, and its gradient by all frequencies."""
    cos, sin = waves(omega, H)
    energy, slope = hinge(C, y, scores(beta, cos, sin))
    turn = slopes(beta, cos, sin)
    turn *= slope[:, None]
    return energy.sum(), turn.T @ H


class OneFrequency:
    """The hinge of all instances while one frequency moves and f follows by rank-two changes."""

    def __init__(self, H, y, f, C, with_cos, with_sin):
        self.H, self.y, self.C = H, y, C
        self.with_cos, self.with_sin = with_cos, with_sin
        self.f, self.without = f, None

    def pull(self, omega):
        """The first time at the present place of the frequency."""
        angles = self.H @ omega
        cos, sin = np.cos(angles), np.sin(angles)
        change = self.with_cos * cos + self.with_sin * sin
        if self.without is None:
            self.without = self.f - change
        self.f = self.without + change
        energy, slope = hinge(self.C, self.y, self.f)
        slope *= self.with_sin * cos - self.with_cos * sin
        return energy.sum(), slope @ self.H


# HMC


def rotate_and_kick(q, p, step, steps, pull):
    """The potential |q|^2 / 2 + V(q); `pull` gives V and its gradient. Also V at both ends."""
    cosine, sine = np.cos(step), np.sin(step)
    first, gradient = pull(q)
    for _ in range(steps):
        p = p - 0.5 * step * gradient
        q, p = cosine * q + sine * p, cosine * p - sine * q
        last, gradient = pull(q)
        p -= 0.5 * step * gradient
    return q, p, first, last


def acceptance(rise):
    return np.exp(-np.maximum(np.where(np.isnan(rise), np.inf, rise), 0))


class Step:
    """The size of a step: fixed if given, else by dual averaging in burn-in."""

    def __init__(self, fixed, start, leapfrog):
        self.adapts = fixed is None
        self.log = np.log(start if self.adapts else fixed)
        self.quarter = np.pi / (2 * leapfrog)
        self.centre = np.log(10 * start)
        self.shortfall = self.log_mean = self.count = 0

    def size(self):
        return min(np.exp(self.log), self.quarter)

    def update(self, accepted, last):
        if not self.adapts:
            return
        self.count += 1
        self.shortfall += (TARGET_ACCEPTANCE - accepted - self.shortfall) / (self.count + 10)
        self.log = np.clip(self.centre - np.sqrt(self.count) / 0.05 * self.shortfall, -30, 5)
        self.log_mean += self.count**-0.75 * (self.log - self.log_mean)
        if last:
            self.log, self.adapts = self.log_mean, False


# Draws


def normal_from_precision(rng, L, b):
    """A row for each row of b: N(P^-1 b, P^-1) with P = L L^T."""
    white = solve_triangular(L, np.atleast_2d(b).T, lower=True)
    white += rng.standard_normal(white.shape[::-1]).T
    return solve_triangular(L, white, lower=True, trans="T").T.reshape(b.shape)


def draw_inverse_lambda(rng, C, y, f):
    """Inverse Gaussian with mean 1/q and shape 1; nothing cancels where q is small."""
    q = C * np.abs(1 - y * f)
    c = rng.standard_normal(len(q)) ** 2 / 2
    x = 1 / (q + c + np.sqrt(c * (c + 2 * q)))
    other = rng.random(len(q)) * (1 + q * x) < q * x
    x[other] = 1 / (q[other] ** 2 * x[other])
    return np.minimum(x, LARGEST_INVERSE_LAMBDA)


def inverse_wishart_factor(rng, dof, scale):
    """The lower Cholesky factor of a draw, by Bartlett's decomposition in reverse."""
    p = len(scale)
    U = np.triu(rng.standard_normal((p, p)), 1)
    U[np.diag_indices(p)] = np.sqrt(rng.chisquare(dof - np.arange(p - 1, -1, -1)))
    return solve_triangular(U, np.linalg.cholesky(scale).T).T


# The mixture of the frequencies


@dataclass
class NormalInverseWishart:
    mean: np.ndarray
    strength: float
    dof: float
    scale: np.ndarray

    def draw(self, rng):
        factor = inverse_wishart_factor(rng, self.dof, self.scale)
        g = rng.standard_normal(len(self.mean))
        return self.mean + factor @ g / np.sqrt(self.strength), factor

    def posterior(self, points):
        s, centre = len(points), points.mean(axis=0)
        strength, shift, spread = self.strength + s, centre - self.mean, points - centre
        return NormalInverseWishart(
            self.mean + s / strength * shift,
            strength,
            self.dof + s,
            self.scale + spread.T @ spread + self.strength * s / strength * np.outer(shift, shift),
        )


class Mixture:
    """Component k is N(means[k], factors[k] factors[k]^T); frequency j belongs to of[j]."""

    def __init__(self, rng, points, base, concentration):
        self.concentration = concentration
        self.of = np.zeros(len(points), dtype=int)
        self.draw_components(rng, points, base)

    def draw_components(self, rng, points, base):
        counts = np.bincount(self.of)
        drawn = [base.posterior(points[self.of == k]).draw(rng) for k in range(len(counts))]
        self.means, self.factors = (np.array(part) for part in zip(*drawn, strict=True))
        log_weights = np.log(rng.dirichlet([*counts, self.concentration]))
        self.log_weights, self.log_rest = log_weights[:-1], log_weights[-1]

    def log_densities(self, points):
        """Up to a constant; one column a component."""
        columns = []
        for mean, factor in zip(self.means, self.factors, strict=True):
            white = solve_triangular(factor, (points - mean).T, lower=True)
            columns.append(-0.5 * (white**2).sum(axis=0) - np.log(np.diag(factor)).sum())
        return np.stack(columns, axis=1)

    def draw(self, rng, points, base):
        """Walker's slice sampler."""
        log_slices = self.log_weights[self.of] + np.log1p(-rng.random(len(points)))
        fresh, fresh_log_weights = [], []
        while self.log_rest >= log_slices.min():
            log_left = np.log1p(-rng.random()) / self.concentration
            fresh.append(base.draw(rng))
            fresh_log_weights.append(self.log_rest + np.log(-np.expm1(log_left)))
            self.log_rest += log_left
        if fresh:
            means, factors = zip(*fresh, strict=True)
            self.means = np.concatenate([self.means, means])
            self.factors = np.concatenate([self.factors, factors])
            self.log_weights = np.append(self.log_weights, fresh_log_weights)

        allowed = self.log_weights >= log_slices[:, None]
        log_chances = np.where(allowed, self.log_densities(points), -np.inf)
        chosen = np.argmax(log_chances + rng.gumbel(size=log_chances.shape), axis=1)
        self.of = np.unique(chosen, return_inverse=True)[1]
        self.draw_components(rng, points, base)

    def whiten(self, omega):
        away = (omega - self.means[self.of])[:, :, None]
        return np.linalg.solve(self.factors[self.of], away)[:, :, 0]


# The chain


@dataclass
class View:
    X: np.ndarray
    K: int
    relevance: np.ndarray
    noise: float
    projection: np.ndarray = None
    gram: np.ndarray = None
    squared_norm: float = field(init=False)

    def __post_init__(self):
        self.squared_norm = np.vdot(self.X, self.X)

    def evidence(self):
        """What x says about h with u integrated out: W^T Psi^-1 W, and `reading`, with
        reading [W V]^T x = W^T Psi^-1 x. (Psi = V V^T + I / tau, by Woodbury.)"""
        m, tau = len(self.relevance), self.noise
        cross = self.gram[m:, :m]
        S_cross = np.linalg.solve(np.eye(self.K) + tau * self.gram[m:, m:], cross)
        precision = tau * self.gram[:m, :m] - tau**2 * cross.T @ S_cross
        return precision, np.hstack([tau * np.eye(m), -(tau**2) * S_cross.T])

    def draw_private(self, rng, read, H):
        m = len(self.relevance)
        L = np.linalg.cholesky(np.eye(self.K) + self.noise * self.gram[m:, m:])
        return normal_from_precision(rng, L, self.noise * (read[:, m:] - H @ self.gram[:m, m:]))

    def draw_parameters(self, rng, options, Z):
        """[W V], r and tau."""
        zz, xz = statistics(self.X, Z)
        prior = np.append(self.relevance, np.full(self.K, options.private_precision))
        L = np.linalg.cholesky(np.diag(prior) + self.noise * zz)
        self.projection = normal_from_precision(rng, L, self.noise * xz)
        self.gram = self.projection.T @ self.projection

        (N, D), m = self.X.shape, len(self.relevance)
        self.relevance = rng.gamma(
            options.relevance_shape + D / 2,
            1 / (options.relevance_rate + np.diag(self.gram)[:m] / 2),
        )
        residual = self.squared_norm - 2 * np.vdot(self.projection, xz) + np.vdot(self.gram, zz)
        self.noise = rng.gamma(
            options.noise_shape + N * D / 2, 1 / (options.noise_rate + max(residual, 0) / 2)
        )


class Chain:
    def __init__(self, views, y, options):
        self.y, self.options = y, options
        self.rng = np.random.default_rng(options.seed)
        self.iteration = 0
        self.seconds = defaultdict(float)
        self.latent_step = Step(options.latent_step, 0.3, options.leapfrog)
        self.frequency_step = Step(options.frequency_step, 0.1, options.leapfrog)

        self.H = starting_latents(self.rng, views, options.latent)
        self.U = [np.zeros((len(y), options.private)) for _ in views]
        self.views = []
        for X in views:
            variance = np.mean(X**2)
            relevance = np.full(options.latent, 1 / variance)
            self.views.append(View(X, options.private, relevance, 2 / variance))
        self.draw_views()

        self.base = self.base_measure()
        covariance = self.base.scale / (self.base.dof - options.latent - 1)
        normals = self.rng.standard_normal((options.features, options.latent))
        self.omega = normals @ np.linalg.cholesky(covariance).T
        self.mixture = Mixture(self.rng, self.omega, self.base, options.concentration)
        self.weight_precision = options.weight_precision
        self.beta = np.zeros(2 * options.features + 1)
        self.draw_weights()

    def base_measure(self):
        """E[Sigma] ~ sum W^T W with trace `base_scale`, a twentieth of it even."""
        m = self.options.latent
        shape = sum(v.gram[:m, :m] for v in self.views)
        shape = 0.95 * shape / np.trace(shape) + 0.05 * np.eye(m) / m
        dof = m + 102
        scale = (dof - m - 1) * self.options.base_scale * shape
        return NormalInverseWishart(np.zeros(m), self.options.base_strength, dof, scale)

    def latent_gaussian(self):
        """Of h | x: L^-1 and L, with L L^T its precision, and the means; [W V]^T x of each view."""
        precision, b, reads = np.eye(self.options.latent), 0, []
        for view in self.views:
            of_view, reading = view.evidence()
            precision += of_view
            reads.append(view.X @ view.projection)
            b = b + reads[-1] @ reading.T
        L = np.linalg.cholesky(precision)
        inverse = solve_triangular(L, np.eye(len(L)), lower=True)
        return inverse, L, b @ inverse.T @ inverse, reads

    def move_latents(self):
        inverse, L, mean, reads = self.latent_gaussian()

        def to_h(q):  # rows of L^-T q
            return mean + q @ inverse

        def pull(q):
            energy, gradient = latent_pull(to_h(q), self.y, self.omega, self.beta, self.options.C)
            return energy, gradient @ inverse.T

        def quadratic(q, p):
            return 0.5 * ((q**2).sum(axis=1) + (p**2).sum(axis=1))

        q0, p0 = (self.H - mean) @ L, self.rng.standard_normal(self.H.shape)
        q, p, first, last = rotate_and_kick(
            q0, p0, self.latent_step.size(), self.options.leapfrog, pull
        )
        accepted = acceptance(last - first + quadratic(q, p) - quadratic(q0, p0))
        moved = self.rng.random(len(accepted)) < accepted
        self.H = np.where(moved[:, None], to_h(q), self.H)
        self.adapt(self.latent_step, accepted.mean())
        self.U = [
            view.draw_private(self.rng, read, self.H)
            for view, read in zip(self.views, reads, strict=True)
        ]

    def draw_views(self):
        for view, U in zip(self.views, self.U, strict=True):
            view.draw_parameters(self.rng, self.options, np.hstack([self.H, U]))

    def draw_weights(self):
        """lambda, beta, and v if wanted. Leaves f at the new weights."""
        C = self.options.C
        phi = padded_features(*waves(self.omega, self.H))
        x = draw_inverse_lambda(self.rng, C, self.y, phi @ self.beta)
        gram, pull = weight_sums(phi, x, self.y, C)
        P = C**2 * gram
        P[np.diag_indices_from(P)] += self.weight_precision
        self.beta = normal_from_precision(self.rng, np.linalg.cholesky(P), C * pull)
        self.f = phi @ self.beta
        if self.options.sample_weight_precision:
            self.weight_precision = self.rng.gamma(
                self.options.weight_shape + len(self.beta) / 2,
                1 / (self.options.weight_rate + self.beta @ self.beta / 2),
            )

    def move_frequency(self, j, q0):
        mean = self.mixture.means[self.mixture.of[j]]
        factor = self.mixture.factors[self.mixture.of[j]]
        weights = (part[j] for part in scaled_weights(self.beta))
        one = OneFrequency(self.H, self.y, self.f, self.options.C, *weights)

        def pull(q):
            energy, gradient = one.pull(mean + factor @ q)
            return energy, gradient @ factor

        p0 = self.rng.standard_normal(len(q0))
        q, p, first, last = rotate_and_kick(
            q0, p0, self.frequency_step.size(), self.options.leapfrog, pull
        )
        accepted = acceptance(last - first + 0.5 * (q @ q + p @ p - q0 @ q0 - p0 @ p0))
        if self.rng.random() < accepted:
            self.omega[j] = mean + factor @ q
            self.f = one.f
        return accepted

    def move_frequencies_together(self):
        means = self.mixture.means[self.mixture.of]
        factors = self.mixture.factors[self.mixture.of]

        def to_omega(q):
            return means + np.einsum("jab,jb->ja", factors, q)

        def pull(q):
            energy, gradient = frequency_pull(
                self.H, self.y, to_omega(q), self.beta, self.options.C
            )
            return energy, np.einsum("jba,jb->ja", factors, gradient)

        q0, p0 = self.mixture.whiten(self.omega), self.rng.standard_normal(self.omega.shape)
        q, p, first, last = rotate_and_kick(
            q0, p0, self.frequency_step.size(), self.options.leapfrog, pull
        )
        before, after = (q0**2).sum() + (p0**2).sum(), (q**2).sum() + (p**2).sum()
        accepted = acceptance(last - first + 0.5 * (after - before))
        if self.rng.random() < accepted:
            self.omega = to_omega(q)
        return accepted

    def move_frequencies(self):
        if self.options.sweep == "together":
            accepted = self.move_frequencies_together()
        else:
            q = self.mixture.whiten(self.omega)
            accepted = np.mean([self.move_frequency(j, q[j]) for j in range(len(q))])
        self.adapt(self.frequency_step, accepted)

    def draw_mixture(self):
        if self.iteration <= self.options.burn_in:
            self.base = self.base_measure()
        self.mixture.draw(self.rng, self.omega, self.base)

    def adapt(self, step, accepted):
        if self.iteration <= self.options.burn_in:
            step.update(accepted, last=self.iteration == self.options.burn_in)

    @contextmanager
    def timed(self, step):
        start = time.perf_counter()
        yield
        self.seconds[step] += time.perf_counter() - start

    def iterate(self):
        self.iteration += 1
        with self.timed("latent"):
            self.move_latents()
        with self.timed("views"):
            self.draw_views()
        with self.timed("weights"):
            self.draw_weights()
        with self.timed("frequencies"):
            self.move_frequencies()
        with self.timed("mixture"):
            self.draw_mixture()

    def expected_scores(self):
        """E[f] of each instance given its views alone."""
        inverse, _, mean, _ = self.latent_gaussian()
        damping = np.exp(-0.5 * ((self.omega @ inverse.T) ** 2).sum(axis=1))
        damped = self.beta * np.concatenate([damping, damping, [1]])
        return scores(damped, *waves(self.omega, mean))


def starting_latents(rng, views, m):
    """The leading singular vectors of the views, each view at unit norm."""
    stacked = np.hstack([X / np.linalg.norm(X) for X in views])
    values, vectors = np.linalg.eigh(stacked.T @ stacked)
    found = min(m, np.count_nonzero(values > 1e-10 * values[-1]))
    leading = slice(-1, -found - 1, -1)
    H = rng.standard_normal((len(stacked), m))
    H[:, :found] = stacked @ vectors[:, leading] * np.sqrt(len(stacked) / values[leading])
    return H


# The program


def standardised(X):
    centred = X - X.mean(axis=0)
    deviation = centred.std(axis=0)
    return centred / np.where(deviation > 1e-12 * np.abs(X.mean(axis=0)), deviation, 1)


def read_data(path):
    with np.load(path) as file:
        count = sum(name[0] == "X" and name[1:].isdigit() for name in file)
        views = [standardised(file[f"X{i + 1}"].astype(float)) for i in range(count)]
        classes, of = np.unique(file["y"], return_inverse=True)
    if len(classes) != 2 or not views:
        sys.exit(f"{path}: needs views X1, X2, … and a y of two classes")
    return views, np.where(of == 1, 1.0, -1.0)


def run(options):
    views, y = read_data(options.data)
    chain = Chain(views, y, options)
    total, kept = np.zeros(len(y)), 0
    for iteration in range(options.iterations):
        chain.iterate()
        if iteration >= options.burn_in:
            total += chain.expected_scores()
            kept += 1
    by_step = {step: seconds / options.iterations for step, seconds in chain.seconds.items()}
    result = {
        "seconds_per_iteration": sum(by_step.values()),
        "by_step": by_step,
        "training_accuracy": np.mean((total > 0) == (y > 0)),
        "N": len(y),
        "draws": kept,
        "components": len(chain.mixture.means),
        "latent_step": chain.latent_step.size(),
        "frequency_step": chain.frequency_step.size(),
    }
    print(json.dumps(result))


def check(folder):
    def load(name):
        return np.load(folder / f"{name}.npy").astype(float)

    def vector(name):
        return load(name).ravel()

    H, omega = load("H"), load("omega")
    y, beta, C = vector("y"), vector("beta"), vector("C")[0]
    cos, sin = waves(omega, H)
    f = scores(beta, cos, sin)
    ours = {}
    for i in range(len(list(folder.glob("X_*.npy")))):
        Z = np.hstack([H, load(f"U_{i}").reshape(len(H), -1)])
        ours[f"zz_{i}"], ours[f"xz_{i}"] = statistics(load(f"X_{i}"), Z)
    ours["scores"] = f
    ours["latent_energy"], ours["latent_gradient"] = latent_pull(H, y, omega, beta, C)

    def difference(mine, name):
        theirs = load(name).reshape(np.shape(mine))
        return np.abs(mine - theirs).max() / max(np.abs(theirs).max(), np.finfo(float).tiny)

    differences = {name: difference(mine, name) for name, mine in ours.items()}
    print(json.dumps({"largest_relative_difference": differences}))
    return all(d <= TOLERANCE for d in differences.values())


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="?", type=Path, help="DATA.npz")
    parser.add_argument("--check", type=Path, metavar="DIR")
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument("--burn-in", type=int, help="default: half of the iterations")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--latent", type=int, default=20)
    parser.add_argument("--features", type=int, default=100)
    parser.add_argument("--private", type=int, default=1)
    parser.add_argument("--leapfrog", type=int, default=2)
    parser.add_argument("--latent-step", type=float, help="default: adapted in burn-in")
    parser.add_argument("--frequency-step", type=float, help="default: adapted in burn-in")
    parser.add_argument("--sweep", choices=["one-by-one", "together"], default="one-by-one")
    parser.add_argument("--C", type=float, default=2)
    parser.add_argument("--weight-precision", type=float, default=1)
    parser.add_argument("--sample-weight-precision", action="store_true")
    parser.set_defaults(
        weight_shape=1,
        weight_rate=1,
        relevance_shape=0.1,
        relevance_rate=1e-5,
        private_precision=1,
        noise_shape=0.01,
        noise_rate=1e-5,
        concentration=1,
        base_strength=1,
        base_scale=0.5,
    )
    options = parser.parse_args()
    if (options.data is None) == (options.check is None):
        parser.error("either DATA.npz or --check DIR")
    if options.burn_in is None:
        options.burn_in = options.iterations // 2
    if not 0 <= options.burn_in < options.iterations:
        parser.error("--burn-in must be below --iterations")
    return options


def main():
    options = parse_options()
    if options.check:
        sys.exit(0 if check(options.check) else 1)
    run(options)


if __name__ == "__main__":
    main()
