//! Sums, roundings and curves over floating-point numbers, in an order and with operations that are the same on every machine. What is whole numbers stands in `tiles`.

/// So many numbers are held side by side; which lane a number falls into is part of the result.
pub(super) const LANES: usize = 16;

/// Adds up what `of` makes of each number.
#[inline(always)]
pub(super) fn sum(values: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let mut lanes = [0.0; LANES];
    let (full, rest) = values.as_chunks::<LANES>();
    for values in full {
        for (lane, value) in lanes.iter_mut().zip(values) {
            *lane += of(*value);
        }
    }
    for (lane, value) in lanes.iter_mut().zip(rest) {
        *lane += of(*value);
    }
    lanes.iter().sum()
}

/// Gives the largest number; there are no others than finite ones.
#[inline(always)]
pub(super) fn largest(values: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let mut lanes = [f32::MIN; LANES];
    let (full, rest) = values.as_chunks::<LANES>();
    for values in full {
        for (lane, value) in lanes.iter_mut().zip(values) {
            *lane = larger(*lane, of(*value));
        }
    }
    let most = rest.iter().fold(f32::MIN, |most, value| larger(most, of(*value)));
    lanes.into_iter().fold(most, larger)
}

/// Gives the largest number without its sign.
#[inline(always)]
pub(super) fn largest_size(values: &[f32]) -> f32 {
    largest(values, f32::abs)
}

/// As `f32::max`, without its care for what is no number.
#[inline(always)]
fn larger(one: f32, other: f32) -> f32 {
    if one > other { one } else { other }
}

/// From here on, numbers have no places behind the point: adding it rounds, and leaves whole numbers in the last bits.
const WHOLE: f32 = 12_582_912.0;

/// Rounds to the nearest whole number, which must fit.
#[inline(always)]
pub(super) fn rounded(value: f32) -> i16 {
    (value + WHOLE).to_bits() as i16
}

/// The exponential of a number that is not above 0, off by less than a millionth of it.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    // Below, the result has no normal representation; it is as good as 0.
    let x = larger(x, -87.0);
    let shifted = x * std::f32::consts::LOG2_E + WHOLE;
    let power = shifted - WHOLE;
    // The logarithm of 2 in two parts, of which the first has few digits: its product is exact.
    let rest = x - power * 0.693_359_4 + power * 2.121_944_4e-4;
    let series = 1.0
        + rest
            * (1.0
                + rest
                    * (0.5 + rest * (1.0 / 6.0 + rest * (1.0 / 24.0 + rest * (1.0 / 120.0 + rest / 720.0)))));
    series * f32::from_bits((shifted.to_bits() << 23).wrapping_add(1.0_f32.to_bits()))
}

/// The activation of BERT, x times the share of a normal distribution below x, off by less than a millionth.
#[inline(always)]
pub(super) fn gelu(x: f32) -> f32 {
    // Abramowitz and Stegun, 7.1.26: the error function.
    let size = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * size);
    let series = 0.254_829_6 + t * (-0.284_496_74 + t * (1.421_413_7 + t * (-1.453_152 + t * 1.061_405_4)));
    larger(x, 0.0) - 0.5 * x.abs() * (t * series * exp(-size * size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_near_to_the_exact_one() {
        for step in 0..=86_900 {
            let x = step as f32 / -1000.0;
            let exact = libm::exp(f64::from(x));
            assert!((f64::from(exp(x)) - exact).abs() <= 1e-6 * exact, "{x}: {} {exact}", exp(x));
        }
        assert!(exp(f32::MIN) < 1e-37 && exp(f32::NEG_INFINITY) < 1e-37);
    }

    #[test]
    fn the_activation_is_near_to_the_exact_one_everywhere() {
        for step in -80_000..80_000 {
            let x = step as f32 / 10_000.0;
            let exact = 0.5 * x * (1.0 + libm::erff(x / 2.0_f32.sqrt()));
            assert!((gelu(x) - exact).abs() < 1e-6, "{x}: {} {exact}", gelu(x));
        }
        assert_eq!(gelu(1e30), 1e30);
        assert!(gelu(-1e30).abs() < 1e-6);
    }

    #[test]
    fn numbers_are_rounded_to_the_nearest_even_one() {
        let numbers = [0.0, 0.5, 1.5, -0.5, -1.5, 2.4, -2.6, 11_008.0, -11_008.0];
        assert_eq!(numbers.map(rounded), [0, 0, 2, 0, -2, 2, -3, 11_008, -11_008]);
    }

    #[test]
    fn sums_and_largest_numbers_take_in_the_last_ones() {
        for length in 1..40 {
            let values: Vec<f32> = (1..=length).map(|value| -(value as f32)).collect();
            assert_eq!(sum(&values, |value| value), -(length * (length + 1) / 2) as f32);
            assert_eq!((largest(&values, |value| value), largest_size(&values)), (-1.0, length as f32));
        }
    }
}
