//! Two metrics whose scores were swapped at random: what their agreement with people becomes.
//!
//! PERM-BOTH (Deutsch, Dror and Roth, 2021): were the metrics equally good, either score of a cell might
//! as well be the other metric's. A draw swaps the scores of a random half of the cells, and both
//! hybrids are evaluated anew. Scores must have been standardised before, so that they can be swapped.

use std::ops::Range;

use ndarray::parallel::prelude::*;
use ndarray::{Array2, Axis};
use pulp::Arch;

use super::coefficients::{Averaging, Coefficient, Formula};
use super::groups::{Prepared, Scratch};
use super::permuted_pairs::PermutedPairs;
use super::permuted_ties::{Bits, CoarseTies, DRAWS, FINE, LANES, Mask, PermutedTies};
use crate::interruption;
use crate::resampling::{Purpose, Stream};

/// Which cells a draw swaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permutation {
    /// Each by a fair coin.
    Random {
        /// Of the coins.
        seed: u64,
    },
    /// Draw i swaps the units whose bits are set in i, prepared cells or systems: 2^units draws are
    /// all there are.
    Enumerated,
}

/// What has a coin of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Every cell.
    Cell,
    /// A system: all its cells, of so many items, are swapped together or not at all.
    System {
        /// How many cells a system has.
        items: usize,
    },
}

impl Unit {
    fn cells_per_coin(self) -> usize {
        match self {
            Self::Cell => 1,
            Self::System { items } => items.max(1),
        }
    }
}

/// The values of both hybrids in each draw; NaN where a hybrid has none.
///
/// The metrics are whole matrices, shaped like the human scores that were prepared.
#[must_use]
pub fn hybrid_values(
    prepared: &Prepared,
    coefficient: Coefficient,
    averaging: Averaging,
    metrics: [&[f64]; 2],
    (permutation, unit): (Permutation, Unit),
    draws: Range<u64>,
) -> Array2<f64> {
    let gathered = metrics.map(|metric| prepared.gather(metric));
    let scores = [&gathered[0][..], &gathered[1][..]];
    let coins = Coins { prepared, size: metrics[0].len(), permutation, unit };
    if let Coefficient::Calibrated { formula } = coefficient
        && let Some(mut values) = calibrated_accuracies(averaging, scores, &coins, draws.clone())
    {
        if formula == Formula::TauEq {
            values.mapv_inplace(|accuracy| 2.0 * accuracy - 1.0);
        }
        return values;
    }
    if let Coefficient::Pairs { formula, epsilon } = coefficient
        && let Some(pairs) = PermutedPairs::new(prepared, formula, epsilon, averaging, scores)
    {
        return many_draws(&coins, draws, |holds| pairs.values(holds));
    }
    each_draw(draws, Hybrids::default, |hybrids, draw| {
        hybrids.first.clear();
        hybrids.second.clear();
        let mut cells = scores[0].iter().zip(scores[1]);
        coins.toss(draw, |swapped| {
            if let Some((&first, &second)) = cells.next() {
                hybrids.first.push(if swapped { second } else { first });
                hybrids.second.push(if swapped { first } else { second });
            }
        });
        let Hybrids { first, second, scratch } = hybrids;
        [&*first, &*second].map(|hybrid| {
            let found = prepared.evaluate(coefficient, averaging, hybrid, None, scratch);
            found.value.unwrap_or(f64::NAN)
        })
    })
}

/// The accuracies of both hybrids in each draw; None where there are too many pairs.
fn calibrated_accuracies(
    averaging: Averaging,
    scores: [&[f64]; 2],
    coins: &Coins<'_>,
    draws: Range<u64>,
) -> Option<Array2<f64>> {
    let prepared = coins.prepared;
    if 4 * prepared.pairs() <= FINE {
        let ties = PermutedTies::new(prepared, averaging, scores)?;
        return Some(permuted_accuracies(&ties, coins, draws));
    }
    let ties = CoarseTies::new(prepared, averaging, scores)?;
    Some(many_draws(coins, draws, |holds| ties.accuracies(holds)))
}

