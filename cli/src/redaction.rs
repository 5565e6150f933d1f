//! Takes the secrets that a server was given out of what it answered, before a report is made of it.

use crate::target::Named;
use checks::{Finding, Ran, Report, Spoken, Verdict};
use transport::{Redactor, Target};

/// Takes the secrets of `named` out of `text`: its URL wherever it stands, and each value that is long enough to be told from chance.
pub(crate) fn text(named: &Named, text: &str) -> String {
    let redactor = Redactor::new(&named.secrets);
    match &named.target {
        Target::Http(end) | Target::Sse(end) if !end.url.is_empty() => {
            let shown = named.shown.trim_start_matches("--sse ");
            redactor.text(&text.replace(&end.url, shown)).into_owned()
        }
        _ => redactor.text(text).into_owned(),
    }
}

/// Takes the secrets of `named` out of every word of `report` that may come from the server.
pub(crate) fn redact(report: &mut Report, named: &Named) {
    if named.secrets.is_empty() {
        return;
    }
    let clean = |words: &mut String| *words = text(named, words);
    report.server.name.iter_mut().chain(&mut report.server.version).for_each(clean);
    match &mut report.ran {
        Ran::Complete => {}
        Ran::CutShort(why) => clean(why),
        Ran::Dead(dead) => {
            let optional = [&mut dead.sent, &mut dead.stdout, &mut dead.hint];
            optional.into_iter().flatten().chain([&mut dead.what, &mut dead.stderr]).for_each(clean);
        }
    }
    for revision in &mut report.revisions {
        if let Spoken::No(why) | Spoken::Unknown(why) = &mut revision.spoken {
            clean(why);
        }
        for result in &mut revision.results {
            match &mut result.verdict {
                Verdict::Pass => {}
                Verdict::NotApplicable(why) | Verdict::Unproven(why) => clean(why),
                Verdict::Broken(finding) => words(finding).for_each(clean),
            }
        }
    }
}

fn words(finding: &mut Finding) -> impl Iterator<Item = &mut String> {
    let bytes = finding.bytes.as_mut().map(|bytes| &mut bytes.text);
    let more = finding.sent.iter_mut().chain(bytes).chain(&mut finding.details);
    [&mut finding.expected, &mut finding.seen].into_iter().chain(more)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::target::{TargetArgs, resolve};

    fn check(target: &str, header: &[&str], words: &str, expected: &str) {
        let header = header.iter().map(|word| (*word).to_owned()).collect();
        let args = TargetArgs { target: Some(target.to_owned()), header, ..TargetArgs::default() };
        let named = resolve(&args, &Config::default()).expect("a URL");
        assert_eq!(text(&named, words), expected);
    }

    #[test]
    fn values_that_were_passed_in_and_addresses_with_secrets_are_not_told() {
        let url = "http://me:pw@h/mcp?key=ab&x=1";
        let shown = "cannot reach http://me:${PASSWORD}@h/mcp?key=${KEY}&x=1: refused";
        check(url, &[], &format!("cannot reach {url}: refused"), shown);
        check("http://h/", &["x-api: s3cret-value"], "it said s3cret-value", "it said [redacted]");
        check("http://h/", &[], "cannot reach http://h/", "cannot reach http://h/");
    }
}
