//! Sums of products of whole numbers with the widest instructions of the machine at hand, and the same sums on all. How layers are cut into tiles stands in `linear`.

/// So many outputs of a layer lie side by side.
pub(super) const SIDE: usize = 16;
/// What a pair of inputs is multiplied with, for `SIDE` outputs.
pub(super) type Block = [[i16; 2]; SIDE];

/// A way to multiply. All ways give the same results, since whole numbers are added in any order.
pub(super) trait Tiles: Copy {
    /// So many rows are best multiplied at once.
    const ROWS: usize;

    /// Gives the sums for `SIDE` outputs of each row; rows are as long as `blocks`.
    fn sums<const N: usize>(self, rows: [&[[i16; 2]]; N], blocks: &[Block]) -> [[i32; SIDE]; N];
}

/// A loop over many tiles.
pub(super) trait Work {
    /// Runs the loop.
    fn run<T: Tiles>(self, tiles: T);
}

/// Runs `work` compiled for the machine at hand.
pub(super) fn run(work: impl Work) {
    #[cfg(target_arch = "x86_64")]
    if let Some(tiles) = pulp::x86::V3::try_new() {
        return tiles.vectorize(Job { work, tiles });
    }
    pulp::Arch::new().dispatch(Job { work, tiles: Plain });
}

struct Job<W, T> {
    work: W,
    tiles: T,
}

impl<W: Work, T: Tiles> pulp::NullaryFnOnce for Job<W, T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.work.run(self.tiles);
    }
}

/// A plain loop, which compilers turn into what the machine has.
#[derive(Clone, Copy)]
struct Plain;

impl Tiles for Plain {
    const ROWS: usize = 4;

    #[inline(always)]
    fn sums<const N: usize>(self, rows: [&[[i16; 2]]; N], blocks: &[Block]) -> [[i32; SIDE]; N] {
        let mut sums = [[0; SIDE]; N];
        for (at, block) in blocks.iter().enumerate() {
            for (sums, row) in sums.iter_mut().zip(rows) {
                let [one, other] = row[at].map(i32::from);
                for (sum, weights) in sums.iter_mut().zip(block) {
                    *sum += one * i32::from(weights[0]) + other * i32::from(weights[1]);
                }
            }
        }
        sums
    }
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{Block, SIDE, Tiles};
    use core::arch::x86_64::__m256i;
    use pulp::cast;

    impl Tiles for pulp::x86::V3 {
        const ROWS: usize = 6;

        #[inline(always)]
        fn sums<const N: usize>(self, rows: [&[[i16; 2]]; N], blocks: &[Block]) -> [[i32; SIDE]; N] {
            let mut sums = [[self.avx._mm256_setzero_si256(); 2]; N];
            let rows = cut(rows, blocks.len());
            for (at, block) in blocks.iter().enumerate() {
                let weights: [__m256i; 2] = cast(*block);
                for (sums, row) in sums.iter_mut().zip(rows) {
                    let pair: __m256i = self.avx._mm256_set1_epi32(cast(row[at]));
                    for (sum, weights) in sums.iter_mut().zip(weights) {
                        let products = self.avx2._mm256_madd_epi16(weights, pair);
                        *sum = self.avx2._mm256_add_epi32(*sum, products);
                    }
                }
            }
            let mut all = [[0; SIDE]; N];
            all.iter_mut().zip(sums).for_each(|(all, sums)| *all = cast(sums));
            all
        }
    }

    /// Tells the compiler that the rows are as long as the blocks, so that it looks only once.
    #[inline(always)]
    fn cut<const N: usize>(mut rows: [&[[i16; 2]]; N], length: usize) -> [&[[i16; 2]]; N] {
        for row in &mut rows {
            *row = &row[..length];
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Once<'a>([&'a [[i16; 2]]; 3], &'a [Block], &'a mut [[i32; SIDE]; 3]);

    impl Work for Once<'_> {
        fn run<T: Tiles>(self, tiles: T) {
            *self.2 = tiles.sums(self.0, self.1);
        }
    }

    #[test]
    fn every_way_gives_the_same_sums_at_every_length() {
        let mut state = 1_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 8
        };
        for length in (0..9).chain([192, 767, 768]) {
            let blocks: Vec<Block> = (0..length)
                .map(|_| [(); SIDE].map(|()| [(); 2].map(|()| (next() % 2047) as i16 - 1023)))
                .collect();
            let rows = [(); 3].map(|()| -> Vec<[i16; 2]> {
                (0..length).map(|_| [(); 2].map(|()| (next() % 2733) as i16 - 1366)).collect()
            });
            let rows = rows.each_ref().map(Vec::as_slice);
            let (mut seen, mut exact) = ([[0; SIDE]; 3], [[0; SIDE]; 3]);
            run(Once(rows, &blocks, &mut seen));
            for (row, exact) in rows.iter().zip(&mut exact) {
                for (pair, block) in row.iter().zip(&blocks) {
                    for (exact, weights) in exact.iter_mut().zip(block) {
                        *exact += i32::from(pair[0]) * i32::from(weights[0]);
                        *exact += i32::from(pair[1]) * i32::from(weights[1]);
                    }
                }
            }
            assert_eq!((seen, Plain.sums(rows, &blocks)), (exact, exact), "{length}");
        }
    }
}
