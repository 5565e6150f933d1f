//! Dot products of whole numbers with the widest instructions of the machine at hand, and the same results on all. What is multiplied stands in `dense` and in the encoder.

/// A way to multiply. All ways give the same results, since whole numbers are added in any order.
pub(crate) trait Lanes: Copy {
    /// Gives the dot product of each of `rows` with `other`; all are of one length.
    fn dots<const N: usize>(self, rows: [&[i16]; N], other: &[i16]) -> [i32; N];

    /// Gives the dot product of a row of bytes with `other`, which is of the same length.
    fn bytes(self, row: &[i8], other: &[i16]) -> i32;
}

/// A loop over many dot products.
pub(crate) trait Work {
    /// Runs the loop.
    fn run(self, lanes: impl Lanes);
}

/// Runs `work` compiled for the machine at hand.
pub(crate) fn run(work: impl Work) {
    #[cfg(target_arch = "x86_64")]
    if let Some(lanes) = pulp::x86::V3::try_new() {
        return pulp::Arch::new().dispatch(Job { work, lanes });
    }
    pulp::Arch::new().dispatch(Job { work, lanes: Plain });
}

struct Job<W, L> {
    work: W,
    lanes: L,
}

impl<W: Work, L: Lanes> pulp::NullaryFnOnce for Job<W, L> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.work.run(self.lanes);
    }
}

/// A plain loop, which compilers turn into what the machine has.
#[derive(Clone, Copy)]
struct Plain;

impl Lanes for Plain {
    #[inline(always)]
    fn dots<const N: usize>(self, rows: [&[i16]; N], other: &[i16]) -> [i32; N] {
        rows.map(|row| dot(row, other))
    }

    #[inline(always)]
    fn bytes(self, row: &[i8], other: &[i16]) -> i32 {
        dot(row, other)
    }
}

#[inline(always)]
fn dot<T: Copy + Into<i32>>(one: &[T], other: &[i16]) -> i32 {
    one.iter().zip(other).map(|(&a, &b)| a.into() * i32::from(b)).sum()
}

/// Compilers use half the width for the plain loop; this is a third faster and keeps `other` at hand for all rows.
#[cfg(target_arch = "x86_64")]
impl Lanes for pulp::x86::V3 {
    #[inline(always)]
    fn dots<const N: usize>(self, rows: [&[i16]; N], other: &[i16]) -> [i32; N] {
        use core::arch::x86_64::__m256i;
        let (wide, rest) = other.as_chunks::<16>();
        let split = rows.map(|row| row.as_chunks::<16>());
        let heads = split.map(|(row, _)| &row[..wide.len()]);
        let mut sums = [self.avx._mm256_setzero_si256(); N];
        for (at, other) in wide.iter().enumerate() {
            let other: __m256i = pulp::cast(*other);
            for (sum, row) in sums.iter_mut().zip(heads) {
                let products = self.avx2._mm256_madd_epi16(pulp::cast(row[at]), other);
                *sum = self.avx2._mm256_add_epi32(*sum, products);
            }
        }
        let mut dots = sums.map(|sum| pulp::cast::<_, [i32; 8]>(sum).iter().sum());
        dots.iter_mut().zip(split).for_each(|(sum, (_, row))| *sum += dot(row, rest));
        dots
    }

    #[inline(always)]
    fn bytes(self, row: &[i8], other: &[i16]) -> i32 {
        use core::arch::x86_64::__m256i;
        let (wide, rest) = other.as_chunks::<16>();
        let (row, row_rest) = row.as_chunks::<16>();
        let mut sum = self.avx._mm256_setzero_si256();
        for (row, other) in row.iter().zip(wide) {
            let row: __m256i = self.avx2._mm256_cvtepi8_epi16(pulp::cast(*row));
            let products = self.avx2._mm256_madd_epi16(row, pulp::cast(*other));
            sum = self.avx2._mm256_add_epi32(sum, products);
        }
        pulp::cast::<_, [i32; 8]>(sum).iter().sum::<i32>() + dot(row_rest, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Once<'a>([&'a [i16]; 3], &'a [i16], &'a mut [i32; 3]);

    impl Work for Once<'_> {
        fn run(self, lanes: impl Lanes) {
            *self.2 = lanes.dots(self.0, self.1);
        }
    }

    struct OnceBytes<'a>(&'a [i8], &'a [i16], &'a mut i32);

    impl Work for OnceBytes<'_> {
        fn run(self, lanes: impl Lanes) {
            *self.2 = lanes.bytes(self.0, self.1);
        }
    }

    #[test]
    fn every_way_gives_the_same_sums_at_every_length() {
        for length in (0..70).chain([384, 387]) {
            let row = |seed: i32| -> Vec<i16> {
                (0..length)
                    .map(|i| i16::try_from((i * 7919 + seed * 31) % 4001 - 2000).expect("it fits"))
                    .collect()
            };
            let (rows, other) = ([row(1), row(2), row(3)], row(4));
            let rows = [&rows[0][..], &rows[1], &rows[2]];
            let mut seen = [0; 3];
            run(Once(rows, &other, &mut seen));
            assert_eq!(seen, Plain.dots(rows, &other), "{length}");
            let bytes: Vec<i8> = rows[0].iter().map(|value| value.to_le_bytes()[0].cast_signed()).collect();
            let mut sum = 0;
            run(OnceBytes(&bytes, &other, &mut sum));
            assert_eq!(sum, Plain.bytes(&bytes, &other), "{length}");
        }
    }
}
