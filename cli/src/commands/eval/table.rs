//! How rows look to people, and as JSON lines. What they say was found out in `retrieval::eval`.

use retrieval::eval::{Metric, Row, Set};

/// The metrics whose differences are told; the others follow them.
const COMPARED: [(Metric, &str); 2] = [(Metric::R5, "R@5"), (Metric::Ndcg10, "nDCG@10")];

/// Writes a JSON object a line.
pub(crate) fn lines(rows: &[Row]) -> String {
    rows.iter().filter_map(|row| serde_json::to_string(row).ok()).map(|line| line + "\n").collect()
}

/// Writes the table of one set, and below it how the methods differ from the first one.
pub(crate) fn of_set(set: &Set, rows: &[Row]) -> String {
    let n = rows.first().map_or(0, |row| row.n);
    let strange = rows.first().map_or(0, |row| row.abstained.strange);
    let head = format!(
        "{}: {} entries, {n} queries with gold, {strange} that nothing should fit\n",
        set.name,
        set.entries.len()
    );
    let titles =
        ["method", "R@1", "R@5", "", "R@10", "nDCG@10", "", "MRR", "p50 ms", "p95 ms", "abstain P", "R"];
    let mut lines = vec![titles.map(ToOwned::to_owned).to_vec()];
    lines.extend(rows.iter().map(cells));
    let mut text = head + &aligned(&lines);
    for row in rows {
        text.push_str(&versus(row));
    }
    text + "\n"
}

fn cells(row: &Row) -> Vec<String> {
    let told = row.n > 0;
    let mean = |metric| share(told.then(|| row.of(metric).mean));
    let range = |metric| match told {
        true => format!("[{:.3}, {:.3}]", row.of(metric).lo, row.of(metric).hi),
        false => "-".to_owned(),
    };
    vec![
        row.method.clone(),
        mean(Metric::R1),
        mean(Metric::R5),
        range(Metric::R5),
        mean(Metric::R10),
        mean(Metric::Ndcg10),
        range(Metric::Ndcg10),
        mean(Metric::Mrr),
        format!("{:.3}", row.p50_ms),
        format!("{:.3}", row.p95_ms),
        share(row.abstained.precision()),
        share(row.abstained.recall()),
    ]
}

fn share(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"))
}

fn versus(row: &Row) -> String {
    let Some((first, estimates)) = row.versus.as_ref().filter(|_| row.n > 0) else { return String::new() };
    let parts = COMPARED.map(|(metric, title)| {
        let it = &estimates[metric as usize];
        if it.mean == 0.0 {
            return format!("{title} no difference [{:+.3}, {:+.3}]", it.lo, it.hi);
        }
        let sure = it.same_sign * 100.0;
        format!("{title} {:+.3} [{:+.3}, {:+.3}], the sign holds in {sure:.0} %", it.mean, it.lo, it.hi)
    });
    format!("  {} - {first}: {}\n", row.method, parts.join("; "))
}

/// Writes the means over sets, each set counting the same.
pub(crate) fn means(rows: &[Row]) -> String {
    let mut methods: Vec<&str> = Vec::new();
    for row in rows {
        if !methods.contains(&row.method.as_str()) {
            methods.push(&row.method);
        }
    }
    let titles = ["method", "R@1", "R@5", "R@10", "nDCG@10", "MRR"];
    let mut lines = vec![titles.map(ToOwned::to_owned).to_vec()];
    for method in methods {
        let own: Vec<&Row> = rows.iter().filter(|row| row.method == method && row.n > 0).collect();
        let mut cells = vec![method.to_owned()];
        cells.extend(Metric::ALL.map(|metric| {
            let sum: f64 = own.iter().map(|row| row.of(metric).mean).sum();
            share((!own.is_empty()).then(|| sum / own.len() as f64))
        }));
        lines.push(cells);
    }
    format!("mean over the sets, each counting the same\n{}", aligned(&lines))
}

/// Sets cells in columns: the first to the left, numbers to the right.
pub(crate) fn aligned(lines: &[Vec<String>]) -> String {
    let width =
        |column: usize| lines.iter().filter_map(|line| line.get(column)).map(String::len).max().unwrap_or(0);
    let columns = lines.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for line in lines {
        for (column, (cell, width)) in line.iter().zip(&widths).enumerate() {
            text.push_str(&if column == 0 {
                format!("  {cell:width$}")
            } else {
                format!("  {cell:>width$}")
            });
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}
