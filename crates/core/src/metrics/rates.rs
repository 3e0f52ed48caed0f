//! Errors per hundred reference words, for rows that begin with errors and reference length.

/// The rate of one row of sums. Without reference words it is 100 if there are errors, else 0.
#[must_use]
pub fn error_rate(sums: &[f64]) -> f64 {
    let (errors, length) = (sums[0], sums[1]);
    if length > 0.0 {
        100.0 * (errors / length)
    } else if errors > 0.0 {
        100.0
    } else {
        0.0
    }
}

/// Whether a row has the lower rate; at the same rate, whether its columns come first in order.
///
/// Errors without reference words are a rate above all others; no errors without words are none.
#[must_use]
pub fn is_lower(row: &[f64], other: &[f64]) -> bool {
    // Fractions are compared crosswise: whole numbers, so nothing is rounded.
    let (rate, other_rate) = (row[0] * other[1], other[0] * row[1]);
    rate < other_rate || (rate <= other_rate && row < other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_in_errors_per_hundred_words() {
        assert!((error_rate(&[3.0, 12.0]) - 25.0).abs() < 1e-12);
        assert!((error_rate(&[3.0, 2.0]) - 150.0).abs() < 1e-12);
        assert!((error_rate(&[3.0, 0.0]) - 100.0).abs() < 1e-12);
        assert!(error_rate(&[0.0, 0.0]) == 0.0);
    }

    #[test]
    fn the_lower_rate_wins_and_at_equal_rates_the_fewer_errors() {
        assert!(is_lower(&[2.0, 8.0], &[1.0, 3.0]));
        assert!(is_lower(&[1.0, 2.0], &[2.0, 4.0]));
        assert!(!is_lower(&[2.0, 4.0], &[1.0, 2.0]));
        assert!(is_lower(&[1.0, 2.0, 0.0], &[1.0, 2.0, 1.0]));
        assert!(!is_lower(&[1.0, 2.0], &[1.0, 2.0]));
    }

    #[test]
    fn an_empty_reference_is_best_for_an_empty_output_and_worst_for_any_other() {
        assert!(is_lower(&[0.0, 0.0], &[2.0, 2.0]));
        assert!(!is_lower(&[2.0, 2.0], &[0.0, 0.0]));
        assert!(is_lower(&[9.0, 2.0], &[1.0, 0.0]));
        assert!(!is_lower(&[1.0, 0.0], &[9.0, 2.0]));
    }
}
