//! Tails and quantiles of the normal, Student's and the beta distribution, the same on every machine.
//!
//! The incomplete beta function is a continued fraction (DiDonato & Morris 1992, in the form of Boost's
//! `ibeta`) times a density by the saddle-point expansion (Loader 2000), so that neither loses digits with
//! millions of trials. Quantiles are found by Newton's method on the logarithm of the tail.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

use libm::{erf, erfc, exp, exp2, log, log1p};

/// Terms of the continued fraction; a million trials take about a thousand.
const MAX_TERMS: u32 = 100_000;
/// Number of trials up to which binomial coefficients are whole numbers in floats.
const FEW_TRIALS: f64 = 50.0;
/// Steps towards a quantile; six are usual.
const MAX_STEPS: u32 = 100;
/// Logits beyond which a share is 0 or 1.
const MAX_LOGIT: f64 = 700.0;
/// Relative size of Newton's last step: its error is about the square.
const LAST_STEP: f64 = 1e-9;

/// Returns the share of the normal distribution below a value.
#[must_use]
pub fn normal_tail(value: f64) -> f64 {
    0.5 * erfc(-value * FRAC_1_SQRT_2)
}

/// Returns the value below which this share of the normal distribution lies.
#[must_use]
pub fn normal_quantile(share: f64) -> f64 {
    let tail = share.min(1.0 - share);
    if tail <= 0.0 {
        return if share > 0.5 { f64::INFINITY } else { f64::NEG_INFINITY };
    }
    // Hastings' approximation (Abramowitz & Stegun 26.2.23), improved by Halley's method.
    let t = (-2.0 * log(tail)).sqrt();
    let above = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let below = 1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308));
    let mut z = t - above / below;
    for _ in 0..3 {
        let density = exp(-z * z / 2.0) / (2.0 * PI).sqrt();
        // Near the median, the distance from it has more digits than the tail.
        let excess = if tail > 0.25 {
            (0.5 - tail) - erf(z * FRAC_1_SQRT_2) / 2.0
        } else {
            normal_tail(-z) - tail
        };
        let step = excess / density;
        z += step / (1.0 + z * step / 2.0);
    }
    if share > 0.5 { z } else { -z }
}

/// Returns the t between minus and plus which this share of Student's distribution lies.
///
/// It is no number unless the degrees of freedom, which may be a fraction, are above 0.
#[must_use]
pub fn student_quantile(level: f64, degrees: f64) -> f64 {
    if degrees.is_nan() || degrees <= 0.0 {
        return f64::NAN;
    }
    if degrees.is_infinite() {
        return -normal_quantile((1.0 - level) / 2.0);
    }
    // t²/(t² + degrees) has a beta distribution, and its logit is the logarithm of t²/degrees.
    let tail = if level < 0.5 { Tail::Lower(level) } else { Tail::Upper(1.0 - level) };
    (degrees * exp(beta_logit(0.5, degrees / 2.0, tail))).sqrt()
}

/// Returns the share of Student's distribution above t.
#[must_use]
pub fn student_tail(t: f64, degrees: f64) -> f64 {
    if degrees.is_infinite() {
        return normal_tail(-t);
    }
    if t.is_infinite() {
        return if t > 0.0 { 0.0 } else { 1.0 };
    }
    let (square, sum) = (t * t, degrees + t * t);
    let half = beta_tails(degrees / 2.0, 0.5, degrees / sum, square / sum).0 / 2.0;
    if t > 0.0 { half } else { 1.0 - half }
}

/// Returns the value below which this share of the beta distribution lies.
#[must_use]
pub fn beta_quantile(a: f64, b: f64, share: f64) -> f64 {
    let tail = if share < 0.5 { Tail::Lower(share) } else { Tail::Upper(1.0 - share) };
    let logit = beta_logit(a, b, tail);
    if logit <= -MAX_LOGIT { 0.0 } else { 1.0 / (1.0 + exp(-logit)) }
}

/// Returns the probability of `successes` or more in `trials` trials that each succeed with probability 1/2.
#[must_use]
pub fn fair_tail(successes: f64, trials: f64) -> f64 {
    if successes <= 0.0 {
        return 1.0;
    }
    if trials <= FEW_TRIALS {
        // Exact, so that p equals a significance level such as 1/16.
        let (mut coefficient, mut sum, mut failures) = (1.0, 0.0, 0.0);
        while failures <= trials - successes {
            sum += coefficient;
            coefficient = coefficient * (trials - failures) / (failures + 1.0);
            failures += 1.0;
        }
        return sum * exp2(-trials);
    }
    beta_tails(successes, trials - successes + 1.0, 0.5, 0.5).0
}

/// A probability of a distribution, as the tail that keeps more digits.
#[derive(Debug, Clone, Copy)]
enum Tail {
    Lower(f64),
    Upper(f64),
}

