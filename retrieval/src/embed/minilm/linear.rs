//! Matrix products over whole numbers, the bulk of the encoder's work. What they are multiplied for stands in the encoder.

use crate::dots::{Lanes, Work, run};

/// The largest whole number a weight or an activation becomes: products of `SPAN` such pairs fit an `i32`.
const TOP: f32 = 2047.0;
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
        pulp::Arch::new().dispatch(Quantise { rows, into: self });
    }
}

/// A layer that multiplies with weights and adds a bias.
pub(super) struct Linear {
    inputs: usize,
    weights: Vec<i16>,
    scales: Vec<f32>,
    bias: Vec<f32>,
}

impl Linear {
    /// Makes the layer of `weights`, one row an output, and `bias`.
    pub(super) fn new(weights: &[f32], bias: Vec<f32>) -> Self {
        let inputs = weights.len() / bias.len();
        let mut quantised = Quantised::default();
        quantised.set(weights, inputs);
        Self { inputs, weights: quantised.values, scales: quantised.scales, bias }
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
            let factor = if largest > 0.0 { TOP / largest } else { 0.0 };
            *scale = largest / TOP;
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
    fn run(mut self, lanes: impl Lanes) {
        for o in 0..self.layer.bias.len() {
            // No closures around the products: they would not be compiled for the machine at hand.
            let mut t = 0;
            while t < self.input.scales.len() {
                t += match self.input.scales.len() - t {
                    1 => self.put::<1>(lanes, o, t),
                    2 => self.put::<2>(lanes, o, t),
                    3 => self.put::<3>(lanes, o, t),
                    _ => self.put::<4>(lanes, o, t),
                };
            }
        }
    }
}

impl Multiply<'_> {
    /// Computes output `o` of `N` rows from `t` on, and returns `N`.
    #[inline(always)]
    fn put<const N: usize>(&mut self, lanes: impl Lanes, o: usize, t: usize) -> usize {
        let Self { layer, input, out } = self;
        let width = layer.inputs;
        let mut sums = [0.0; N];
        for (at, weights) in layer.weights[o * width..][..width].chunks(SPAN).enumerate() {
            let mut rows: [&[i16]; N] = [&[]; N];
            for (i, row) in rows.iter_mut().enumerate() {
                *row = &input.values[(t + i) * width + at * SPAN..][..weights.len()];
            }
            for (sum, dot) in sums.iter_mut().zip(lanes.dots(rows, weights)) {
                *sum += dot as f32;
            }
        }
        for (i, sum) in sums.into_iter().enumerate() {
            let scale = layer.scales[o] * input.scales[t + i];
            out[(t + i) * layer.bias.len() + o] = sum * scale + layer.bias[o];
        }
        N
    }
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
