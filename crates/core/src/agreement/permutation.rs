//! Agreement with human raters of two metrics whose scores were swapped at random.
//!
//! PERM-BOTH (Deutsch, Dror and Roth, 2021): were the metrics equally good, either score of a cell
//! might as well be the other metric's. A draw swaps the scores of a random half of the cells, and
//! both hybrids are evaluated again. Scores must have been standardised before, so that they can be
//! swapped.

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

/// The way of drawing cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permutation {
    /// Each by a fair coin.
    Random {
        /// Seed of the coins.
        seed: u64,
    },
    /// Draw i swaps the units whose bits are set in i, prepared cells or systems: 2^units draws are
    /// all there are.
    Enumerated,
}

/// The cells that share a coin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Every cell.
    Cell,
    /// A system: all its cells, `items` of them, are swapped together or not at all.
    System {
        /// Number of cells of a system.
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

/// Evaluates both hybrids, first without swaps, then in each draw; NaN if a hybrid has no value.
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
    let coins = Coins { permutation, unit, cells: metrics[0].len() };
    let draws = Draws { prepared, coins, numbers: draws };
    if let Coefficient::Calibrated { formula } = coefficient
        && let Some(mut values) = calibrated_accuracies(averaging, scores, &draws)
    {
        if formula == Formula::TauEq {
            values.mapv_inplace(|accuracy| 2.0 * accuracy - 1.0);
        }
        return values;
    }
    if let Coefficient::Pairs { formula, epsilon } = coefficient
        && let Some(pairs) = PermutedPairs::new(prepared, formula, epsilon, averaging, scores)
    {
        return draws.many_at_once(|holds| pairs.values(holds));
    }
    draws.each(1, Hybrids::default, |hybrids, rows| {
        let Hybrids { first, second, scratch } = hybrids;
        first.clear();
        second.clear();
        let mut cells = scores[0].iter().zip(scores[1]);
        draws.toss(rows.start, |swapped| {
            if let Some((&one, &other)) = cells.next() {
                first.push(if swapped { other } else { one });
                second.push(if swapped { one } else { other });
            }
        });
        let evaluate = |hybrid: &[f64], scratch: &mut Scratch| {
            let found = prepared.evaluate(coefficient, averaging, hybrid, None, scratch);
            found.value.unwrap_or(f64::NAN)
        };
        vec![[evaluate(first, scratch), evaluate(second, scratch)]]
    })
}

/// Buffers of a thread.
#[derive(Default)]
struct Hybrids {
    first: Vec<f64>,
    second: Vec<f64>,
    scratch: Scratch,
}

/// Computes the accuracies of both hybrids in each draw; None if there are too many pairs.
fn calibrated_accuracies(
    averaging: Averaging,
    scores: [&[f64]; 2],
    draws: &Draws<'_>,
) -> Option<Array2<f64>> {
    let prepared = draws.prepared;
    if 4 * prepared.pairs() <= FINE {
        let ties = PermutedTies::new(prepared, averaging, scores)?;
        return Some(draws.some_at_once(&ties));
    }
    let ties = CoarseTies::new(prepared, averaging, scores)?;
    Some(draws.many_at_once(|holds| ties.accuracies(holds)))
}

/// The draws of a test: first the draw without swaps, then the numbered ones.
struct Draws<'a> {
    prepared: &'a Prepared,
    coins: Coins,
    numbers: Range<u64>,
}

