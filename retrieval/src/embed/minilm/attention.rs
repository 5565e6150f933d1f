//! Attention: each token of a text looks at all its tokens. Where queries, keys and values come from stands in the encoder.

use super::lanes::{LANES, exp, largest, sum};

type Lanes = [f32; LANES];

/// What is written to again and again, so that it is allocated once.
#[derive(Default)]
pub(super) struct Attention {
    /// Numbers of `LANES` keys side by side, one after the other, then those of the next keys.
    keys: Vec<Lanes>,
    /// `LANES` numbers of each value, then the next ones of each.
    values: Vec<Lanes>,
    weights: Vec<Lanes>,
}

/// The sizes of attention.
#[derive(Clone, Copy)]
pub(super) struct Heads {
    /// The numbers of a token.
    pub(super) width: usize,
    /// The parts into which they are cut.
    pub(super) count: usize,
}

impl Attention {
    /// Looks in every head by itself. `rows` hold queries, keys and values side by side.
    pub(super) fn apply(&mut self, rows: &[f32], heads: Heads, context: &mut [f32]) {
        pulp::Arch::new().dispatch(Attend { space: self, rows, heads, context });
    }
}

struct Attend<'a> {
    space: &'a mut Attention,
    rows: &'a [f32],
    heads: Heads,
    context: &'a mut [f32],
}

impl pulp::NullaryFnOnce for Attend<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { space, rows, heads, context } = self;
        let size = heads.width / heads.count;
        let scale = 1.0 / (size as f32).sqrt();
        let count = context.len() / heads.width;
        for head in 0..heads.count {
            space.load(rows, heads, head);
            for (token, out) in context.chunks_exact_mut(heads.width).enumerate() {
                let query = &rows[token * 3 * heads.width + head * size..][..size];
                for (weights, keys) in space.weights.iter_mut().zip(space.keys.chunks_exact(size)) {
                    *weights = mixed(query, keys).map(|weight| weight * scale);
                }
                let weights = space.weights.as_flattened_mut();
                weights[count..].fill(f32::MIN);
                softmax(weights);
                let out = out[head * size..][..size].chunks_mut(LANES);
                for (out, values) in out.zip(space.values.chunks_exact(count)) {
                    out.copy_from_slice(&mixed(&weights[..count], values)[..out.len()]);
                }
            }
        }
    }
}

impl Attention {
    /// Lays out the keys and values of a head.
    #[inline(always)]
    fn load(&mut self, rows: &[f32], Heads { width, count }: Heads, head: usize) {
        let (size, tokens) = (width / count, rows.len() / (3 * width));
        self.weights.resize(tokens.div_ceil(LANES), [0.0; LANES]);
        self.keys.clear();
        self.keys.resize(tokens.div_ceil(LANES) * size, [0.0; LANES]);
        self.values.clear();
        self.values.resize(size.div_ceil(LANES) * tokens, [0.0; LANES]);
        for (token, row) in rows.chunks_exact(3 * width).enumerate() {
            let keys = &mut self.keys[token / LANES * size..][..size];
            for (lanes, key) in keys.iter_mut().zip(&row[width + head * size..]) {
                lanes[token % LANES] = *key;
            }
            let values = row[2 * width + head * size..][..size].chunks(LANES);
            for (part, value) in values.enumerate() {
                self.values[part * tokens + token][..value.len()].copy_from_slice(value);
            }
        }
    }
}

/// Adds up rows, each times its weight.
#[inline(always)]
fn mixed(weights: &[f32], rows: &[Lanes]) -> Lanes {
    let mut mix = [0.0; LANES];
    for (weight, row) in weights.iter().zip(rows) {
        for (mix, value) in mix.iter_mut().zip(row) {
            *mix += weight * value;
        }
    }
    mix
}

#[inline(always)]
fn softmax(values: &mut [f32]) {
    let most = largest(values, |value| value);
    for value in &mut *values {
        *value = exp(*value - most);
    }
    let factor = 1.0 / sum(values, |value| value);
    for value in values {
        *value *= factor;
    }
}
