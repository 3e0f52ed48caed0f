//! What each segment contributes to a difference: its counts times the mean gradient on the straight path
//! between the systems' sums, as `truebleu.explanation.contributions` has it.

use truebleu_core::metrics::Metric;

use crate::Table;

/// Nodes and weights of the Gauss-Legendre rule with four points, from 0 to 1.
const RULE: [(f64, f64); 4] = [
    (0.069_431_844_202_973_71, 0.173_927_422_568_726_93),
    (0.330_009_478_207_571_87, 0.326_072_577_431_273_07),
    (0.669_990_521_792_428_1, 0.326_072_577_431_273_07),
    (0.930_568_155_797_026_3, 0.173_927_422_568_726_93),
];
/// A part of the path that is this short holds a kink or a jump, and is left as it is.
const DEEPEST: u32 = 48;
/// By how much a part may miss, relative to the scores and to the largest terms.
const TOLERANCE: f64 = 1e-13;
const NOISE: f64 = 1e-11;
/// What remains after integrating is rounding if it is this small, relative to the scores.
const ROUNDING: f64 = 1e-7;

pub fn of_segments(table: &Table, first: usize, second: usize) -> Vec<f64> {
    let sums = |system| {
        let mut sums = vec![0.0; table.metric.width()];
        for segment in 0..table.segments() {
            let row = table.row(segment, system);
            sums.iter_mut().zip(row).for_each(|(sum, count)| *sum += count);
        }
        sums
    };
    let gradient = mean_gradient(&*table.metric, &sums(second), &sums(first));
    let one = |segment| {
        let rows = table.row(segment, first).iter().zip(table.row(segment, second));
        rows.zip(&gradient).map(|((a, b), slope)| slope * (a - b)).sum()
    };
    (0..table.segments()).map(one).collect()
}

fn mean_gradient(metric: &dyn Metric, start: &[f64], end: &[f64]) -> Vec<f64> {
    let steps: Vec<f64> = end.iter().zip(start).map(|(end, start)| end - start).collect();
    let scores = (metric.score_row(start), metric.score_row(end));
    let scale = scores.0.abs().max(scores.1.abs()).max(1e-300);
    let mut path = Path { metric, start, steps: &steps, scale, gradient: vec![0.0; steps.len()] };
    path.add(0.0, 1.0, 0);
    let mut gradient = path.gradient;
    let terms: Vec<f64> = gradient.iter().zip(&steps).map(|(slope, step)| slope * step).collect();
    let rest = scores.1 - scores.0 - terms.iter().sum::<f64>();
    let size: f64 = terms.iter().map(|term| term.abs()).sum();
    if rest.abs() <= ROUNDING * scale && size > 0.0 {
        // Terms on the side of the rest grow and the others shrink, all by the same share.
        for (slope, term) in gradient.iter_mut().zip(&terms) {
            let direction = if *term == 0.0 { 0.0 } else { term.signum() };
            *slope *= 1.0 + rest / size * direction;
        }
    }
    gradient
}

struct Path<'a> {
    metric: &'a dyn Metric,
    start: &'a [f64],
    steps: &'a [f64],
    scale: f64,
    gradient: Vec<f64>,
}

impl Path<'_> {
    fn at(&self, place: f64) -> Vec<f64> {
        self.start.iter().zip(self.steps).map(|(start, step)| start + place * step).collect()
    }

    /// Adds a part of the path, in halves where the integral misses the difference of the scores.
    fn add(&mut self, low: f64, width: f64, depth: u32) {
        let mut piece = vec![0.0; self.steps.len()];
        let mut slopes = vec![0.0; self.steps.len()];
        for (node, weight) in RULE {
            self.metric.gradient_row(&self.at(low + width * node), &mut slopes);
            piece.iter_mut().zip(&slopes).for_each(|(sum, slope)| *sum += width * weight * slope);
        }
        let change =
            self.metric.score_row(&self.at(low + width)) - self.metric.score_row(&self.at(low));
        let terms = piece.iter().zip(self.steps).map(|(slope, step)| slope * step);
        let (sum, size) =
            terms.fold((0.0, 0.0), |(sum, size), term| (sum + term, size + term.abs()));
        if depth < DEEPEST && (change - sum).abs() > TOLERANCE * self.scale + NOISE * size {
            self.add(low, width / 2.0, depth + 1);
            self.add(low + width / 2.0, width / 2.0, depth + 1);
            return;
        }
        self.gradient.iter_mut().zip(piece).for_each(|(sum, slope)| *sum += slope);
    }
}
