//! `mcpproof eval retrieval --leave-one-out`: the weight of fusion chosen on the other sets, judged on the one left out.

use super::methods::Ready;
use super::retrieval::{Watch, failure};
use super::table;
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::printer;
use retrieval::eval::{Choice, Set, Vectors, built_in_weight, leave_one_out, ndcg_by_weight};
use serde_json::json;

/// Runs the command for each method that has a weight.
pub(crate) fn run(
    sets: &[Set],
    methods: &[Ready],
    vectors: &Vectors,
    json: bool,
    watch: &Watch,
) -> Result<ExitStatus, Failure> {
    let weighted: Vec<&Ready> = methods.iter().filter(|method| method.is_weighted()).collect();
    if weighted.is_empty() {
        let hint = "name one such as --method fused or --method fused:minilm";
        return Err(Failure::usage("--leave-one-out: no method fuses with a weight", hint));
    }
    for method in weighted {
        let name = method.name.to_string();
        let Some(embedder) = &method.embedder else { continue };
        let mut curves = Vec::new();
        for set in sets {
            watch.begin(&format!("{} {name}", set.name), set.cases.len());
            let curve = ndcg_by_weight(set, embedder, vectors, &method.synonyms, &mut || watch.asked());
            curves.push(curve.map_err(|error| failure(set, &name, error))?);
        }
        let choices = leave_one_out(sets, &curves, built_in_weight(embedder.as_ref()));
        printer::data(&if json { lines(&name, &choices) } else { told(&name, &choices) })?;
    }
    Ok(ExitStatus::Clean)
}

fn lines(method: &str, choices: &[Choice]) -> String {
    let line = |it: &Choice| {
        json!({
            "set": it.set, "method": method, "others": it.others,
            "chosen_weight": it.chosen.map(|(weight, _)| weight), "ndcg10": it.chosen.map(|(_, ndcg)| ndcg),
            "best_weight": it.best.0, "best_ndcg10": it.best.1,
            "built_in_weight": it.built_in.0, "built_in_ndcg10": it.built_in.1,
        })
    };
    choices.iter().map(|it| format!("{}\n", line(it))).collect()
}

fn told(method: &str, choices: &[Choice]) -> String {
    let titles =
        ["set left out", "others", "chosen", "nDCG@10", "own best", "nDCG@10", "built in", "nDCG@10"];
    let mut cells = vec![titles.map(ToOwned::to_owned).to_vec()];
    for it in choices {
        let (weight, ndcg) = match it.chosen {
            Some((weight, ndcg)) => (format!("{weight:.1}"), format!("{ndcg:.3}")),
            None => ("-".to_owned(), "-".to_owned()),
        };
        cells.push(vec![
            it.set.clone(),
            it.others.to_string(),
            weight,
            ndcg,
            format!("{:.1}", it.best.0),
            format!("{:.3}", it.best.1),
            format!("{:.2}", it.built_in.0),
            format!("{:.3}", it.built_in.1),
        ]);
    }
    let head = format!(
        "{method}: the weight of meaning, chosen on the sets that share no entry with the one left out\n"
    );
    head + &table::aligned(&cells)
}
