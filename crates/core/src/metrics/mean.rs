//! The mean of given scores of segments.

use super::{Counter, Details, Metric, Part};
use crate::corpus::Window;

/// The mean of given scores. Its columns: sum of the scores, number of scores.
#[derive(Debug, Clone, Copy)]
pub struct Mean;

impl Metric for Mean {
    fn width(&self) -> usize {
        2
    }

    fn counter(&self) -> Box<dyn Counter + '_> {
        Box::new(Self)
    }

    fn score_row(&self, sums: &[f64]) -> f64 {
        sums[0] / sums[1]
    }

    fn gradient_row(&self, sums: &[f64], gradient: &mut [f64]) {
        gradient.copy_from_slice(&[1.0 / sums[1], -sums[0] / (sums[1] * sums[1])]);
    }

    fn details_row(&self, sums: &[f64]) -> Details {
        vec![("score", Part::Number(self.score_row(sums))), ("segments", Part::Count(sums[1]))]
    }
}

/// Texts have no given scores, so the sum and the number are 0.
impl Counter for Mean {
    fn count(&self, _: &[Window<'_>], _: &[Window<'_>], _: usize, rows: &mut [f64]) {
        rows.fill(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_the_sum_divided_by_the_number() {
        assert_eq!(Mean.score(&[3.0, 4.0]), Ok(0.75));
        assert_eq!(
            Mean.details(&[3.0, 4.0]),
            Ok(vec![("score", Part::Number(0.75)), ("segments", Part::Count(4.0))])
        );
        let mut gradient = vec![0.0; 2];
        Mean.gradient_row(&[3.0, 4.0], &mut gradient);
        assert_eq!(gradient, [0.25, -0.1875]);
    }
}
