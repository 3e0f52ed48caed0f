//! Sums of fractions with few denominators, compared without rounding.

/// Weights that make every fraction a multiple of one unit: the unit is 1 / lcm(denominators).
///
/// Numbers are little-endian sequences of 64-bit limbs, all of the same length.
#[derive(Debug, Clone)]
pub struct Scale {
    limbs: usize,
    weights: Vec<u64>,
}

impl Scale {
    /// Creates a sum of up to `most` of each fraction, given as numerator and denominator.
    #[must_use]
    pub fn new(fractions: &[(u64, u64)], most: u64) -> Self {
        let mut multiple = vec![1];
        for &(_, denominator) in fractions {
            let shared = gcd(divided(&multiple, denominator).1, denominator);
            multiplied(&mut multiple, denominator / shared);
        }
        let weight = |&(numerator, denominator): &(u64, u64)| {
            let mut weight = divided(&multiple, denominator).0;
            multiplied(&mut weight, numerator);
            weight
        };
        let weights: Vec<_> = fractions.iter().map(weight).collect();
        let longest = weights.iter().map(|weight| bits(weight)).max().unwrap_or(0);
        let room = longest + bits(&[most]) + bits(&[fractions.len() as u64]);
        let limbs = room.div_ceil(64).max(1);
        let weights = weights.into_iter().flat_map(|mut weight| {
            weight.resize(limbs, 0);
            weight
        });
        Self { limbs, weights: weights.collect() }
    }

    /// Writes the sum of counts[c] times fractions[c], in units, to `sum`.
    pub fn sum(&self, counts: &[u64], sum: &mut Vec<u64>) {
        sum.clear();
        sum.resize(self.limbs, 0);
        for (&count, weight) in counts.iter().zip(self.weights.chunks_exact(self.limbs)) {
            let mut carry = 0_u128;
            for (total, &limb) in sum.iter_mut().zip(weight) {
                carry += u128::from(*total) + u128::from(count) * u128::from(limb);
                *total = carry as u64;
                carry >>= 64;
            }
        }
    }
}

/// Compares two sums of one scale.
#[must_use]
pub fn compare(left: &[u64], right: &[u64]) -> std::cmp::Ordering {
    left.iter().rev().cmp(right.iter().rev())
}

fn gcd(left: u64, right: u64) -> u64 {
    if left == 0 { right } else { gcd(right % left, left) }
}

/// Returns quotient and remainder; the quotient has as many limbs as `number`.
fn divided(number: &[u64], divisor: u64) -> (Vec<u64>, u64) {
    let mut quotient = vec![0; number.len()];
    let mut rest = 0_u128;
    for (digit, &limb) in quotient.iter_mut().zip(number).rev() {
        rest = rest << 64 | u128::from(limb);
        *digit = (rest / u128::from(divisor)) as u64;
        rest %= u128::from(divisor);
    }
    (quotient, rest as u64)
}

fn multiplied(number: &mut Vec<u64>, factor: u64) {
    let mut carry = 0_u128;
    for limb in number.iter_mut() {
        carry += u128::from(*limb) * u128::from(factor);
        *limb = carry as u64;
        carry >>= 64;
    }
    if carry > 0 {
        number.push(carry as u64);
    }
}

fn bits(number: &[u64]) -> usize {
    let leading = number.iter().rev().take_while(|&&limb| limb == 0).count();
    let Some(&top) = number[..number.len() - leading].last() else { return 0 };
    64 * (number.len() - leading) - top.leading_zeros() as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cmp::Ordering;

    fn compared(denominators: &[u64], left: &[u64], right: &[u64]) -> Ordering {
        let fractions: Vec<_> = denominators.iter().map(|&denominator| (1, denominator)).collect();
        compared_fractions(&fractions, left, right)
    }

    fn compared_fractions(fractions: &[(u64, u64)], left: &[u64], right: &[u64]) -> Ordering {
        let scale = Scale::new(fractions, 1 << 40);
        let (mut a, mut b) = (Vec::new(), Vec::new());
        scale.sum(left, &mut a);
        scale.sum(right, &mut b);
        compare(&a, &b)
    }

    #[test]
    fn equal_sums_of_different_fractions_are_equal() {
        assert_eq!(compared(&[3, 6, 10], &[1, 1, 5], &[0, 3, 5]), Ordering::Equal);
        assert_eq!(compared(&[3, 6, 10], &[1, 0, 0], &[0, 0, 3]), Ordering::Greater);
        assert_eq!(compared(&[1], &[7], &[8]), Ordering::Less);
        assert_eq!(compared_fractions(&[(2, 3), (4, 5)], &[6, 0], &[0, 5]), Ordering::Equal);
        assert_eq!(compared_fractions(&[(2, 3), (4, 5)], &[7, 0], &[0, 5]), Ordering::Greater);
    }

    #[test]
    fn sums_that_no_double_tells_apart_are_told_apart() {
        // 1/p - 1/q + 1/r - ... with denominators whose lcm has far more than 128 bits.
        let primes = [1_999_993, 1_999_979, 1_999_969, 1_999_967, 1_999_957, 1_999_951, 1_999_931];
        let all = |count: u64| [count; 7];
        assert_eq!(compared(&primes, &all(3), &all(3)), Ordering::Equal);
        let mut more = all(1 << 38);
        // 1/1999993 < 1/1999979: swapping one for the other matters by 3.5e-12 of 1e6.
        more[0] -= 1;
        more[1] += 1;
        assert_eq!(compared(&primes, &more, &all(1 << 38)), Ordering::Greater);
    }
}
