//! Which cells of the matrix of edit distances are filled.
//!
//! A row stands for an output's first words and a column for a reference's. Only cells near the
//! diagonal are filled, and a path of edits must stay among them, so long texts may get a larger
//! distance than the true one. The diagonal is taken in floating point because sacreBLEU does so.

const BEAM: usize = 25;

/// The filled columns of each row.
#[derive(Debug, Clone, Copy)]
pub struct Band {
    slope: f64,
    beam: usize,
    last_column: usize,
}

impl Band {
    pub fn new(output: usize, reference: usize) -> Self {
        let slope = if output > 0 { reference as f64 / output as f64 } else { 1.0 };
        let mut band = Self { slope, beam: BEAM, last_column: reference };
        if band.is_steep() {
            // Else the columns of two neighbouring rows might not touch.
            band.beam = ceiling(slope / 2.0 + BEAM as f64);
        }
        band
    }

    /// Whether rows hold more than twice `BEAM` columns.
    pub fn is_steep(&self) -> bool {
        self.slope / 2.0 > BEAM as f64
    }

    /// The first and the last filled column of a row. They never decrease from row 1 on.
    pub fn columns(&self, row: usize) -> (usize, usize) {
        if row == 0 {
            return (0, self.last_column);
        }
        let diagonal = floor(row as f64 * self.slope);
        // Rounding takes at most 1 off the diagonal, so the last row does reach the last column.
        (diagonal.saturating_sub(self.beam), self.last_column.min(diagonal + self.beam - 1))
    }
}

#[allow(clippy::cast_sign_loss)] // Lengths and their ratios are not negative.
fn floor(number: f64) -> usize {
    number as usize
}

fn ceiling(number: f64) -> usize {
    floor(number.ceil())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_row_reaches_the_last_column() {
        for output in 1..=130 {
            for reference in 0..=700 {
                let (first, last) = Band::new(output, reference).columns(output);
                assert!(first <= reference && last == reference, "{output} {reference}");
            }
        }
    }

    #[test]
    fn neighbouring_rows_touch() {
        for (output, reference) in [(1, 60), (3, 150), (3, 151), (7, 349), (10, 600), (400, 8)] {
            let band = Band::new(output, reference);
            for row in 1..=output {
                assert!(band.columns(row).0 <= band.columns(row - 1).1 + 1, "{output} {reference}");
            }
        }
    }
}
