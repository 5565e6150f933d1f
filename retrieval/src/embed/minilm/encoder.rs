//! The layers of BERT: tokens in, one mean vector a text out. Reading the files and normalising the vectors stand elsewhere.

use super::linear::{Linear, Quantised};
use super::weights::Tensors;
use crate::embed::EmbedError;
use std::path::Path;

/// The sizes of an encoder.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    layers: usize,
    width: usize,
    heads: usize,
    inner: usize,
    tokens: usize,
    positions: usize,
}

/// The sizes of all-MiniLM-L6-v2.
pub(super) const MINI_LM: Shape =
    Shape { layers: 6, width: 384, heads: 12, inner: 1536, tokens: 30_522, positions: 512 };

/// What is added to a variance, so that nothing is divided by zero.
const EPSILON: f32 = 1e-12;

/// An encoder with its weights.
pub(super) struct Encoder {
    shape: Shape,
    words: Vec<f32>,
    /// Positions, with what marks the first of two texts added: there is never a second.
    places: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
    gelu: Gelu,
}

struct Layer {
    /// Queries, keys and values as one layer of three times the width.
    attention: Linear,
    joined: Linear,
    joined_norm: Norm,
    inner: Linear,
    outer: Linear,
    outer_norm: Norm,
}

impl Encoder {
    /// Reads the tensors of an encoder of this shape; `file` is for messages.
    pub(super) fn read(bytes: &[u8], file: &Path, shape: Shape) -> Result<Self, EmbedError> {
        let tensors = Tensors::read(bytes, file)?;
        let Shape { width, .. } = shape;
        let table = |name: &str, rows| tensors.get(&format!("embeddings.{name}.weight"), &[rows, width]);
        let kinds = table("token_type_embeddings", 2)?;
        let mut places = table("position_embeddings", shape.positions)?;
        places.chunks_exact_mut(width).for_each(|place| add(place, &kinds[..width]));
        Ok(Self {
            shape,
            words: table("word_embeddings", shape.tokens)?,
            places,
            norm: Norm::read(&tensors, "embeddings.LayerNorm", width)?,
            layers: (0..shape.layers)
                .map(|layer| Layer::read(&tensors, layer, shape))
                .collect::<Result<_, _>>()?,
            gelu: Gelu::new(),
        })
    }

    /// Gives the mean of the last layer over the tokens of each text. The texts go through together, and
    /// none of them changes what comes out for another.
    pub(super) fn pooled(&self, texts: &[Vec<u32>]) -> Vec<Vec<f32>> {
        let mut states = self.embedded(texts);
        let mut space = Space::default();
        for layer in &self.layers {
            self.through(layer, texts, &mut states, &mut space);
        }
        let mut rest = states.as_slice();
        let mean = |text: &Vec<u32>| {
            let (rows, behind) = rest.split_at(text.len() * self.shape.width);
            rest = behind;
            self.mean(rows)
        };
        texts.iter().map(mean).collect()
    }

    fn embedded(&self, texts: &[Vec<u32>]) -> Vec<f32> {
        let width = self.shape.width;
        let mut states = Vec::with_capacity(texts.iter().map(Vec::len).sum::<usize>() * width);
        for text in texts {
            for (&id, place) in text.iter().zip(self.places.chunks_exact(width)) {
                let word = &self.words[id as usize * width..][..width];
                states.extend(word.iter().zip(place).map(|(word, place)| word + place));
            }
        }
        self.norm.apply(&mut states);
        states
    }

    fn through(&self, layer: &Layer, texts: &[Vec<u32>], states: &mut [f32], space: &mut Space) {
        let Space { quantised, wide, narrow, context } = space;
        let Shape { width, inner, heads, .. } = self.shape;
        quantised.set(states, width);
        layer.attention.apply(quantised, wide);
        context.resize(states.len(), 0.0);
        let mut start = 0;
        for text in texts {
            let end = start + text.len();
            let seen = &wide[start * 3 * width..end * 3 * width];
            attend(seen, width, heads, &mut context[start * width..end * width]);
            start = end;
        }
        quantised.set(context, width);
        layer.joined.apply(quantised, narrow);
        add(states, narrow);
        layer.joined_norm.apply(states);
        quantised.set(states, width);
        layer.inner.apply(quantised, wide);
        wide.iter_mut().for_each(|value| *value = self.gelu.of(*value));
        quantised.set(wide, inner);
        layer.outer.apply(quantised, narrow);
        add(states, narrow);
        layer.outer_norm.apply(states);
    }

    fn mean(&self, rows: &[f32]) -> Vec<f32> {
        let mut mean = vec![0.0; self.shape.width];
        let rows = rows.chunks_exact(self.shape.width);
        let count = rows.len().max(1) as f32;
        rows.for_each(|row| add(&mut mean, row));
        mean.iter_mut().for_each(|value| *value /= count);
        mean
    }
}

/// What one layer after the other writes to, so that it is allocated once.
#[derive(Default)]
struct Space {
    quantised: Quantised,
    wide: Vec<f32>,
    narrow: Vec<f32>,
    context: Vec<f32>,
}

