//! Soft pairwise accuracy of two metrics whose scores were swapped at random, by the normal approximation.
//!
//! The p-value of a pair of systems follows from the sum of their differences over the segments
//! that are rated for both, and from the sum of the squares. With u half of the sum of two metrics'
//! scores and v half of their difference, hybrids hold u + s v and u - s v, where s is -1 for a
//! cell that is swapped and 1 elsewhere. So the sums of a draw are known from
//!
//! - the sums of s v, and of s v times the difference of u between the systems: of one system's signs,
//! - the sum of the products of both systems' s v, whose sign is the product of both coins.
//!
//! All of them are sums of fixed numbers over the cells that some coins take, and looked up several
//! cells at a time. If they cancel each other, the differences themselves are added up.

use std::ops::Range;

use ndarray::parallel::prelude::*;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, Zip};

use super::permutation::{Coins, Permutation, Unit};
use crate::interruption;
use crate::resampling::{Row, add_swapped};

/// Number of draws below which differences are added up directly, as tables would not pay.
const FEW: usize = 32;
/// The most draws that share tables, and the fewest.
const DRAWS: (usize, usize) = (1024, 16);
/// Bytes of sums and of coins that are kept at a time, each.
const KEPT: usize = 1 << 25;
/// Smallest share of its terms' sizes at which a sum of squares keeps enough digits.
const CANCELLED: f64 = 1e-5;
/// Systems that one is compared with in a line of the cache, by two numbers each.
const PARTNERS: usize = 4;
const LANES: usize = 2 * PARTNERS;
/// Cells whose sums of all subsets are computed once, then looked up.
const BYTE: usize = 8;

/// Computes the one-sided p-value of a sum of differences with random signs, by its normal
/// approximation.
///
/// Equal systems, whose differences are all 0, have p = 1: every sum is as large as theirs.
#[must_use]
pub fn one_sided_p(total: f64, squares: f64) -> f64 {
    let deviation = squares.max(0.0).sqrt();
    if deviation > 0.0 {
        0.5 * libm::erfc(total / deviation / std::f64::consts::SQRT_2)
    } else {
        1.0
    }
}

/// Computes `one_sided_p` of many sums.
#[must_use]
pub fn one_sided_p_values(
    totals: &ArrayView1<'_, f64>,
    squares: &ArrayView1<'_, f64>,
) -> Array1<f64> {
    let p = |total: &f64, squares: &f64| one_sided_p(*total, *squares);
    Zip::from(totals).and(squares).par_map_collect(p)
}

