//! M-BLEU: BLEU's counts, scored by the arithmetic mean of the precisions (Zhang and Vogel, 2004, §2.2).

use super::bleu::brevity_penalty;

/// A score and what it is made of.
#[derive(Debug, Clone)]
pub struct MbleuScore {
    /// In [0, 100].
    pub score: f64,
    pub brevity_penalty: f64,
    /// In [0, 100].
    pub precisions: Vec<f64>,
}

/// The score in [0, 100] of one row of BLEU's sums.
#[must_use]
pub fn score(sums: &[f64]) -> f64 {
    let max_order = (sums.len() - 2) / 2;
    let mean = precisions(sums).sum::<f64>() / max_order as f64;
    brevity_penalty(sums[0], sums[1]) * mean
}

/// The score of one row of BLEU's sums with its parts.
#[must_use]
pub fn details(sums: &[f64]) -> MbleuScore {
    MbleuScore {
        score: score(sums),
        brevity_penalty: brevity_penalty(sums[0], sums[1]),
        precisions: precisions(sums).collect(),
    }
}

/// The precisions in percent; 0 for an order that the output has no n-grams of.
fn precisions(sums: &[f64]) -> impl Iterator<Item = f64> {
    let (matches, totals) = sums[2..].split_at((sums.len() - 2) / 2);
    let percent = |(count, total): (&f64, &f64)| {
        if *total > 0.0 { 100.0 * count / total } else { 0.0 }
    };
    matches.iter().zip(totals).map(percent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_precisions_are_averaged_arithmetically_and_the_penalty_applied() {
        // "the cat sat on mat" against "the cat is on the mat".
        let sums = [5.0, 6.0, 4.0, 1.0, 0.0, 0.0, 5.0, 4.0, 3.0, 2.0];
        let found = details(&sums);
        let expected = (-0.2_f64).exp() * 100.0 * (4.0 / 5.0 + 1.0 / 4.0) / 4.0;
        assert!((found.score - expected).abs() < 1e-12);
        assert!((score(&sums) - expected).abs() < 1e-12);
        assert_eq!(found.precisions, [80.0, 25.0, 0.0, 0.0]);
    }

    #[test]
    fn an_order_without_n_grams_counts_as_a_precision_of_zero() {
        let perfect_pair = [2.0, 2.0, 2.0, 1.0, 0.0, 0.0, 2.0, 1.0, 0.0, 0.0];
        assert!((score(&perfect_pair) - 50.0).abs() < 1e-12);
        assert!(score(&[0.0; 10]).abs() < f64::EPSILON);
    }
}
