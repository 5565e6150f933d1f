//! Matrix products over whole numbers, the bulk of the encoder's work. What they are multiplied for stands in the encoder.

use super::lanes::{largest_size, rounded};
use super::tiles::{Block, SIDE, Tiles, Work, run};

/// The largest whole numbers that a weight and an activation become: the products of `MOST_INPUTS` of them
/// fit an `i32`. With weights of one byte, vectors would be off by more than a thousandth.
const TOP_WEIGHT: f32 = 1023.0;
const TOP: f32 = 1366.0;
const MOST_INPUTS: usize = 1536;

/// Rows of activations as whole numbers, each row with a scale of its own.
#[derive(Default)]
pub(super) struct Quantised {
    width: usize,
    values: Vec<[i16; 2]>,
    scales: Vec<f32>,
}

impl Quantised {
    /// Replaces what is held by `rows`, each `width` long.
    pub(super) fn set(&mut self, rows: &[f32], width: usize) {
        self.width = width;
        self.values.resize(rows.len() / 2, [0; 2]);
        self.scales.resize(rows.len() / width, 0.0);
        pulp::Arch::new().dispatch(Quantise { rows, into: self });
    }
}

/// Each number is scaled and rounded by itself, so the results are the same on every machine.
struct Quantise<'a> {
    rows: &'a [f32],
    into: &'a mut Quantised,
}

impl pulp::NullaryFnOnce for Quantise<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Quantised { width, values, scales } = self.into;
        let outs = values.as_flattened_mut().chunks_exact_mut(*width).zip(scales);
        for (row, (out, scale)) in self.rows.chunks_exact(*width).zip(outs) {
            let largest = largest_size(row);
            *scale = largest / TOP;
            let factor = if largest > 0.0 { TOP / largest } else { 0.0 };
            for (out, value) in out.iter_mut().zip(row) {
                *out = rounded(value * factor);
            }
        }
    }
}

/// A layer that multiplies with weights and adds a bias.
pub(super) struct Linear {
    inputs: usize,
    /// The weights of `SIDE` outputs for all inputs, then those of the next; zeros fill the last up.
    blocks: Vec<Block>,
    /// Scales and biases are filled up, too.
    scales: Vec<[f32; SIDE]>,
    bias: Vec<[f32; SIDE]>,
    outputs: usize,
}

impl Linear {
    /// Makes the layer of `weights`, one row an output, and `bias`. The count of inputs is even.
    pub(super) fn new(weights: &[f32], bias: Vec<f32>) -> Self {
        let inputs = weights.len() / bias.len();
        debug_assert!(inputs.is_multiple_of(2) && inputs <= MOST_INPUTS, "sums would not fit");
        let panels = bias.len().div_ceil(SIDE);
        let mut scales = vec![[0.0; SIDE]; panels];
        let mut blocks = vec![[[0; 2]; SIDE]; panels * inputs / 2];
        for (output, row) in weights.chunks_exact(inputs).enumerate() {
            let largest = largest_size(row);
            let factor = if largest > 0.0 { TOP_WEIGHT / largest } else { 0.0 };
            scales[output / SIDE][output % SIDE] = largest / TOP_WEIGHT;
            let panel = &mut blocks[output / SIDE * inputs / 2..][..inputs / 2];
            for (block, pair) in panel.iter_mut().zip(row.as_chunks::<2>().0) {
                block[output % SIDE] = pair.map(|weight| rounded(weight * factor));
            }
        }
        let outputs = bias.len();
        let full = |part: &[f32]| std::array::from_fn(|at| part.get(at).copied().unwrap_or(0.0));
        let bias = bias.chunks(SIDE).map(full).collect();
        Self { inputs, blocks, scales, bias, outputs }
    }

    /// Fills `out`, one row for each row of `input`.
    pub(super) fn apply(&self, input: &Quantised, out: &mut Vec<f32>) {
        debug_assert_eq!(input.width, self.inputs);
        out.resize(input.scales.len() * self.outputs, 0.0);
        run(Multiply { layer: self, input, out });
    }
}

struct Multiply<'a> {
    layer: &'a Linear,
    input: &'a Quantised,
    out: &'a mut [f32],
}