impl Layer {
    fn read(tensors: &Tensors<'_>, layer: usize, shape: Shape) -> Result<Self, EmbedError> {
        let Shape { width, inner, .. } = shape;
        let name = |part: &str| format!("encoder.layer.{layer}.{part}");
        let matrix = |part: &str, outputs, inputs| {
            let weights = tensors.get(&name(&format!("{part}.weight")), &[outputs, inputs])?;
            Ok::<_, EmbedError>((weights, tensors.get(&name(&format!("{part}.bias")), &[outputs])?))
        };
        let linear = |part: &str, outputs, inputs| {
            matrix(part, outputs, inputs).map(|(weights, bias)| Linear::new(&weights, bias))
        };
        let (mut weights, mut bias) = (Vec::new(), Vec::new());
        for part in ["query", "key", "value"] {
            let (more_weights, more_bias) = matrix(&format!("attention.self.{part}"), width, width)?;
            weights.extend(more_weights);
            bias.extend(more_bias);
        }
        Ok(Self {
            attention: Linear::new(&weights, bias),
            joined: linear("attention.output.dense", width, width)?,
            joined_norm: Norm::read(tensors, &name("attention.output.LayerNorm"), width)?,
            inner: linear("intermediate.dense", inner, width)?,
            outer: linear("output.dense", width, inner)?,
            outer_norm: Norm::read(tensors, &name("output.LayerNorm"), width)?,
        })
    }
}

/// Brings each row to mean 0 and variance 1, then to a learned weight and bias.
struct Norm {
    weight: Vec<f32>,
    bias: Vec<f32>,
}

impl Norm {
    fn read(tensors: &Tensors<'_>, name: &str, width: usize) -> Result<Self, EmbedError> {
        let get = |part: &str| tensors.get(&format!("{name}.{part}"), &[width]);
        Ok(Self { weight: get("weight")?, bias: get("bias")? })
    }

    fn apply(&self, rows: &mut [f32]) {
        let width = self.weight.len();
        for row in rows.chunks_exact_mut(width) {
            let mean = sum(row) / width as f32;
            row.iter_mut().for_each(|value| *value -= mean);
            let variance = sum_of_products(row, row) / width as f32;
            let factor = 1.0 / (variance + EPSILON).sqrt();
            for ((value, weight), bias) in row.iter_mut().zip(&self.weight).zip(&self.bias) {
                *value = *value * factor * weight + bias;
            }
        }
    }
}

/// Lets each token of a text look at all its tokens, in every head by itself; `rows` hold queries, keys and
/// values side by side.
fn attend(rows: &[f32], width: usize, heads: usize, context: &mut [f32]) {
    let size = width / heads;
    let scale = 1.0 / (size as f32).sqrt();
    let part =
        |row: usize, which: usize, head: usize| &rows[(row * 3 + which) * width + head * size..][..size];
    let count = context.len() / width;
    let mut weights = vec![0.0; count];
    for head in 0..heads {
        for token in 0..count {
            let query = part(token, 0, head);
            for (other, weight) in weights.iter_mut().enumerate() {
                *weight = sum_of_products(query, part(other, 1, head)) * scale;
            }
            softmax(&mut weights);
            let out = &mut context[token * width + head * size..][..size];
            out.fill(0.0);
            for (other, weight) in weights.iter().enumerate() {
                out.iter_mut().zip(part(other, 2, head)).for_each(|(out, value)| *out += weight * value);
            }
        }
    }
}

fn softmax(values: &mut [f32]) {
    let largest = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    values.iter_mut().for_each(|value| *value = libm::expf(*value - largest));
    let total: f32 = values.iter().sum();
    values.iter_mut().for_each(|value| *value /= total);
}

/// The activation of BERT, x times the share of a normal distribution below x, read off a table; between two
/// entries lies a straight line, which is off by less than a millionth.
struct Gelu {
    table: Vec<f32>,
}

impl Gelu {
    /// Beyond this, the share is 0 or 1.
    const LIMIT: f32 = 6.0;
    const STEPS: f32 = 512.0;

    fn new() -> Self {
        let last = (2.0 * Self::LIMIT * Self::STEPS) as i32;
        let at = |step: i32| step as f32 / Self::STEPS - Self::LIMIT;
        let exact = |x: f32| 0.5 * x * (1.0 + libm::erff(x * std::f32::consts::FRAC_1_SQRT_2));
        Self { table: (0..=last + 1).map(|step| exact(at(step))).collect() }
    }

    fn of(&self, x: f32) -> f32 {
        if x >= Self::LIMIT {
            return x;
        }
        let place = (x + Self::LIMIT) * Self::STEPS;
        if place > 0.0 {
            let below = place as usize;
            let (low, high) = (self.table[below], self.table[below + 1]);
            low + (high - low) * (place - below as f32)
        } else {
            0.0
        }
    }
}

fn add(to: &mut [f32], what: &[f32]) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to += what);
}

