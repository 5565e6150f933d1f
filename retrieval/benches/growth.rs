//! How search grows with the catalog: times and memory of 1,000 to 100,000 tools, as a table and a chart.
//!
//! `cargo bench -p mcpproof-retrieval --bench growth -- --record DIR` writes both into DIR; without it, the table is
//! printed. Each size is measured in a process of its own, so that none inherits the memory of another.

mod made;

use mcpproof_retrieval::embed::StaticTable;
use mcpproof_retrieval::eval::percentile;
use mcpproof_retrieval::{Index, Method, Options, Query, Taste};
use plotters::prelude::*;
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

const SIZES: [usize; 4] = [1_000, 4_000, 20_000, 100_000];
const REQUESTS: usize = 300;

/// What was measured of one size.
#[derive(Debug, Serialize, Deserialize)]
struct Point {
    tools: usize,
    lexical_p50_ms: f64,
    lexical_p95_ms: f64,
    hybrid_p50_ms: f64,
    hybrid_p95_ms: f64,
    lexical_build_s: f64,
    hybrid_build_s: f64,
    memory_mb: f64,
    peak_mb: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().collect();
    let after = |flag: &str| args.iter().position(|arg| arg == flag).and_then(|at| args.get(at + 1));
    if let Some(size) = after("--size") {
        return Ok(writeln!(std::io::stdout(), "{}", serde_json::to_string(&measure(size.parse()?))?)?);
    }
    let points = SIZES.map(alone).into_iter().collect::<Result<Vec<_>, _>>()?;
    let table = table(&points);
    if let Some(folder) = after("--record") {
        std::fs::write(Path::new(folder).join("retrieval-growth.md"), page(&table))?;
        draw(&points, &Path::new(folder).join("retrieval-growth.svg"))?;
    }
    Ok(write!(std::io::stdout(), "{table}")?)
}

/// Measures one size in a process of its own.
fn alone(size: usize) -> Result<Point, Box<dyn Error>> {
    let output = Command::new(std::env::current_exe()?).args(["--size", &size.to_string()]).output()?;
    if !output.status.success() {
        return Err(format!("{size} tools: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn measure(tools: usize) -> Point {
    let options = Options { embedder: Some(Arc::new(StaticTable::built_in())), ..Options::default() };
    // Entries are made one at a time and nothing was built before, so that memory is that of the index, and of what
    // the allocator kept of its building.
    let (hybrid, hybrid_build_s) = timed(|| Index::build(made::tools(tools), &options));
    let (memory_mb, peak_mb) = (status_mb("VmRSS:"), status_mb("VmHWM:"));
    let requests = made::requests(&descriptions(&hybrid), REQUESTS);
    let (hybrid_p50_ms, hybrid_p95_ms) = ask(&hybrid, Method::Fused, &requests);
    drop(hybrid);
    let (lexical, lexical_build_s) = timed(|| Index::build(made::tools(tools), &Options::default()));
    let (lexical_p50_ms, lexical_p95_ms) = ask(&lexical, Method::Lexical, &requests);
    Point {
        tools,
        lexical_p50_ms,
        lexical_p95_ms,
        hybrid_p50_ms,
        hybrid_p95_ms,
        lexical_build_s,
        hybrid_build_s,
        memory_mb,
        peak_mb,
    }
}

/// The descriptions in the order in which they were made.
fn descriptions(index: &Index) -> Vec<&str> {
    let mut found = vec![""; index.len()];
    for place in 0..index.len() {
        if let (Some(entry), Some(origin)) = (index.entry(place), index.origin(place)) {
            found[origin] = &entry.description;
        }
    }
    found
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let begun = Instant::now();
    let made = work();
    (made, begun.elapsed().as_secs_f64())
}

fn ask(index: &Index, method: Method, requests: &[String]) -> (f64, f64) {
    let taste = Taste::default();
    let once = |text: &String| {
        let query = Query { text, limit: 10, sources: &[], kinds: &[], method };
        timed(|| index.search(&query, &taste)).1 * 1e3
    };
    let mut millis: Vec<f64> = requests.iter().map(once).collect();
    millis.sort_by(f64::total_cmp);
    (percentile(&millis, 0.5), percentile(&millis, 0.95))
}

/// A size that Linux tells of the process; 0 elsewhere.
fn status_mb(name: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok()).map_or(0.0, |kb| kb / 1024.0)
}

fn table(points: &[Point]) -> String {
    let head = "| tools | lexical p50 / p95 ms | hybrid p50 / p95 ms | lexical build s | hybrid build s | memory MB | peak MB |\n|---|---|---|---|---|---|---|\n";
    let line = |it: &Point| {
        format!(
            "| {} | {:.3} / {:.3} | {:.3} / {:.3} | {:.2} | {:.2} | {:.0} | {:.0} |\n",
            it.tools,
            it.lexical_p50_ms,
            it.lexical_p95_ms,
            it.hybrid_p50_ms,
            it.hybrid_p95_ms,
            it.lexical_build_s,
            it.hybrid_build_s,
            it.memory_mb,
            it.peak_mb
        )
    };
    format!("{head}{}", points.iter().map(line).collect::<String>())
}

fn page(table: &str) -> String {
    format!(
        "# How search grows with the catalog\n\n`make bench-retrieval RECORD=DIR`: {REQUESTS} requests on made catalogs, one thread, ten hits.\nHybrid is words and meaning, with the built-in table.\nMemory is what the process holds with the hybrid index (VmRSS), peak the most it held while building it (VmHWM).\n\n{table}\n![the same as a chart](retrieval-growth.svg)\n"
    )
}

/// Draws the medians over the size, both logarithmic.
fn draw(points: &[Point], path: &Path) -> Result<(), Box<dyn Error>> {
    let root = SVGBackend::new(path, (760, 440)).into_drawing_area();
    root.fill(&WHITE)?;
    let most = points.iter().map(|it| it.hybrid_p50_ms.max(it.lexical_p50_ms)).fold(1.0, f64::max) * 2.0;
    let mut chart = ChartBuilder::on(&root)
        .caption("median time of a search", ("sans-serif", 20))
        .margin(16)
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d((800.0..130_000.0).log_scale(), (0.005..most).log_scale())?;
    chart
        .configure_mesh()
        .x_desc("tools")
        .y_desc("milliseconds")
        .x_label_formatter(&|it| format!("{it:.0}"))
        .draw()?;
    let curves = [
        ("lexical", BLUE, points.iter().map(|it| it.lexical_p50_ms).collect::<Vec<_>>()),
        ("hybrid", RED, points.iter().map(|it| it.hybrid_p50_ms).collect()),
    ];
    for (name, color, values) in curves {
        let line: Vec<(f64, f64)> =
            points.iter().zip(values).map(|(it, value)| (it.tools as f64, value)).collect();
        chart.draw_series(line.iter().map(|at| Circle::new(*at, 4, color.filled())))?;
        chart
            .draw_series(LineSeries::new(line, color.stroke_width(2)))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], color.stroke_width(2)));
    }
    chart.configure_series_labels().background_style(WHITE.mix(0.8)).border_style(BLACK).draw()?;
    Ok(root.present()?)
}
