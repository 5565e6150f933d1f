//! Matrix products over whole numbers, the bulk of the encoder's work. What they are multiplied for stands in the encoder.

use crate::dots::{Lanes, Work, run};

/// The largest whole numbers that weights and activations become: products of `SPAN` such pairs fit an `i32`.
/// Weights are bytes in memory, since reading them takes most of the time of a short text.
const WEIGHT: f32 = 127.0;
const ACTIVATION: f32 = 32_767.0;
const SPAN: usize = 384;

/// Rows of activations as whole numbers, each row with a scale of its own.
#[derive(Default)]
pub(super) struct Quantised {
    width: usize,
    values: Vec<i16>,
    scales: Vec<f32>,
}

impl Quantised {
    /// Replaces what is held by `rows`, each `width` long.
    pub(super) fn set(&mut self, rows: &[f32], width: usize) {
        self.width = width;
        self.values.resize(rows.len(), 0);
        self.scales.resize(rows.len() / width, 0.0);
        pulp::Arch::new().dispatch(Quantise { rows, top: ACTIVATION, into: self });
    }
}

/// A layer that multiplies with weights and adds a bias.
pub(super) struct Linear {
    inputs: usize,
    weights: Vec<i8>,
    scales: Vec<f32>,
    bias: Vec<f32>,
}

impl Linear {
    /// Makes the layer of `weights`, one row an output, and `bias`.
    pub(super) fn new(weights: &[f32], bias: Vec<f32>) -> Self {
        let inputs = weights.len() / bias.len();
        let mut bytes =
            Quantised { width: inputs, values: vec![0; weights.len()], scales: vec![0.0; bias.len()] };
        pulp::Arch::new().dispatch(Quantise { rows: weights, top: WEIGHT, into: &mut bytes });
        let weights = bytes.values.into_iter().map(|weight| weight as i8).collect();
        Self { inputs, weights, scales: bytes.scales, bias }
    }

    /// Fills `out`, one row for each row of `input`.
    pub(super) fn apply(&self, input: &Quantised, out: &mut Vec<f32>) {
        debug_assert_eq!(input.width, self.inputs);
        out.resize(input.scales.len() * self.bias.len(), 0.0);
        run(Multiply { layer: self, input, out });
    }
}

/// Each number is scaled and rounded by itself, so the results are the same on every machine.
struct Quantise<'a> {
    rows: &'a [f32],
    top: f32,
    into: &'a mut Quantised,
}

impl pulp::NullaryFnOnce for Quantise<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Quantised { width, values, scales } = self.into;
        let outs = values.chunks_exact_mut(*width).zip(scales);
        for (row, (out, scale)) in self.rows.chunks_exact(*width).zip(outs) {
            let largest = row.iter().fold(0.0, |largest: f32, value| largest.max(value.abs()));
            let factor = if largest > 0.0 { self.top / largest } else { 0.0 };
            *scale = largest / self.top;
            for (out, value) in out.iter_mut().zip(row) {
                *out = (value * factor).round_ties_even() as i16;
            }
        }
    }
}

struct Multiply<'a> {
    layer: &'a Linear,
    input: &'a Quantised,
    out: &'a mut [f32],
}

impl Work for Multiply<'_> {
    #[inline(always)]
    fn run(self, lanes: impl Lanes) {
        let Self { layer, input, out } = self;
        let width = layer.inputs;
        let mut wide = vec![0; width];
        for (o, weights) in layer.weights.chunks_exact(width).enumerate() {
            wide.iter_mut().zip(weights).for_each(|(wide, &weight)| *wide = i16::from(weight));
            let mut put = |t: usize, sum: f32| {
                let scale = layer.scales[o] * input.scales[t];
                out[t * layer.bias.len() + o] = sum * scale + layer.bias[o];
            };
            let fours = input.values.chunks_exact(4 * width);
            let behind = fours.remainder();
            let first_behind = input.scales.len() / 4 * 4;
            for (four, rows) in fours.enumerate() {
                let rows = std::array::from_fn(|i| &rows[i * width..][..width]);
                let sums: [f32; 4] = long_dots(lanes, rows, &wide);
                sums.into_iter().enumerate().for_each(|(i, sum)| put(four * 4 + i, sum));
            }
            for (i, row) in behind.chunks_exact(width).enumerate() {
                let [sum] = long_dots(lanes, [row], &wide);
                put(first_behind + i, sum);
            }
        }
    }
}

#[inline(always)]
fn long_dots<const N: usize>(lanes: impl Lanes, rows: [&[i16]; N], weights: &[i16]) -> [f32; N] {
    let mut sums = [0.0; N];
    for (at, weights) in weights.chunks(SPAN).enumerate() {
        let spans = rows.map(|row| &row[at * SPAN..][..weights.len()]);
        let dots = lanes.dots(spans, weights);
        sums.iter_mut().zip(dots).for_each(|(sum, dot)| *sum += dot as f32);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_multiplies_and_adds() {
        let layer = Linear::new(&[1.0, 2.0, 0.0, -1.0], vec![0.5, 0.0]);
        let mut input = Quantised::default();
        input.set(&[1.0, 1.0, 2.0, 0.0, 0.0, 0.0], 2);
        let mut out = Vec::new();
        layer.apply(&input, &mut out);
        for (seen, expected) in out.iter().zip([3.5, -1.0, 2.5, 0.0, 0.5, 0.0]) {
            assert!((seen - expected).abs() < 1e-2, "{seen} {expected}");
        }
    }

    #[test]
    fn the_largest_products_do_not_overflow() {
        let layer = Linear::new(&[-1.0; 1536], vec![0.0]);
        let mut input = Quantised::default();
        input.set(&[1.0; 1536], 1536);
        let mut out = Vec::new();
        layer.apply(&input, &mut out);
        assert!((out[0] + 1536.0).abs() < 1e-2, "{}", out[0]);
    }
}