/// Two values for each draw, `LANES` draws at a time.
///
/// `values` gets a bit for each of these draws: at `2 * cell + metric`, whether the first hybrid holds that
/// metric's score of the cell.
fn many_draws(
    coins: &Coins<'_>,
    draws: Range<u64>,
    values: impl Fn(&[Bits]) -> Vec<[f64; 2]> + Sync,
) -> Array2<f64> {
    let count = (draws.end - draws.start) as usize;
    let mut found = Array2::zeros((count, 2));
    found.axis_chunks_iter_mut(Axis(0), LANES).into_par_iter().enumerate().for_each(
        |(chunk, mut rows)| {
            interruption::check();
            let mut holds = vec![Bits::default(); 2 * coins.prepared.cells().len()];
            let first = draws.start + (chunk * LANES) as u64;
            for (place, draw) in (first..).take(rows.nrows()).enumerate() {
                let (word, bit) = (place / 64, place % 64);
                let mut cells = holds.chunks_exact_mut(2);
                coins.toss(draw, |swapped| {
                    if let Some(cell) = cells.next() {
                        // A swap gives the first hybrid the second metric's score.
                        cell[usize::from(swapped)][word] |= 1 << bit;
                    }
                });
            }
            for (mut row, pair) in
                rows.outer_iter_mut().zip(Arch::new().dispatch(|| values(&holds)))
            {
                row.iter_mut().zip(pair).for_each(|(to, value)| *to = value);
            }
        },
    );
    found
}

/// The accuracies of both hybrids in each draw, several draws at a time.
fn permuted_accuracies(ties: &PermutedTies, coins: &Coins<'_>, draws: Range<u64>) -> Array2<f64> {
    let count = (draws.end - draws.start) as usize;
    let mut found = Array2::zeros((count, 2));
    found.axis_chunks_iter_mut(Axis(0), DRAWS).into_par_iter().enumerate().for_each_init(
        Vec::new,
        |holds: &mut Vec<Mask>, (chunk, mut rows)| {
            interruption::check();
            holds.clear();
            holds.resize(2 * coins.prepared.cells().len(), Mask::default());
            let first = draws.start + (chunk * DRAWS) as u64;
            for (place, draw) in (first..).take(rows.nrows()).enumerate() {
                let mut cells = holds.chunks_exact_mut(2);
                coins.toss(draw, |swapped| {
                    if let Some(cell) = cells.next() {
                        // A swap gives the first hybrid the second metric's score.
                        cell[0][place] = i16::from(swapped) - 1;
                        cell[1][place] = -i16::from(swapped);
                    }
                });
            }
            for (mut row, pair) in rows.outer_iter_mut().zip(ties.accuracies(holds)) {
                row.iter_mut().zip(pair).for_each(|(to, value)| *to = value);
            }
        },
    );
    found
}

/// Whether each cell of a matrix is swapped, shaped (draw, cell).
#[must_use]
pub fn swapped_cells(cells: usize, draws: Range<u64>, seed: u64) -> Array2<bool> {
    let count = (draws.end - draws.start) as usize;
    let mut swapped = Array2::from_elem((count, cells), false);
    for (draw, mut row) in draws.zip(swapped.outer_iter_mut()) {
        let tossed = toss(&mut Stream::new(seed, Purpose::Permutation, draw), cells);
        row.iter_mut().enumerate().for_each(|(cell, to)| *to = is_set(&tossed, cell));
    }
    swapped
}

/// Pairs of one number of pairs per group that only one of two metrics has right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcomes {
    /// Cells in each of the groups.
    pub cells: usize,
    /// How many groups there are of that size.
    pub groups: u64,
    /// Pairs that only the first metric has right.
    pub only_first: u64,
    /// Pairs that only the second metric has right.
    pub only_second: u64,
}

/// The outcomes of two metrics under their thresholds, by size of group, smallest first.
#[must_use]
pub fn outcomes(prepared: &Prepared, metrics: [&[f64]; 2], epsilons: [f64; 2]) -> Vec<Outcomes> {
    let gathered = metrics.map(|metric| prepared.gather(metric));
    let mut found: Vec<_> = prepared
        .sizes()
        .iter()
        .map(|size| Outcomes { cells: size.cells, groups: 0, only_first: 0, only_second: 0 })
        .collect();
    for group in prepared.groups() {
        found[group.class].groups += 1;
    }
    let scores = [&gathered[0][..], &gathered[1][..]];
    prepared.pair_outcomes(scores, epsilons, |group, first, second| {
        let of_size = &mut found[prepared.groups()[group].class];
        of_size.only_first += u64::from(first && !second);
        of_size.only_second += u64::from(second && !first);
    });
    found
}

