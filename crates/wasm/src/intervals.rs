//! Intervals of scores as `truebleu.significance.intervals` and `student` make them.

use std::f64::consts::PI;

/// 1000 * (1 - 0.9) / 2 is 49.99999999999999 in floats, and means 50.
const WHOLE: f64 = 1e-6;
/// From so many degrees of freedom on the expansion around the normal quantile is exact enough.
const MANY_DEGREES: f64 = 1000.0;
const TIE_TOLERANCE: f64 = 1e-9;
const LEAST_UNITS_OF_HALL: f64 = 30.0;

/// The smallest number of extreme replicates that leaves a hypothesis standing; 0 where none rejects it.
#[expect(clippy::cast_sign_loss, reason = "a rank from 0 up")]
pub fn rejecting(replicates: u64, alpha: f64, exact: bool) -> usize {
    let share = (if exact { replicates } else { replicates + 1 }) as f64;
    let mut rank = (alpha * share).floor();
    rank += f64::from(u8::from((rank + 1.0) / share <= alpha));
    rank -= f64::from(u8::from(rank / share > alpha));
    (if exact { rank + 1.0 } else { rank }).max(0.0) as usize
}

/// The middle of the scores of replicates, the same whole number left out on either side.
#[expect(clippy::cast_sign_loss, reason = "a number of replicates")]
pub fn percentile(scores: &mut [f64], level: f64) -> (f64, f64) {
    let count = scores.len();
    let beyond = (count as f64 * (1.0 - level) / 2.0 + WHOLE).floor().max(0.0) as usize;
    let beyond = beyond.min((count - 1) / 2);
    scores.sort_unstable_by(f64::total_cmp);
    (scores[beyond], scores[count - 1 - beyond])
}

/// Hall's skewness-corrected interval of an estimate, of the estimates without one unit each; Student's by few
/// units, whose skewness is not known.
pub fn hall(estimate: f64, without: &[f64], level: f64) -> (f64, f64) {
    let count = without.len() as f64;
    let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / count;
    let centre = mean(&mut without.iter().copied());
    let mut influence: Vec<f64> =
        without.iter().map(|value| (count - 1.0) * (centre - value)).collect();
    let middle = mean(&mut influence.iter().copied());
    let factor = (count / (count - 1.0).max(1.0)).sqrt();
    for value in &mut influence {
        *value = (*value - middle) * factor;
    }
    let power = |exponent: i32| mean(&mut influence.iter().map(|value| value.powi(exponent)));
    let variance = power(2);
    let safe = if variance == 0.0 { 1.0 } else { variance };
    let skewness = if count < LEAST_UNITS_OF_HALL { 0.0 } else { power(3) / safe.powf(1.5) };
    let kurtosis = power(4) / (safe * safe);
    let degrees = (2.0 * count / (kurtosis - 1.0).max(1e-9)).min(count - 1.0).floor().max(1.0);
    let (error, bend) = ((variance / count).sqrt(), skewness / (3.0 * count.sqrt()));
    let bound = |side: f64| {
        let freedom = if side * bend < 0.0 { degrees } else { count - 1.0 };
        estimate - error * without_skewness(side * student_quantile(level, freedom), bend)
    };
    (bound(1.0), bound(-1.0))
}

fn without_skewness(target: f64, bend: f64) -> f64 {
    if bend.abs() < TIE_TOLERANCE {
        return target;
    }
    ((1.0 + 3.0 * bend * (target - bend / 2.0)).cbrt() - 1.0) / bend
}

/// The t between minus and plus which this share of Student's distribution lies, for whole degrees.
fn student_quantile(level: f64, degrees: f64) -> f64 {
    if degrees >= MANY_DEGREES {
        let z = -normal_quantile((1.0 - level) / 2.0);
        let power = |exponent| z.powi(exponent);
        return z
            + (power(3) + z) / (4.0 * degrees)
            + (5.0 * power(5) + 16.0 * power(3) + 3.0 * z) / (96.0 * degrees.powi(2))
            + (3.0 * power(7) + 19.0 * power(5) + 17.0 * power(3) - 15.0 * z)
                / (384.0 * degrees.powi(3));
    }
    if degrees <= 1.0 {
        return 1.0 / (PI * (1.0 - level) / 2.0).tan();
    }
    let whole = degrees as i32;
    let odd = whole % 2;
    let (mut low, mut high) = (0.0, PI / 2.0);
    for _ in 0..80 {
        let angle: f64 = f64::midpoint(low, high);
        let (cosine, mut factor, mut sum) = (angle.cos(), 1.0, 0.0);
        for term in 0..whole / 2 {
            sum += factor * cosine.powi(2 * term + odd);
            let step = f64::from(2 + odd + 2 * term);
            factor *= (step - 1.0) / step;
        }
        let mut share = angle.sin() * sum;
        if odd == 1 {
            share = 2.0 / PI * (angle + share);
        }
        (low, high) = if share < level { (angle, high) } else { (low, angle) };
    }
    degrees.sqrt() * f64::midpoint(low, high).tan()
}

/// Below which so much of the normal distribution lies.
fn normal_quantile(share: f64) -> f64 {
    let tail = share.min(1.0 - share);
    let t = (-2.0 * tail.ln()).sqrt();
    let above = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let mut z = t - above / (1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308)));
    for _ in 0..3 {
        let density = (-z * z / 2.0).exp() / (2.0 * PI).sqrt();
        let step = (libm::erfc(z / 2.0_f64.sqrt()) / 2.0 - tail) / density;
        z += step / (1.0 + z * step / 2.0);
    }
    if share > 0.5 { z } else { -z }
}