impl Draws<'_> {
    /// Returns the coins of a row.
    fn words(&self, row: usize) -> Vec<u64> {
        match row.checked_sub(1) {
            Some(draw) => self.coins.toss(self.numbers.start + draw as u64),
            None => vec![0; self.coins.count().div_ceil(64)],
        }
    }

    /// Yields the coin of each prepared cell. Enumerated permutations of cells number only these
    /// cells.
    fn coin_numbers(&self) -> impl Iterator<Item = usize> {
        let Coins { permutation, unit, .. } = self.coins;
        let by_place = permutation == Permutation::Enumerated && unit == Unit::Cell;
        let cells = self.prepared.cells().iter().enumerate();
        cells.map(
            move |(place, &cell)| {
                if by_place { place } else { cell as usize / unit.cells_per_coin() }
            },
        )
    }

    /// Hands over the coins of a row in the order of the prepared cells.
    fn toss(&self, row: usize, mut coin: impl FnMut(bool)) {
        let words = self.words(row);
        self.coin_numbers().for_each(|number| coin(is_set(&words, number)));
    }

    /// Computes two values for each row from its own number alone, `size` rows at a time.
    fn each<T>(
        &self,
        size: usize,
        start: impl Fn() -> T + Sync + Send,
        values: impl Fn(&mut T, Range<usize>) -> Vec<[f64; 2]> + Sync,
    ) -> Array2<f64> {
        let count = 1 + (self.numbers.end - self.numbers.start) as usize;
        let mut all = Array2::zeros((count, 2));
        all.axis_chunks_iter_mut(Axis(0), size).into_par_iter().enumerate().for_each_init(
            start,
            |with, (chunk, mut rows)| {
                interruption::check();
                let first = chunk * size;
                let values = values(with, first..first + rows.nrows());
                for (mut row, pair) in rows.outer_iter_mut().zip(values) {
                    row.iter_mut().zip(pair).for_each(|(to, value)| *to = value);
                }
            },
        );
        all
    }

    /// Computes two values for each row, `LANES` rows at a time.
    ///
    /// `values` gets a bit for each of these rows: at `2 * cell + metric`, whether the first hybrid
    /// holds that metric's score of the cell.
    fn many_at_once(&self, values: impl Fn(&[Bits]) -> Vec<[f64; 2]> + Sync) -> Array2<f64> {
        self.each(LANES, Vec::new, |holds: &mut Vec<Bits>, rows| {
            let swapped = self.by_coin(rows);
            holds.clear();
            for number in self.coin_numbers() {
                let swapped = swapped.get(number).copied().unwrap_or_default();
                // A swap gives the first hybrid the second metric's score.
                holds.extend([swapped.map(|word| !word), swapped]);
            }
            Arch::new().dispatch(|| values(holds))
        })
    }

    /// Returns the bits of each coin in the rows.
    fn by_coin(&self, rows: Range<usize>) -> Vec<Bits> {
        let mut swapped = Vec::new();
        for (part, first) in rows.clone().step_by(64).enumerate() {
            let rows = first..rows.end.min(first + 64);
            let words: Vec<Vec<u64>> = rows.map(|row| self.words(row)).collect();
            let count = words.iter().map(Vec::len).max().unwrap_or(0);
            swapped.resize(64 * count, Bits::default());
            for (block, swapped) in swapped.chunks_exact_mut(64).enumerate() {
                let mut square = [0; 64];
                square.iter_mut().zip(&words).for_each(|(to, words)| *to = words[block]);
                transpose(&mut square);
                swapped.iter_mut().zip(square).for_each(|(to, word)| to[part] = word);
            }
        }
        swapped
    }

    /// Computes the accuracies of both hybrids in each row, `DRAWS` rows at a time.
    fn some_at_once(&self, ties: &PermutedTies) -> Array2<f64> {
        self.each(DRAWS, Vec::new, |holds: &mut Vec<Mask>, rows| {
            holds.clear();
            holds.resize(2 * self.prepared.cells().len(), Mask::default());
            for (place, row) in rows.enumerate() {
                let mut cells = holds.chunks_exact_mut(2);
                self.toss(row, |swapped| {
                    if let Some(cell) = cells.next() {
                        // A swap gives the first hybrid the second metric's score.
                        cell[0][place] = i16::from(swapped) - 1;
                        cell[1][place] = -i16::from(swapped);
                    }
                });
            }
            ties.accuracies(holds).to_vec()
        })
    }
}

/// Turns rows into columns: bit j of word i becomes bit i of word j.
fn transpose(square: &mut [u64; 64]) {
    let (mut width, mut mask) = (32, u64::from(u32::MAX));
    while width > 0 {
        for row in (0..64).filter(|row| row & width == 0) {
            let differing = (square[row] >> width ^ square[row + width]) & mask;
            square[row] ^= differing << width;
            square[row + width] ^= differing;
        }
        width /= 2;
        mask ^= mask << width;
    }
}

/// Returns whether each cell of a matrix is swapped, shaped (draw, cell).
#[cfg(test)]
pub(super) fn swapped_cells(cells: usize, draws: Range<u64>, seed: u64) -> Array2<bool> {
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
    /// Number of groups of that size.
    pub groups: u64,
    /// Pairs that only the first metric has right.
    pub only_first: u64,
    /// Pairs that only the second metric has right.
    pub only_second: u64,
}

/// Counts the outcomes of two metrics under their thresholds, by size of group, smallest first.
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