/// How many of so many fair coins show heads, shaped (draw, count).
#[must_use]
pub fn heads(counts: &[u64], draws: Range<u64>, seed: u64) -> Array2<u64> {
    let count = (draws.end - draws.start) as usize;
    let mut heads = Array2::zeros((count, counts.len()));
    heads.outer_iter_mut().into_par_iter().enumerate().for_each(|(index, mut row)| {
        interruption::check();
        let mut stream = Stream::new(seed, Purpose::Permutation, draws.start + index as u64);
        for (to, &coins) in row.iter_mut().zip(counts) {
            let whole: u64 = (0..coins / 64).map(|_| u64::from(stream.bits().count_ones())).sum();
            let rest = coins % 64;
            let mask = (1_u64 << rest) - 1;
            let last = if rest > 0 { stream.bits() & mask } else { 0 };
            *to = whole + u64::from(last.count_ones());
        }
    });
    heads
}

/// What a thread works in.
#[derive(Default)]
struct Hybrids {
    first: Vec<f64>,
    second: Vec<f64>,
    scratch: Scratch,
}

/// Two values for each draw, each of which depends on its own number alone.
fn each_draw<T>(
    draws: Range<u64>,
    start: impl Fn() -> T + Sync + Send,
    values: impl Fn(&mut T, u64) -> [f64; 2] + Sync + Send,
) -> Array2<f64> {
    let count = (draws.end - draws.start) as usize;
    let mut found = Array2::zeros((count, 2));
    found.outer_iter_mut().into_par_iter().enumerate().for_each_init(
        start,
        |with, (index, mut row)| {
            interruption::check();
            let pair = values(with, draws.start + index as u64);
            row.iter_mut().zip(pair).for_each(|(to, value)| *to = value);
        },
    );
    found
}

/// The coins of draws. A coin belongs to a place in the matrix: the same seed swaps the same cells
/// whichever coefficient is asked for and however cells are grouped.
struct Coins<'a> {
    prepared: &'a Prepared,
    size: usize,
    permutation: Permutation,
    unit: Unit,
}

impl Coins<'_> {
    /// Hands over the coins of a draw in the order of the prepared cells.
    fn toss(&self, draw: u64, mut coin: impl FnMut(bool)) {
        match self.permutation {
            Permutation::Random { seed } => {
                let mut stream = Stream::new(seed, Purpose::Permutation, draw);
                let tossed = toss(&mut stream, self.size.div_ceil(self.unit.cells_per_coin()));
                for &cell in self.prepared.cells() {
                    coin(is_set(&tossed, cell as usize / self.unit.cells_per_coin()));
                }
            }
            Permutation::Enumerated => {
                for (place, &cell) in (0..).zip(self.prepared.cells()) {
                    let number = match self.unit {
                        Unit::Cell => place,
                        Unit::System { .. } => cell / self.unit.cells_per_coin() as u32,
                    };
                    // Units beyond the 64th are never swapped: there are no more than 2^64 draws.
                    coin(draw.checked_shr(number).unwrap_or(0) & 1 == 1);
                }
            }
        }
    }
}

/// All bits for each cell of a matrix that a draw swaps, none for the others.
pub(super) fn swapped_cells_as_masks(
    permutation: Permutation,
    unit: Unit,
    cells: usize,
    draw: u64,
    masks: &mut Vec<u64>,
) {
    let cells_per_coin = unit.cells_per_coin();
    let coins = cells.div_ceil(cells_per_coin);
    let tossed = match permutation {
        Permutation::Random { seed } => {
            toss(&mut Stream::new(seed, Purpose::Permutation, draw), coins)
        }
        // Units beyond the 64th are never swapped: there are no more than 2^64 draws.
        Permutation::Enumerated => {
            std::iter::once(draw).chain(std::iter::repeat(0)).take(coins.div_ceil(64)).collect()
        }
    };
    masks.clear();
    let mask = |word: u64, bit: usize| (word >> bit & 1).wrapping_neg();
    if cells_per_coin == 1 {
        masks.extend(
            tossed.iter().flat_map(|&word| std::array::from_fn::<_, 64, _>(|bit| mask(word, bit))),
        );
        masks.truncate(cells);
    } else {
        masks.extend((0..cells).map(|cell| {
            let coin = cell / cells_per_coin;
            mask(tossed[coin / 64], coin % 64)
        }));
    }
}

fn toss(stream: &mut Stream, coins: usize) -> Vec<u64> {
    (0..coins.div_ceil(64)).map(|_| stream.bits()).collect()
}

