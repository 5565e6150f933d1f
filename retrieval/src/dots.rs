//! Dot products of whole numbers with the widest instructions of the machine at hand, and the same results on all. What is multiplied stands in `dense`; the encoder multiplies in tiles of its own.

/// A way to multiply. All ways give the same results, since whole numbers are added in any order.
pub(crate) trait Lanes: Copy {
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
    fn bytes(self, row: &[i8], other: &[i16]) -> i32 {
        dot(row, other)
    }
}

#[inline(always)]
fn dot<T: Copy + Into<i32>>(one: &[T], other: &[i16]) -> i32 {
    one.iter().zip(other).map(|(&a, &b)| a.into() * i32::from(b)).sum()
}

/// Compilers use half the width for the plain loop; this is a third faster.
#[cfg(target_arch = "x86_64")]
impl Lanes for pulp::x86::V3 {
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

    struct Once<'a>(&'a [i8], &'a [i16], &'a mut i32);

    impl Work for Once<'_> {
        fn run(self, lanes: impl Lanes) {
            *self.2 = lanes.bytes(self.0, self.1);
        }
    }

    #[test]
    fn every_way_gives_the_same_sums_at_every_length() {
        for length in (0..70).chain([384, 387]) {
            let number = |seed: i32, i: i32| (i * 7919 + seed * 31) % 4001 - 2000;
            let bytes: Vec<i8> = (0..length).map(|i| number(1, i).to_le_bytes()[0].cast_signed()).collect();
            let other: Vec<i16> = (0..length).map(|i| number(4, i).try_into().expect("it fits")).collect();
            let mut sum = 0;
            run(Once(&bytes, &other, &mut sum));
            assert_eq!(sum, Plain.bytes(&bytes, &other), "{length}");
        }
    }
}
