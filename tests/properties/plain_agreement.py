"""Agreement by its plain definitions: every pair is looked at, and nothing is clever."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import copysign, fsum, isnan, sqrt
from typing import TypeAlias

Vector: TypeAlias = list[float]
Matrix: TypeAlias = list[Vector]
#: Human and metric scores of the cells of one group.
Group: TypeAlias = list[tuple[float, float]]


def groups(human: Matrix, metric: Matrix, grouping: str) -> list[Group]:
    """The groups that have two rated cells."""
    found: dict[int, Group] = {}
    for system, (hs, ms) in enumerate(zip(human, metric, strict=True)):
        for item, (h, m) in enumerate(zip(hs, ms, strict=True)):
            if not isnan(h):
                label = {"none": 0, "item": item, "system": system}[grouping]
                found.setdefault(label, []).append((h, m))
    return [group for group in found.values() if len(group) >= 2]


def classes(group: Group, epsilon: float) -> tuple[int, int, int, int, int]:
    """C, D, Th, Tm, Thm."""
    counts = [0, 0, 0, 0, 0]
    for (h1, m1), (h2, m2) in combinations(group, 2):
        by_people, by_metric = h1 == h2, abs(m1 - m2) <= epsilon
        if by_people:
            counts[4 if by_metric else 2] += 1
        elif by_metric:
            counts[3] += 1
        else:
            counts[0 if (h1 > h2) == (m1 > m2) else 1] += 1
    return (counts[0], counts[1], counts[2], counts[3], counts[4])


def pearson(group: Group) -> float | None:
    """By the textbook, in fractions: scores of any size have their squares."""
    xs, ys = ([Fraction(value) for value in values] for values in zip(*group, strict=True))
    if len(set(xs)) == 1 or len(set(ys)) == 1:
        return None
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    products = sum((x - mx) * (y - my) for x, y in zip(xs, ys, strict=True))
    squares = sum((x - mx) ** 2 for x in xs) * sum((y - my) ** 2 for y in ys)
    return copysign(sqrt(products**2 / squares), products)


def ranks(values: tuple[float, ...]) -> list[float]:
    """Ranks from 1, ties sharing the mean."""
    return [
        sum(other < value for other in values) + (sum(other == value for other in values) + 1) / 2
        for value in values
    ]


def spearman(group: Group) -> float | None:
    """Pearson's of ranks."""
    xs, ys = zip(*group, strict=True)
    return pearson(list(zip(ranks(xs), ranks(ys), strict=True)))


def of_classes(name: str, c: int, d: int, th: int, tm: int, thm: int) -> float | None:
    """The coefficients of pair counts, as the tables of the shared tasks have them."""
    everything = c + d + th + tm + thm
    numerator, denominator = {
        "kendall-a": (c - d, everything),
        "kendall-b": (c - d, sqrt((c + d + th) * (c + d + tm))),
        "tau-10": (c - d - tm, c + d + tm),
        "tau-13": (c - d, c + d),
        "tau-14": (c - d, c + d + tm),
        "tau-eq": (c + thm - d - th - tm, everything),
        "acc-eq": (c + thm, everything),
    }[name]
    return numerator / denominator if denominator else None


def kendall_c(group: Group) -> float | None:
    """Stuart's tau-c."""
    xs, ys = zip(*group, strict=True)
    k = min(len(set(xs)), len(set(ys)))
    c, d, *_ = classes(group, 0.0)
    return 2 * (c - d) / (len(group) ** 2 * (k - 1) / k) if k > 1 else None


def kendall_like(group: Group, threshold: float) -> tuple[int, int]:
    """Kept pairs, and those of them that the metric orders alike."""
    kept = [pair for pair in combinations(group, 2) if abs(pair[0][0] - pair[1][0]) >= threshold]
    alike = sum((a[0] - b[0]) * (a[1] - b[1]) > 0 for a, b in kept)
    return len(kept), alike


def difference_pearson(found: list[Group]) -> float | None:
    """Pearson's of all differences, each with both signs."""
    differences = [
        (sign * (a[0] - b[0]), sign * (a[1] - b[1]))
        for group in found
        for a, b in combinations(group, 2)
        for sign in (1, -1)
    ]
    return pearson(differences) if differences else None


def calibrated(found: list[Group], micro: bool) -> tuple[float, float] | None:
    """The smallest best threshold and its mean accuracy, by trying all of them."""
    if not found:
        return None
    candidates = {0.0}
    for group in found:
        candidates |= {abs(a[1] - b[1]) for a, b in combinations(group, 2)}
    means = []
    for epsilon in sorted(candidates):
        values = [of_classes("acc-eq", *classes(group, epsilon)) or 0.0 for group in found]
        weights = [len(group) if micro else 1 for group in found]
        total = fsum(v * w for v, w in zip(values, weights, strict=True))
        means.append((epsilon, total / sum(weights)))
    best = max(mean for _, mean in means)
    return next((epsilon, mean) for epsilon, mean in means if mean > best - 1e-12)