impl Work for Multiply<'_> {
    /// Goes through the weights once, since they come from far away, and lets all rows meet each panel.
    #[inline(always)]
    fn run<T: Tiles>(mut self, tiles: T) {
        let count = self.input.scales.len();
        let most = count.div_ceil(count.div_ceil(T::ROWS).max(1));
        for panel in 0..self.layer.bias.len() {
            // No closures around the products: they would not be compiled for the machine at hand.
            let mut row = 0;
            while row < count {
                row += match most.min(count - row) {
                    1 => self.put::<1>(tiles, panel, row),
                    2 => self.put::<2>(tiles, panel, row),
                    3 => self.put::<3>(tiles, panel, row),
                    4 => self.put::<4>(tiles, panel, row),
                    5 => self.put::<5>(tiles, panel, row),
                    _ => self.put::<6>(tiles, panel, row),
                };
            }
        }
    }
}

impl Multiply<'_> {
    /// Computes the outputs of `panel` of `N` rows from `from` on, and returns `N`.
    #[inline(always)]
    fn put<const N: usize>(&mut self, tiles: impl Tiles, panel: usize, from: usize) -> usize {
        let Self { layer, input, out } = self;
        let (pairs, outputs) = (layer.inputs / 2, layer.outputs);
        let mut rows: [&[[i16; 2]]; N] = [&[]; N];
        for (row, values) in rows.iter_mut().zip(input.values[from * pairs..].chunks_exact(pairs)) {
            *row = values;
        }
        let sums = tiles.sums(rows, &layer.blocks[panel * pairs..][..pairs]);
        let (scales, bias) = (&layer.scales[panel], &layer.bias[panel]);
        for (row, sums) in (from..).zip(sums) {
            let scale = input.scales[row];
            let mut all = [0.0; SIDE];
            for (at, out) in all.iter_mut().enumerate() {
                *out = sums[at] as f32 * (scales[at] * scale) + bias[at];
            }
            let out = &mut out[row * outputs..][..outputs][panel * SIDE..];
            match out.first_chunk_mut() {
                Some(out) => *out = all,
                None => out.copy_from_slice(&all[..out.len()]),
            }
        }
        N
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(layer: &Linear, rows: &[f32], width: usize) -> Vec<f32> {
        let (mut input, mut out) = (Quantised::default(), Vec::new());
        input.set(rows, width);
        layer.apply(&input, &mut out);
        out
    }

    #[test]
    fn a_layer_multiplies_and_adds() {
        let layer = Linear::new(&[1.0, 2.0, 0.0, -1.0], vec![0.5, 0.0]);
        let out = applied(&layer, &[1.0, 1.0, 2.0, 0.0, 0.0, 0.0], 2);
        for (seen, expected) in out.iter().zip([3.5, -1.0, 2.5, 0.0, 0.5, 0.0]) {
            assert!((seen - expected).abs() < 1e-2, "{seen} {expected}");
        }
    }

    #[test]
    fn the_largest_products_do_not_overflow() {
        let layer = Linear::new(&[-1.0; MOST_INPUTS], vec![0.0]);
        let out = applied(&layer, &[1.0; MOST_INPUTS], MOST_INPUTS);
        assert!((out[0] + MOST_INPUTS as f32).abs() < 1e-2, "{}", out[0]);
    }

    #[test]
    fn every_output_of_every_row_is_computed_whatever_their_counts() {
        for (count, outputs) in (1..20).flat_map(|count| [1, 15, 16, 17, 40].map(|outputs| (count, outputs)))
        {
            let weights: Vec<f32> = (0..outputs * 2).map(|at| at as f32).collect();
            let layer = Linear::new(&weights, vec![1.0; outputs]);
            let rows: Vec<f32> = (0..count * 2).map(|at| at as f32).collect();
            let out = applied(&layer, &rows, 2);
            assert_eq!(out.len(), count * outputs);
            for (at, seen) in out.iter().enumerate() {
                let (row, weights) = (&rows[at / outputs * 2..], &weights[at % outputs * 2..]);
                let exact = row[0] * weights[0] + row[1] * weights[1] + 1.0;
                assert!((seen - exact).abs() <= 0.01 * exact, "{count} {outputs} {at}: {seen} {exact}");
            }
        }
    }
}