/// Computes the accuracies of both hybrids in each draw, shaped (draw, hybrid); NaN if no systems
/// make a pair.
///
/// Scores are shaped (system, segment); human scores are NaN for unrated segments.
#[must_use]
pub fn hybrid_accuracies(
    human: &ArrayView2<'_, f64>,
    metrics: [&ArrayView2<'_, f64>; 2],
    (permutation, unit): (Permutation, Unit),
    draws: Range<u64>,
) -> Array2<f64> {
    let (systems, segments) = human.dim();
    let coins = Coins { permutation, unit, cells: systems * segments };
    let scores = Scores::new(human, metrics);
    let mut pairs = scores.pairs(human);
    let count = (draws.end - draws.start) as usize;
    let panels = if count < FEW { Vec::new() } else { scores.panels(&mut pairs) };
    let mut accuracies = Array2::zeros((count, 2));
    let words = systems * segments.div_ceil(64);
    let affordable = KEPT / (size_of::<Row<f64, LANES>>() * panels.len()).max(8 * words).max(1);
    let share = affordable.clamp(DRAWS.1, DRAWS.0);
    let chunks = accuracies.axis_chunks_iter_mut(Axis(0), share).enumerate();
    for (chunk, mut accuracies) in chunks {
        let first = draws.start + (chunk * share) as u64;
        let tosses = Tosses::new(&coins, first, accuracies.nrows(), (systems, segments));
        let distances = scores.distances(&pairs, &panels, &tosses);
        for (draw, mut row) in accuracies.outer_iter_mut().enumerate() {
            for (hybrid, accuracy) in row.iter_mut().enumerate() {
                let distance: f64 = distances.iter().map(|pair| pair[draw][hybrid]).sum();
                *accuracy = 1.0 - distance / pairs.len() as f64;
            }
        }
    }
    accuracies
}

/// The coins of some draws: by system, for every 64 segments a word of each draw.
struct Tosses {
    words: Vec<Vec<u64>>,
    draws: usize,
}

impl Tosses {
    fn new(coins: &Coins, first: u64, draws: usize, (systems, segments): (usize, usize)) -> Self {
        let numbers = (first..first + draws as u64).into_par_iter();
        let tossed: Vec<Vec<u64>> = numbers.map(|draw| coins.toss(draw)).collect();
        let of_system = |system: usize| {
            interruption::check();
            let firsts = (0..segments).step_by(64).map(|segment| system * segments + segment);
            firsts
                .flat_map(|cell| tossed.iter().map(move |tossed| coins.word(tossed, cell)))
                .collect()
        };
        Self { words: (0..systems).into_par_iter().map(of_system).collect(), draws }
    }

    fn is_swapped(&self, draw: usize, system: usize, segment: usize) -> bool {
        self.words[system][segment / 64 * self.draws + draw] >> (segment % 64) & 1 == 1
    }
}

/// Two systems that share rated segments.
struct Pair {
    systems: [usize; 2],
    /// The p-value by the human scores.
    people: f64,
    /// Positions of the sums of each system's signs with the other.
    places: [Place; 2],
    /// The sum of the differences of u.
    total: f64,
    /// Sum of their squares and of the squares of v.
    squares: f64,
    /// Sum of the products of v.
    products: f64,
}

/// A panel, and which of its partners.
#[derive(Clone, Copy, Default)]
struct Place {
    panel: usize,
    partner: usize,
}

/// One system and some of its partners in pairs.
struct Panel {
    system: usize,
    partners: Vec<usize>,
}

/// The scores of two metrics, system by system.
struct Scores {
    /// Scores as given,
    metrics: [Vec<f64>; 2],
    /// half of their sum, and half of their difference; 0 for unrated segments.
    halves: [Vec<f64>; 2],
    rated: Vec<bool>,
    systems: usize,
    segments: usize,
}

impl Scores {
    fn new(human: &ArrayView2<'_, f64>, metrics: [&ArrayView2<'_, f64>; 2]) -> Self {
        let (systems, segments) = human.dim();
        let rated: Vec<bool> = human.iter().map(|score| !score.is_nan()).collect();
        let metrics = metrics.map(|metric| -> Vec<f64> { metric.iter().copied().collect() });
        let halves = [1.0, -1.0].map(|sign| -> Vec<f64> {
            let both = metrics[0].iter().zip(&metrics[1]).zip(&rated);
            both.map(|((one, other), &rated)| if rated { (one + sign * other) / 2.0 } else { 0.0 })
                .collect()
        });
        Self { metrics, halves, rated, systems, segments }
    }

    fn row<'a, T>(&self, scores: &'a [T], system: usize) -> &'a [T] {
        &scores[system * self.segments..(system + 1) * self.segments]
    }

    /// Yields the segments that are rated for both systems.
    fn shared(&self, systems: [usize; 2]) -> impl Iterator<Item = usize> {
        let [first, second] = systems.map(|system| self.row(&self.rated, system));
        (0..self.segments).filter(move |&segment| first[segment] && second[segment])
    }

    fn pairs(&self, human: &ArrayView2<'_, f64>) -> Vec<Pair> {
        let all = (0..self.systems).flat_map(|a| (a + 1..self.systems).map(move |b| [a, b]));
        let pair = |systems: [usize; 2]| {
            self.shared(systems).next()?;
            let (mut people, mut sums) = ([0.0; 2], [0.0; 3]);
            for segment in self.shared(systems) {
                let difference = human[[systems[0], segment]] - human[[systems[1], segment]];
                people[0] += difference;
                people[1] += difference * difference;
                let [u, v] = [0, 1].map(|half: usize| {
                    systems.map(|system| self.row(&self.halves[half], system)[segment])
                });
                sums[0] += u[0] - u[1];
                sums[1] += (u[0] - u[1]) * (u[0] - u[1]) + v[0] * v[0] + v[1] * v[1];
                sums[2] += v[0] * v[1];
            }
            let [total, squares, products] = sums;
            let (people, places) = (one_sided_p(people[0], people[1]), [Place::default(); 2]);
            Some(Pair { systems, people, places, total, squares, products })
        };
        all.filter_map(pair).collect()
    }

    /// Makes panels of the partners of each system; pairs get their positions in them.
    fn panels(&self, pairs: &mut [Pair]) -> Vec<Panel> {
        let mut panels: Vec<Panel> = Vec::new();
        for system in 0..self.systems {
            let mut partners = 0;
            for pair in pairs.iter_mut() {
                let Some(side) = pair.systems.iter().position(|&other| other == system) else {
                    continue;
                };
                if partners % PARTNERS == 0 {
                    panels.push(Panel { system, partners: Vec::new() });
                }
                partners += 1;
                let panel = panels.len() - 1;
                let to = &mut panels[panel].partners;
                pair.places[side] = Place { panel, partner: to.len() };
                to.push(pair.systems[1 - side]);
            }
        }
        panels
    }

    /// Returns the distances of both hybrids' p-values from the human p-values, by pair and draw;
    /// without panels, sums are computed directly.
    fn distances(&self, pairs: &[Pair], panels: &[Panel], tosses: &Tosses) -> Vec<Vec<[f64; 2]>> {
        let is_direct = panels.is_empty();
        let sums: Vec<Vec<Row<f64, LANES>>> =
            panels.par_iter().panic_fuse().map(|panel| self.signed_sums(panel, tosses)).collect();
        let of_pair = |pair: &Pair| {
            interruption::check();
            let products = if is_direct { Vec::new() } else { self.signed_products(pair, tosses) };
            let of_draw = |draw: usize| {
                let looked_up = (!is_direct).then(|| {
                    let [one, other] = pair.places.map(|Place { panel, partner }| {
                        let sums = &sums[panel][draw].0;
                        [sums[2 * partner], sums[2 * partner + 1]]
                    });
                    // The two systems' differences from each other have opposite signs.
                    pair.sums(one[0] - other[0], one[1] + other[1], products[draw])
                });
                [0, 1].map(|hybrid: usize| {
                    let sums = looked_up.and_then(|hybrids| hybrids[hybrid]);
                    let [total, squares] =
                        sums.unwrap_or_else(|| self.direct_sums(pair, tosses, draw, hybrid));
                    (one_sided_p(total, squares) - pair.people).abs()
                })
            };
            (0..tosses.draws).map(of_draw).collect()
        };
        pairs.par_iter().panic_fuse().map(of_pair).collect()
    }

    /// Sums a system's s v over the segments that it shares with each partner, and s v times the
    /// difference of u, by draw.
    fn signed_sums(&self, panel: &Panel, tosses: &Tosses) -> Vec<Row<f64, LANES>> {
        interruption::check();
        let [own_u, own_v] = [0, 1].map(|half: usize| self.row(&self.halves[half], panel.system));
        let mut rows = vec![Row::<f64, LANES>::zeros(); self.segments];
        for (place, &partner) in panel.partners.iter().enumerate() {
            let u = self.row(&self.halves[0], partner);
            for segment in self.shared([panel.system, partner]) {
                let row = &mut rows[segment].0;
                row[2 * place] = own_v[segment];
                row[2 * place + 1] = own_v[segment] * (own_u[segment] - u[segment]);
            }
        }
        let mut sums = vec![Row::zeros(); tosses.draws];
        add_swapped(&rows, &tosses.words[panel.system], &mut sums);
        let mut totals = [0.0; LANES];
        for row in &rows {
            totals.iter_mut().zip(row.0).for_each(|(total, cell)| *total += cell);
        }
        for sum in &mut sums {
            sum.0.iter_mut().zip(totals).for_each(|(sum, total)| *sum = total - 2.0 * *sum);
        }
        sums
    }

    /// Sums the products of two systems' s v, by draw.
    fn signed_products(&self, pair: &Pair, tosses: &Tosses) -> Vec<f64> {
        let [one, other] = pair.systems.map(|system| self.row(&self.halves[1], system));
        let [coins, others] = pair.systems.map(|system| &tosses.words[system]);
        let mut sums = vec![0.0; tosses.draws];
        let mut tables = [[0.0; 1 << BYTE]; 64 / BYTE];
        for (block, (one, other)) in one.chunks(64).zip(other.chunks(64)).enumerate() {
            for (byte, table) in tables.iter_mut().enumerate() {
                for place in 0..BYTE {
                    let cell = byte * BYTE + place;
                    // Segments that only one system is rated for have 0 for the other's v.
                    let product = one.get(cell).zip(other.get(cell)).map_or(0.0, |(x, y)| x * y);
                    let (smaller, larger) = table.split_at_mut(1 << place);
                    larger.iter_mut().zip(smaller).for_each(|(to, part)| *to = *part + product);
                }
            }
            let words = block * tosses.draws..(block + 1) * tosses.draws;
            let words = coins[words.clone()].iter().zip(&others[words]);
            for (sum, (word, other)) in sums.iter_mut().zip(words) {
                let bytes = (word ^ other).to_le_bytes();
                let found = |byte: usize| tables[byte][usize::from(bytes[byte])];
                *sum += ((found(0) + found(1)) + (found(2) + found(3)))
                    + ((found(4) + found(5)) + (found(6) + found(7)));
            }
        }
        sums.iter().map(|taken| pair.products - 2.0 * taken).collect()
    }

    /// Sums the differences of two systems, and their squares, in one hybrid.
    fn direct_sums(&self, pair: &Pair, tosses: &Tosses, draw: usize, hybrid: usize) -> [f64; 2] {
        let mut sums = [0.0; 2];
        for segment in self.shared(pair.systems) {
            let [one, other] = pair.systems.map(|system| {
                let swapped = usize::from(tosses.is_swapped(draw, system, segment));
                self.metrics[hybrid ^ swapped][system * self.segments + segment]
            });
            sums[0] += one - other;
            sums[1] += (one - other) * (one - other);
        }
        sums
    }
}