/// Returns the logit of the quantile of a beta distribution.
fn beta_logit(a: f64, b: f64, tail: Tail) -> f64 {
    let (mut low, mut high) = (-MAX_LOGIT, MAX_LOGIT);
    if let Tail::Lower(share) | Tail::Upper(share) = tail
        && share <= 0.0
    {
        return if matches!(tail, Tail::Lower(_)) { low } else { high };
    }
    let mut logit = log(a / b);
    for _ in 0..MAX_STEPS {
        let (x, y) = (1.0 / (1.0 + exp(-logit)), 1.0 / (1.0 + exp(logit)));
        let (lower, upper) = beta_tails(a, b, x, y);
        let (found, excess) = match tail {
            Tail::Lower(share) => (lower, log(lower / share)),
            Tail::Upper(share) => (upper, -log(upper / share)),
        };
        if excess > 0.0 {
            high = logit;
        } else {
            low = logit;
        }
        // The derivative of a tail by the logit is x^a y^b / B(a, b).
        let step = excess * found / beta_factor(a, b, x, y);
        let next = logit - step;
        if step.abs() <= LAST_STEP * logit.abs().max(1.0) {
            return next;
        }
        logit = if low < next && next < high { next } else { f64::midpoint(low, high) };
    }
    logit
}

/// Returns the shares of a beta distribution below and above x, where y = 1 - x.
fn beta_tails(a: f64, b: f64, x: f64, y: f64) -> (f64, f64) {
    if a * y >= b * x {
        let lower = beta_factor(a, b, x, y) * beta_fraction(a, b, x, y);
        (lower, 1.0 - lower)
    } else {
        let upper = beta_factor(b, a, y, x) * beta_fraction(b, a, y, x);
        (1.0 - upper, upper)
    }
}

/// Returns x^a y^b / B(a, b).
fn beta_factor(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let sum = a + b;
    let exponent = stirling_error(sum)
        - stirling_error(a)
        - stirling_error(b)
        - deviance(a, sum * x)
        - deviance(b, sum * y);
    (a * b / (2.0 * PI * sum)).sqrt() * exp(exponent)
}

/// Returns the continued fraction of the share below x, by Lentz's method; x is at most the mean.
#[expect(clippy::many_single_char_names, reason = "they are called so in every formula")]
fn beta_fraction(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let excess = a * y - b * x + 1.0;
    let mut value = a * excess / (a + 1.0);
    let (mut numerator, mut denominator) = (value, 0.0);
    for term in 1..MAX_TERMS {
        let m = f64::from(term);
        let odd = a + 2.0 * m - 1.0;
        let product = m * (b - m) * x;
        let partial_numerator = (a + m - 1.0) * (a + b + m - 1.0) * x * product / (odd * odd);
        let partial_denominator =
            m + product / odd + (a + m) * (excess + m * (2.0 - x)) / (odd + 2.0);
        denominator = 1.0 / (partial_denominator + partial_numerator * denominator);
        numerator = partial_denominator + partial_numerator / numerator;
        let change = numerator * denominator;
        value *= change;
        if (change - 1.0).abs() <= f64::EPSILON {
            break;
        }
    }
    1.0 / value
}

/// Returns the error of Stirling's formula, ln(n!) - ln(sqrt(2 pi n) (n / e)^n).
fn stirling_error(n: f64) -> f64 {
    let (mut shift, mut n) = (0.0, n);
    while n < 16.0 {
        shift += (n + 0.5) * log1p(1.0 / n) - 1.0;
        n += 1.0;
    }
    let square = 1.0 / (n * n);
    let series = [1.0 / 1188.0, 1.0 / 1680.0, 1.0 / 1260.0, 1.0 / 360.0, 1.0 / 12.0];
    let sum = series.iter().fold(691.0 / 360_360.0, |sum, coefficient| coefficient - square * sum);
    shift + sum / n
}

