//! M-BLEU: BLEU's counts, scored by the arithmetic mean of the precisions (Zhang and Vogel, 2004, §2.2).

use super::bleu::{BleuCounts, brevity_gradient, brevity_penalty};
use super::{BySegment, Counter, Details, Metric, Part};

/// M-BLEU, with the columns of BLEU.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mbleu {
    /// Settings of the counts.
    pub counts: BleuCounts,
}

impl Metric for Mbleu {
    fn width(&self) -> usize {
        self.counts.width()
    }

    fn counter(&self) -> Box<dyn Counter + '_> {
        Box::new(BySegment::new(&self.counts, self.width()))
    }

    fn is_possible(&self, row: &[f64]) -> bool {
        self.counts.is_possible(row)
    }

    /// Computes the score in [0, 100].
    fn score_row(&self, sums: &[f64]) -> f64 {
        let max_order = (sums.len() - 2) / 2;
        let mean = precisions(sums).sum::<f64>() / max_order as f64;
        brevity_penalty(sums[0], sums[1]) * mean
    }

    fn gradient_row(&self, sums: &[f64], gradient: &mut [f64]) {
        gradient.fill(0.0);
        let max_order = (sums.len() - 2) / 2;
        let (matches, totals) = sums[2..].split_at(max_order);
        let (lengths, by_order) = gradient.split_at_mut(2);
        let (by_match, by_total) = by_order.split_at_mut(max_order);
        let share = 100.0 * brevity_penalty(sums[0], sums[1]) / max_order as f64;
        for order in (0..max_order).filter(|&order| totals[order] > 0.0) {
            by_match[order] = share / totals[order];
            by_total[order] = -share * matches[order] / (totals[order] * totals[order]);
        }
        brevity_gradient(self.score_row(sums), sums[0], sums[1], lengths);
    }

    fn details_row(&self, sums: &[f64]) -> Details {
        let (matches, totals) = sums[2..].split_at((sums.len() - 2) / 2);
        vec![
            ("score", Part::Number(self.score_row(sums))),
            ("precisions", Part::Numbers(precisions(sums).collect())),
            ("brevity_penalty", Part::Number(brevity_penalty(sums[0], sums[1]))),
            ("output_length", Part::Count(sums[0])),
            ("reference_length", Part::Count(sums[1])),
            ("matches", Part::Numbers(matches.to_vec())),
            ("totals", Part::Numbers(totals.to_vec())),
        ]
    }
}

/// Iterates over the precisions in percent; 0 for an order without n-grams in the output.
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
    use crate::metrics::tests::check_gradient;

    #[test]
    fn the_score_is_the_arithmetic_mean_times_the_penalty() {
        // "the cat sat on mat" against "the cat is on the mat".
        let sums = [5.0, 6.0, 4.0, 1.0, 0.0, 0.0, 5.0, 4.0, 3.0, 2.0];
        let metric = Mbleu::default();
        let expected = (-0.2_f64).exp() * 100.0 * (4.0 / 5.0 + 1.0 / 4.0) / 4.0;
        assert!((metric.score_row(&sums) - expected).abs() < 1e-12);
        let precisions = Part::Numbers(vec![80.0, 25.0, 0.0, 0.0]);
        assert_eq!(metric.details_row(&sums)[1], ("precisions", precisions));
        check_gradient(&metric, &sums);
    }

    #[test]
    fn an_order_without_ngrams_has_precision_zero() {
        let perfect_pair = [2.0, 2.0, 2.0, 1.0, 0.0, 0.0, 2.0, 1.0, 0.0, 0.0];
        let score = |sums: &[f64]| Mbleu::default().score_row(sums);
        assert!((score(&perfect_pair) - 50.0).abs() < 1e-12);
        assert!(score(&[0.0; 10]).abs() < f64::EPSILON);
    }
}