fn is_set(tossed: &[u64], coin: usize) -> bool {
    tossed[coin / 64] >> (coin % 64) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agreement::groups::Grouping;
    use ndarray::Slice;

    const SYSTEMS: usize = 6;
    const ITEMS: usize = 25;

    const CALIBRATED: Coefficient = Coefficient::Calibrated { formula: Formula::AccEq };

    /// Scores with few values, so that ties abound; one in eight human scores is missing.
    fn scores(purpose: u64) -> Vec<f64> {
        let mut stream = Stream::new(purpose, Purpose::Agreement, 0);
        (0..SYSTEMS * ITEMS).map(|_| f64::from(stream.below(12)) / 4.0).collect()
    }

    fn human() -> Vec<f64> {
        let mut stream = Stream::new(9, Purpose::Agreement, 1);
        let mut draw = |human: f64| if stream.below(8) == 0 { f64::NAN } else { human.floor() };
        scores(3).into_iter().map(&mut draw).collect()
    }

    fn plain_hybrids(metrics: [&[f64]; 2], draw: u64, seed: u64) -> [Vec<f64>; 2] {
        let swapped = swapped_cells(metrics[0].len(), draw..draw + 1, seed);
        [0, 1].map(|side: usize| {
            (0..metrics[0].len())
                .map(|cell| metrics[side ^ usize::from(swapped[[0, cell]])][cell])
                .collect()
        })
    }

    #[test]
    fn hybrids_are_evaluated_as_metrics_of_their_own() {
        let (human, first, second) = (human(), scores(1), scores(2));
        let metrics = [&first[..], &second[..]];
        let averagings = [false, true].map(|micro| Averaging { micro, undefined_as_zero: false });
        let coefficients = [
            Coefficient::Calibrated { formula: Formula::AccEq },
            Coefficient::Calibrated { formula: Formula::TauEq },
            Coefficient::Pairs { formula: Formula::TauB, epsilon: 0.0 },
            Coefficient::Pearson,
        ];
        for grouping in [Grouping::None, Grouping::Item, Grouping::System] {
            let prepared = Prepared::new(&human, SYSTEMS, grouping);
            for (averaging, coefficient) in
                averagings.iter().flat_map(|a| coefficients.iter().map(move |c| (*a, *c)))
            {
                let permutation = (Permutation::Random { seed: 5 }, Unit::Cell);
                let found =
                    hybrid_values(&prepared, coefficient, averaging, metrics, permutation, 0..20);
                for draw in 0..20 {
                    let hybrids = plain_hybrids(metrics, draw, 5);
                    for (side, hybrid) in hybrids.iter().enumerate() {
                        let expected = prepared.evaluate(
                            coefficient,
                            averaging,
                            &prepared.gather(hybrid),
                            None,
                            &mut Scratch::default(),
                        );
                        let difference =
                            found[[draw as usize, side]] - expected.value.unwrap_or(9.0);
                        assert!(difference.abs() < 1e-12, "{grouping:?} {coefficient:?} {draw}");
                    }
                }
            }
        }
    }

    #[test]
    fn some_thresholds_are_as_good_as_all_where_they_are_all_there_are() {
        // Few scores have few differences: every one of them is among the quantiles.
        let (human, first, second) = (human(), scores(1), scores(2));
        let metrics = [&first[..], &second[..]];
        for grouping in [Grouping::None, Grouping::Item, Grouping::System] {
            let prepared = Prepared::new(&human, SYSTEMS, grouping);
            let gathered = metrics.map(|metric| prepared.gather(metric));
            let scores = [&gathered[0][..], &gathered[1][..]];
            for micro in [false, true] {
                let averaging = Averaging { micro, undefined_as_zero: false };
                let coins = Coins {
                    prepared: &prepared,
                    size: first.len(),
                    permutation: Permutation::Random { seed: 5 },
                    unit: Unit::Cell,
                };
                let fine = PermutedTies::new(&prepared, averaging, scores);
                let coarse = CoarseTies::new(&prepared, averaging, scores);
                let (Some(fine), Some(coarse)) = (fine, coarse) else { panic!("few pairs") };
                let all = permuted_accuracies(&fine, &coins, 0..300);
                let some = many_draws(&coins, 0..300, |holds| coarse.accuracies(holds));
                assert!(all.iter().zip(&some).all(|(x, y)| (x - y).abs() < 1e-12), "{grouping:?}");
            }
        }
    }

    #[test]
    fn enumerated_permutations_swap_every_set_of_cells() {
        let prepared = Prepared::new(&[1.0, 2.0, 4.0], 3, Grouping::None);
        let values = hybrid_values(
            &prepared,
            Coefficient::Pairs { formula: Formula::AccEq, epsilon: 0.0 },
            Averaging::default(),
            [&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0]],
            (Permutation::Enumerated, Unit::Cell),
            0..8,
        );
        let thirds = |row: [u8; 8]| row.map(|right| f64::from(right) / 3.0).to_vec();
        assert_eq!(values.column(0).to_vec(), thirds([3, 1, 3, 1, 1, 0, 1, 0]));
        assert_eq!(values.column(1).to_vec(), thirds([0, 1, 0, 1, 1, 3, 1, 3]));
    }

    #[test]
    fn a_system_is_swapped_with_all_its_cells_or_not_at_all() {
        let (human, first, second) = (human(), scores(1), scores(2));
        let prepared = Prepared::new(&human, SYSTEMS, Grouping::Item);
        let averaging = Averaging::default();
        let tosses = [Permutation::Random { seed: 5 }, Permutation::Enumerated];
        for (permutation, coefficient) in
            tosses.iter().flat_map(|toss| [(toss, Coefficient::Pearson), (toss, CALIBRATED)])
        {
            let unit = Unit::System { items: ITEMS };
            let metrics = [&first[..], &second[..]];
            let found = hybrid_values(
                &prepared,
                coefficient,
                averaging,
                metrics,
                (*permutation, unit),
                0..20,
            );
            for draw in 0..20_usize {
                let coins = swapped_cells(SYSTEMS, draw as u64..draw as u64 + 1, 5);
                let swapped = |system: usize| match permutation {
                    Permutation::Random { .. } => coins[[0, system]],
                    Permutation::Enumerated => draw >> system & 1 == 1,
                };
                for side in 0..2 {
                    let hybrid: Vec<f64> = (0..SYSTEMS * ITEMS)
                        .map(|cell| metrics[side ^ usize::from(swapped(cell / ITEMS))][cell])
                        .collect();
                    let gathered = prepared.gather(&hybrid);
                    let scratch = &mut Scratch::default();
                    let expected =
                        prepared.evaluate(coefficient, averaging, &gathered, None, scratch);
                    let difference = found[[draw, side]] - expected.value.unwrap_or(9.0);
                    assert!(difference.abs() < 1e-12, "{permutation:?} {coefficient:?} {draw}");
                }
            }
        }
    }

    #[test]
    fn a_draw_does_not_depend_on_its_neighbours() {
        let (human, first, second) = (human(), scores(1), scores(2));
        let prepared = Prepared::new(&human, SYSTEMS, Grouping::Item);
        let values = |draws| {
            hybrid_values(
                &prepared,
                Coefficient::Calibrated { formula: Formula::AccEq },
                Averaging::default(),
                [&first, &second],
                (Permutation::Random { seed: 1 }, Unit::Cell),
                draws,
            )
        };
        let (all, some) = (values(0..100), values(40..77));
        assert_eq!(all.slice_axis(Axis(0), Slice::from(40..77)), some);
    }

    #[test]
    fn outcomes_are_counted_by_size_of_group() {
        let human = [1.0, 2.0, 3.0, 1.0, 1.0, f64::NAN];
        let prepared = Prepared::new(&human, 3, Grouping::Item);
        // Items have the cells 0, 2, 4 and 1, 3.
        let first = [1.0, 1.0, 2.0, 2.0, 1.0, 0.0];
        let second = [2.0, 2.0, 1.0, 1.0, 2.0, 0.0];
        let found = outcomes(&prepared, [&first, &second], [0.0, 0.0]);
        let of =
            |cells, only_first, only_second| Outcomes { cells, groups: 1, only_first, only_second };
        assert_eq!(found, [of(2, 0, 1), of(3, 2, 0)]);
    }

    #[test]
    fn half_of_the_coins_show_heads() {
        let counts = heads(&[0, 1, 64, 1000], 0..4000, 3);
        for (column, coins) in [(0, 0.0), (1, 1.0), (2, 64.0), (3, 1000.0)] {
            let mean = counts.column(column).iter().sum::<u64>() as f64 / 4000.0;
            // Five standard errors of a mean of 4,000 binomial counts.
            assert!((mean - coins / 2.0).abs() <= 5.0 * (coins / 4.0 / 4000.0_f64).sqrt());
            assert!(counts.column(column).iter().all(|&count| count as f64 <= coins));
        }
    }
}