/// Returns x ln(x / mean) + mean - x, without cancellation where both are close.
fn deviance(x: f64, mean: f64) -> f64 {
    let (difference, sum) = (x - mean, x + mean);
    if difference.abs() >= 0.1 * sum {
        return x * log(x / mean) - difference;
    }
    let ratio = difference / sum;
    let square = ratio * ratio;
    let (mut total, mut power) = (difference * ratio, 2.0 * x * ratio);
    // |ratio| < 0.1: every term is less than a hundredth of the one before it.
    for order in 1..12 {
        power *= square;
        total += power / f64::from(2 * order + 1);
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-13, "found {found}, expected {expected}");
    }

    #[test]
    fn normal_quantiles_equal_scipy() {
        // scipy.special.ndtri.
        for (share, expected) in [
            (1e-300, -37.047_096_299_361_2),
            (1e-12, -7.034_483_825_301_131),
            (0.025, -1.959_963_984_540_054_5),
            (0.3, -0.524_400_512_708_040_9),
            (0.500_1, 2.506_628_300_880_075e-4),
            (0.7, 0.524_400_512_708_040_9),
            (0.975, 1.959_963_984_540_054_5),
        ] {
            assert_close(normal_quantile(share), expected);
        }
        assert!(normal_quantile(0.5).abs() < 1e-300);
        assert_eq!(
            (normal_quantile(0.0), normal_quantile(1.0)),
            (f64::NEG_INFINITY, f64::INFINITY)
        );
    }

    #[test]
    fn students_quantiles_equal_closed_forms() {
        assert!(student_quantile(0.95, 0.0).is_nan() && student_quantile(0.95, f64::NAN).is_nan());
        for level in [0.1, 0.5, 0.9, 0.95, 0.999] {
            // Cauchy's distribution, and Student's with two degrees of freedom.
            assert_close(student_quantile(level, 1.0), (PI * level / 2.0).tan());
            let two = level * (2.0 / (1.0 - level * level)).sqrt();
            assert_close(student_quantile(level, 2.0), two);
            assert_close(
                student_quantile(level, f64::INFINITY),
                normal_quantile(f64::midpoint(1.0, level)),
            );
        }
    }

    #[test]
    fn students_tails_invert_quantiles() {
        for degrees in [0.7, 1.0, 3.5, 29.0, 1e3, 1e6] {
            for level in [0.01, 0.5, 0.95, 0.999_9] {
                let t = student_quantile(level, degrees);
                assert!((2.0 * student_tail(t, degrees) / (1.0 - level) - 1.0).abs() < 1e-11);
                assert!((student_tail(t, degrees) + student_tail(-t, degrees) - 1.0).abs() < 1e-15);
            }
        }
        assert_eq!(student_tail(f64::INFINITY, 3.0), 0.0);
        assert_eq!(student_tail(f64::NEG_INFINITY, 3.0), 1.0);
        assert_eq!(student_tail(0.0, 3.0), 0.5);
    }

    #[test]
    fn beta_quantiles_equal_closed_forms() {
        for share in [1e-9, 0.025, 0.5, 0.975] {
            // x^a, 1 - (1 - x)^b, and the arcsine distribution.
            assert_close(beta_quantile(10.0, 1.0, share), share.powf(0.1));
            assert_close(beta_quantile(1.0, 3.0, share), -(f64::ln_1p(-share) / 3.0).exp_m1());
            assert_close(beta_quantile(0.5, 0.5, share), (PI * share / 2.0).sin().powi(2));
        }
        assert_eq!((beta_quantile(2.0, 3.0, 0.0), beta_quantile(2.0, 3.0, 1.0)), (0.0, 1.0));
        assert_close(beta_quantile(1e7, 1e7, 0.5), 0.5);
    }

    #[test]
    fn beta_quantiles_of_many_trials_equal_scipy() {
        // scipy.special.betaincinv.
        assert_close(beta_quantile(123_456.0, 7.5, 0.025), 0.999_888_680_423_509);
        assert_close(beta_quantile(2e6, 8e6, 0.975), 0.200_247_974_819_592_33);
        assert_close(beta_quantile(3.25, 999_998.0, 0.025), 7.292_231_721_878_431e-7);
        assert_close(beta_quantile(0.75, 40.0, 0.3), 0.005_022_879_967_935_364);
    }

    #[test]
    fn students_distribution_equals_scipys() {
        // scipy.special.stdtrit and stdtr.
        assert_close(student_quantile(0.95, 29.0), 2.045_229_642_132_703);
        assert_close(student_quantile(0.95, 999.0), 1.962_341_461_133_449_3);
        assert_close(student_quantile(0.99, 12.5), 3.032_436_652_870_561_7);
        assert_close(student_quantile(0.95, 1e6), 1.959_966_356_814_107);
        assert_close(student_tail(1.5, 4.0), 0.104);
        assert_close(student_tail(6.0, 29.0), 7.963_954_213_087_344e-7);
        assert_close(student_tail(2.5, 1e5), 0.006_210_459_596_279_525_5);
        assert_close(student_tail(0.3, 12.5), 0.384_553_871_984_267_3);
    }

    #[test]
    fn fair_tails_equal_sums_of_binomial_coefficients() {
        for trials in [1_u32, 2, 7, 30, 52] {
            let (mut coefficient, mut sum) = (1.0_f64, 0.0);
            for failures in 0..=trials {
                sum += coefficient;
                coefficient *= f64::from(trials - failures) / f64::from(failures + 1);
                let tail = fair_tail(f64::from(trials - failures), f64::from(trials));
                assert_close(tail, sum / exp2(f64::from(trials)));
            }
        }
        assert_eq!(fair_tail(0.0, 0.0), 1.0);
        // scipy.stats.binom.sf(successes - 1, trials, 0.5).
        assert_close(fair_tail(1000.0, 1000.0), 9.332_636_185_032_189e-302);
        assert_close(fair_tail(5150.0, 10_000.0), 0.001_393_983_758_856_359_4);
    }

    #[test]
    fn the_smallest_beta_quantiles_are_zero() {
        assert_eq!(beta_quantile(1e-9, 5.0, 0.025), 0.0);
    }
}