/// Draws the numbers of heads among `counts` fair coins, shaped (draw, count).
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

/// The coins of draws. A coin belongs to a place in the matrix: the same seed swaps the same cells
/// whichever coefficient is asked for and however cells are grouped.
#[derive(Debug, Clone, Copy)]
pub(super) struct Coins {
    pub permutation: Permutation,
    pub unit: Unit,
    /// Number of cells of the matrix.
    pub cells: usize,
}

impl Coins {
    fn count(self) -> usize {
        self.cells.div_ceil(self.unit.cells_per_coin())
    }

    /// Tosses the coins of a draw, 64 to a word.
    pub fn toss(self, draw: u64) -> Vec<u64> {
        match self.permutation {
            Permutation::Random { seed } => {
                toss(&mut Stream::new(seed, Purpose::Permutation, draw), self.count())
            }
            // Units beyond the 64th are never swapped: there are no more than 2^64 draws.
            Permutation::Enumerated => {
                let words = self.count().div_ceil(64);
                std::iter::once(draw).chain(std::iter::repeat(0)).take(words).collect()
            }
        }
    }

    /// Returns the coins of 64 cells of a system from `cell` on; bits beyond its last cell mean
    /// nothing.
    pub fn word(self, tossed: &[u64], cell: usize) -> u64 {
        match self.unit {
            Unit::Cell => {
                let word = |number: usize| tossed.get(number).copied().unwrap_or(0);
                let (number, bit) = (cell / 64, cell % 64);
                // Twice, since a shift by 64 is none.
                word(number) >> bit | (word(number + 1) << 1) << (63 - bit)
            }
            Unit::System { .. } => {
                u64::from(is_set(tossed, cell / self.unit.cells_per_coin())).wrapping_neg()
            }
        }
    }
}

fn toss(stream: &mut Stream, coins: usize) -> Vec<u64> {
    (0..coins.div_ceil(64)).map(|_| stream.bits()).collect()
}

fn is_set(tossed: &[u64], coin: usize) -> bool {
    tossed.get(coin / 64).is_some_and(|word| word >> (coin % 64) & 1 == 1)
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
                let plain = [metrics[0].to_vec(), metrics[1].to_vec()];
                let swapped = (0..20).map(|draw| plain_hybrids(metrics, draw, 5));
                for (draw, hybrids) in std::iter::once(plain).chain(swapped).enumerate() {
                    for (side, hybrid) in hybrids.iter().enumerate() {
                        let expected = prepared.evaluate(
                            coefficient,
                            averaging,
                            &prepared.gather(hybrid),
                            None,
                            &mut Scratch::default(),
                        );
                        let difference = found[[draw, side]] - expected.value.unwrap_or(9.0);
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
                let permutation = Permutation::Random { seed: 5 };
                let coins = Coins { permutation, unit: Unit::Cell, cells: first.len() };
                let draws = Draws { prepared: &prepared, coins, numbers: 0..300 };
                let fine = PermutedTies::new(&prepared, averaging, scores);
                let coarse = CoarseTies::new(&prepared, averaging, scores);
                let (Some(fine), Some(coarse)) = (fine, coarse) else { panic!("few pairs") };
                let all = draws.some_at_once(&fine);
                let some = draws.many_at_once(|holds| coarse.accuracies(holds));
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
        let thirds = |row: [u8; 9]| row.map(|right| f64::from(right) / 3.0).to_vec();
        assert_eq!(values.column(0).to_vec(), thirds([3, 3, 1, 3, 1, 1, 0, 1, 0]));
        assert_eq!(values.column(1).to_vec(), thirds([0, 0, 1, 0, 1, 1, 3, 1, 3]));
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
                    let difference = found[[1 + draw, side]] - expected.value.unwrap_or(9.0);
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
        let rows = |values: &Array2<f64>, rows: Range<usize>| {
            values.slice_axis(Axis(0), Slice::from(rows)).to_owned()
        };
        assert_eq!(rows(&all, 41..78), rows(&some, 1..38));
        assert_eq!(all.row(0), some.row(0));
    }

    #[test]
    fn rows_of_bits_become_columns() {
        let mut square =
            std::array::from_fn(|row| Stream::new(row as u64, Purpose::Permutation, 0).bits());
        let before = square;
        transpose(&mut square);
        for (row, column) in (0..64).flat_map(|row| (0..64).map(move |column| (row, column))) {
            assert_eq!(square[column] >> row & 1, before[row] >> column & 1);
        }
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
