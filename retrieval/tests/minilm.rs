//! The encoder with its true weights, where they are at hand, against vectors that a reference in floating point made.
#![expect(clippy::print_stdout, reason = "that a test is skipped has to be told")]

use mcpproof_retrieval::embed::Embedder;
use mcpproof_retrieval::embed::minilm::MiniLm;
use std::path::PathBuf;

fn folder() -> Option<PathBuf> {
    let named = std::env::var_os("MCPPROOF_MODEL_DIR").map(PathBuf::from);
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/share"));
    let data = || std::env::var_os("XDG_DATA_HOME").map(PathBuf::from).or_else(home);
    let folder = named.or_else(|| Some(data()?.join("mcpproof/models/all-MiniLM-L6-v2")))?;
    folder.join("model.safetensors").is_file().then_some(folder)
}

#[test]
fn vectors_are_those_of_the_reference() {
    let Some(folder) = folder() else {
        println!("skipped: no model; `mcpproof model fetch` gets it, or MCPPROOF_MODEL_DIR names it");
        return;
    };
    let texts: Vec<String> =
        serde_json::from_str(include_str!("data/minilm.json")).expect("the texts are JSON");
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let expected: Vec<f32> = include_bytes!("data/minilm.i16")
        .chunks_exact(2)
        .map(|bytes| f32::from(i16::from_le_bytes([bytes[0], bytes[1]])) / 32_000.0)
        .collect();
    let model = MiniLm::load(&folder).expect("the model is the known one");
    let seen = model.embed(&texts).expect("a model in memory does not fail");
    let near = |(seen, expected): (&Vec<f32>, &[f32])| -> f32 {
        seen.iter().zip(expected).map(|(one, other)| one * other).sum()
    };
    let cosines: Vec<f32> = seen.iter().zip(expected.chunks_exact(384)).map(near).collect();
    println!("lowest cosine of {}: {:?}", texts.len(), cosines.iter().copied().reduce(f32::min));
    for (text, cosine) in texts.iter().zip(cosines) {
        assert!(cosine >= 0.999, "{text}: {cosine}");
    }
    let threads = model.with_threads(3);
    assert_eq!(threads.embed(&texts[..10]).expect("as before"), seen[..10], "threads change nothing");
    assert_eq!(threads.embed(&["", " \n"]).expect("as before"), vec![vec![0.0; 384]; 2]);
}
