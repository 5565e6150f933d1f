//! The layers of BERT: tokens in, one mean vector a text out. Reading the files and normalising the vectors stand elsewhere.

use super::attention::{Attention, Heads};
use super::lanes::{gelu, sum};
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
        let Space { quantised, attention, wide, narrow, context } = space;
        let Shape { width, inner, heads, .. } = self.shape;
        quantised.set(states, width);
        layer.attention.apply(quantised, wide);
        context.resize(states.len(), 0.0);
        let mut start = 0;
        for text in texts {
            let end = start + text.len();
            let seen = &wide[start * 3 * width..end * 3 * width];
            attention.apply(seen, Heads { width, count: heads }, &mut context[start * width..end * width]);
            start = end;
        }
        quantised.set(context, width);
        layer.joined.apply(quantised, narrow);
        add(states, narrow);
        layer.joined_norm.apply(states);
        quantised.set(states, width);
        layer.inner.apply(quantised, wide);
        pulp::Arch::new().dispatch(Activate(wide));
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
    attention: Attention,
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
        pulp::Arch::new().dispatch(Normalise { norm: self, rows });
    }
}

struct Normalise<'a> {
    norm: &'a Norm,
    rows: &'a mut [f32],
}

impl pulp::NullaryFnOnce for Normalise<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Norm { weight, bias } = self.norm;
        let width = weight.len();
        for row in self.rows.chunks_exact_mut(width) {
            let mean = sum(row, |value| value) / width as f32;
            let variance = sum(row, |value| (value - mean) * (value - mean)) / width as f32;
            let factor = 1.0 / (variance + EPSILON).sqrt();
            for ((value, weight), bias) in row.iter_mut().zip(weight).zip(bias) {
                *value = (*value - mean) * factor * weight + bias;
            }
        }
    }
}

struct Activate<'a>(&'a mut [f32]);

impl pulp::NullaryFnOnce for Activate<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for value in self.0 {
            *value = gelu(*value);
        }
    }
}

fn add(to: &mut [f32], what: &[f32]) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to += what);
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
        let dot = |one: &[f32], other: &[f32]| one.iter().zip(other).map(|(a, b)| a * b).sum::<f32>();
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
}