/// Sums in eight lanes, which the processor can keep side by side; their order is part of the result.
fn sum_of_products(one: &[f32], other: &[f32]) -> f32 {
    let mut lanes = [0.0; 8];
    for (one, other) in one.chunks(8).zip(other.chunks(8)) {
        lanes.iter_mut().zip(one.iter().zip(other)).for_each(|(lane, (one, other))| *lane += one * other);
    }
    lanes.iter().sum()
}

fn sum(values: &[f32]) -> f32 {
    let mut lanes = [0.0; 8];
    for values in values.chunks(8) {
        lanes.iter_mut().zip(values).for_each(|(lane, value)| *lane += value);
    }
    lanes.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// The weights of a tiny encoder, as the script that made the expected vectors makes them.
    fn tiny() -> (Shape, Vec<u8>) {
        let shape = Shape { layers: 2, width: 24, heads: 3, inner: 40, tokens: 30, positions: 12 };
        let (w, i) = (shape.width, shape.inner);
        let mut tensors = vec![
            ("embeddings.word_embeddings.weight".to_owned(), vec![shape.tokens, w]),
            ("embeddings.position_embeddings.weight".to_owned(), vec![shape.positions, w]),
            ("embeddings.token_type_embeddings.weight".to_owned(), vec![2, w]),
            ("embeddings.LayerNorm.weight".to_owned(), vec![w]),
            ("embeddings.LayerNorm.bias".to_owned(), vec![w]),
        ];
        for layer in 0..shape.layers {
            for (part, sizes) in [
                ("attention.self.query.weight", vec![w, w]),
                ("attention.self.query.bias", vec![w]),
                ("attention.self.key.weight", vec![w, w]),
                ("attention.self.key.bias", vec![w]),
                ("attention.self.value.weight", vec![w, w]),
                ("attention.self.value.bias", vec![w]),
                ("attention.output.dense.weight", vec![w, w]),
                ("attention.output.dense.bias", vec![w]),
                ("attention.output.LayerNorm.weight", vec![w]),
                ("attention.output.LayerNorm.bias", vec![w]),
                ("intermediate.dense.weight", vec![i, w]),
                ("intermediate.dense.bias", vec![i]),
                ("output.dense.weight", vec![w, i]),
                ("output.dense.bias", vec![w]),
                ("output.LayerNorm.weight", vec![w]),
                ("output.LayerNorm.bias", vec![w]),
            ] {
                tensors.push((format!("encoder.layer.{layer}.{part}"), sizes));
            }
        }
        (shape, safetensors(&tensors))
    }

    fn safetensors(tensors: &[(String, Vec<usize>)]) -> Vec<u8> {
        let (mut header, mut data, mut state) = (serde_json::Map::new(), Vec::<u8>::new(), 1_u32);
        for (name, shape) in tensors {
            let start = data.len();
            for _ in 0..shape.iter().product() {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                data.extend(((state >> 8) as f32 / 16_777_216.0 - 0.4).to_le_bytes());
            }
            let offsets = json!([start, data.len()]);
            header.insert(name.clone(), json!({"dtype": "F32", "shape": shape, "data_offsets": offsets}));
        }
        let header = Value::Object(header).to_string();
        [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &data].concat()
    }

    fn cosine(one: &[f32], other: &[f32]) -> f32 {
        let dot = sum_of_products;
        dot(one, other) / (dot(one, one) * dot(other, other)).sqrt()
    }

    #[test]
    fn a_tiny_encoder_gives_what_a_reference_in_floating_point_gives() {
        let expected: Vec<(Vec<u32>, Vec<f32>)> =
            serde_json::from_str(include_str!("../../../tests/data/tiny.json")).expect("goldens are JSON");
        let (shape, bytes) = tiny();
        let encoder = Encoder::read(&bytes, Path::new("tiny"), shape).expect("all tensors are there");
        let texts: Vec<_> = expected.iter().map(|(ids, _)| ids.clone()).collect();
        for ((ids, expected), seen) in expected.iter().zip(encoder.pooled(&texts)) {
            let near = cosine(expected, &seen);
            assert!(near > 0.9999, "{ids:?}: {near}\n{expected:?}\n{seen:?}");
            assert_eq!(encoder.pooled(std::slice::from_ref(ids)), [seen], "alone and among others");
        }
    }

    #[test]
    fn a_tensor_that_is_missing_is_named() {
        let (shape, bytes) = tiny();
        let more = Shape { layers: 3, ..shape };
        let error = Encoder::read(&bytes, Path::new("tiny"), more).err().expect("a layer is missing");
        let told = "`tiny`, tensor `encoder.layer.2.attention.self.query.weight`: is missing";
        assert_eq!(error.to_string(), told);
    }

    #[test]
    fn the_activation_is_near_to_the_exact_one_everywhere() {
        let gelu = Gelu::new();
        for step in -80_000..80_000 {
            let x = step as f32 / 10_000.0;
            let exact = 0.5 * x * (1.0 + libm::erff(x / 2.0_f32.sqrt()));
            assert!((gelu.of(x) - exact).abs() < 1e-6, "{x}: {} {exact}", gelu.of(x));
        }
        assert_eq!((gelu.of(f32::MAX), gelu.of(f32::MIN), gelu.of(f32::NAN)), (f32::MAX, 0.0, 0.0));
    }
}