impl Pair {
    /// Computes the sums of differences and of squares of both hybrids; None if too few digits
    /// remain.
    ///
    /// They are Σ (d + w) and Σ (d + w)² of the first, Σ (d - w) and Σ (d - w)² of the second,
    /// where d is the difference of u between the systems, and w the difference of s v.
    fn sums(&self, signed: f64, crossed: f64, products: f64) -> [Option<[f64; 2]>; 2] {
        [1.0, -1.0].map(|sign| {
            let (crossed, products) = (2.0 * sign * crossed, -2.0 * products);
            let squares = self.squares + crossed + products;
            let size = self.squares + crossed.abs() + products.abs();
            (squares >= CANCELLED * size).then_some([self.total + sign * signed, squares])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agreement::permutation::swapped_cells;

    const SEED: u64 = 4;

    fn scores(systems: usize, segments: usize) -> (Array2<f64>, [Array2<f64>; 2]) {
        let of = |factor: usize| {
            Array2::from_shape_fn((systems, segments), |(i, k)| {
                ((i * factor + k * k * 7 + i * k) % 11) as f64 - 5.0
            })
        };
        let mut human = of(5);
        for ((i, k), score) in human.indexed_iter_mut() {
            if (i + k) % 5 == 0 {
                *score = f64::NAN;
            }
        }
        (human, [of(3), of(8)])
    }

    /// Computes the accuracy by definition, without tables.
    fn plain(
        human: &Array2<f64>,
        metrics: &[Array2<f64>; 2],
        swapped: impl Fn(usize, usize, usize) -> bool,
        draw: usize,
        hybrid: usize,
    ) -> f64 {
        let (systems, segments) = human.dim();
        let mut distances = Vec::new();
        for a in 0..systems {
            for b in a + 1..systems {
                let both = |k: &usize| !human[[a, *k]].is_nan() && !human[[b, *k]].is_nan();
                let p = |score: &dyn Fn(usize, usize) -> f64| {
                    let differences =
                        || (0..segments).filter(both).map(|k| score(a, k) - score(b, k));
                    one_sided_p(differences().sum(), differences().map(|d| d * d).sum())
                };
                let people = p(&|system, k| human[[system, k]]);
                let held = |system: usize, k: usize| {
                    metrics[hybrid ^ usize::from(swapped(draw, system, k))][[system, k]]
                };
                distances.push((p(&held) - people).abs());
            }
        }
        1.0 - distances.iter().sum::<f64>() / distances.len() as f64
    }

    #[test]
    fn accuracies_are_those_of_the_cells_that_each_hybrid_holds() {
        for (systems, segments, draws) in [(4, 21, 2..6), (6, 150, 3..60), (2, 64, 0..40)] {
            let (human, mut metrics) = scores(systems, segments);
            for same in [false, true] {
                if same {
                    // Equal systems by an equal metric: their differences are 0, but for rounding.
                    for metric in &mut metrics {
                        let row = metric.row(0).mapv(|score| score / 3.0);
                        metric.row_mut(1).assign(&row);
                        metric.row_mut(0).assign(&row);
                    }
                    metrics[1] = metrics[0].clone();
                }
                let views = [&metrics[0].view(), &metrics[1].view()];
                let how = (Permutation::Random { seed: SEED }, Unit::Cell);
                let found = hybrid_accuracies(&human.view(), views, how, draws.clone());
                let coins = swapped_cells(systems * segments, draws.clone(), SEED);
                let swapped = |draw, system, k| coins[[draw, system * segments + k]];
                for ((draw, hybrid), value) in found.indexed_iter() {
                    let expected = plain(&human, &metrics, swapped, draw, hybrid);
                    assert!((value - expected).abs() < 1e-12, "{systems} {draw} {same}");
                }
            }
        }
    }

    #[test]
    fn an_enumerated_draw_swaps_the_systems_whose_bits_are_set() {
        let (human, mut metrics) = scores(6, 30);
        // Hybrids that hold nothing but this have no variance.
        metrics[1].fill(0.0);
        let how = (Permutation::Enumerated, Unit::System { items: 30 });
        let views = [&metrics[0].view(), &metrics[1].view()];
        let found = hybrid_accuracies(&human.view(), views, how, 0..64);
        let swapped = |draw: usize, system: usize, _| draw >> system & 1 == 1;
        for ((draw, hybrid), value) in found.indexed_iter() {
            let expected = plain(&human, &metrics, swapped, draw, hybrid);
            assert!((value - expected).abs() < 1e-12, "{draw} {hybrid}");
        }
    }

    #[test]
    fn a_draw_does_not_depend_on_its_neighbours() {
        let (human, metrics) = scores(5, 100);
        let views = [&metrics[0].view(), &metrics[1].view()];
        let how = (Permutation::Random { seed: SEED }, Unit::Cell);
        let of = |draws| hybrid_accuracies(&human.view(), views, how, draws);
        let (all, some) = (of(0..1500), of(700..1300));
        assert_eq!(all.slice_axis(Axis(0), ndarray::Slice::from(700..1300)), some);
    }
}
