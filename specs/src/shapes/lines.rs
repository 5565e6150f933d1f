//! The notation of the catalogue files: definitions, their members by indentation, their revisions after `@`.
//!
//! The notation of a single shape stands in `expression.rs`, the grammar in `specs/README.md`.

use super::{Definition, Field, Shape, expression};
use crate::{Revision, Revisions};

/// A line of a shape file that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("failed to read `shapes/{file}.shapes`, line {line}: {what}")]
pub(crate) struct ShapeError {
    /// The file.
    pub(crate) file: String,
    /// The line, counted from 1.
    pub(crate) line: usize,
    /// What is wrong with it.
    pub(crate) what: String,
}

/// A line with the deeper ones that follow it.
struct Line<'a> {
    number: usize,
    depth: usize,
    text: &'a str,
    revisions: Revisions,
    children: Vec<Line<'a>>,
}

/// What is wrong, and in which line.
type Wrong = (usize, String);

/// Reads the definitions in the `text` of `file`.
pub(super) fn parse(file: &str, text: &str) -> Result<Vec<Definition>, ShapeError> {
    let definitions = tree(text).and_then(|lines| lines.into_iter().map(definition).collect());
    definitions.map_err(|(line, what)| ShapeError { file: file.into(), line, what })
}

/// Groups the lines by indentation, two spaces a step.
fn tree(text: &str) -> Result<Vec<Line<'_>>, Wrong> {
    let mut roots: Vec<Line<'_>> = Vec::new();
    for (idx, raw) in text.lines().enumerate() {
        let trimmed = raw.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let line = line(idx + 1, raw, trimmed)?;
        let mut siblings = &mut roots;
        for _ in 0..line.depth {
            let parent = siblings.last_mut().ok_or((line.number, "indented too deep".to_owned()))?;
            siblings = &mut parent.children;
        }
        siblings.push(line);
    }
    Ok(roots)
}

fn line<'a>(number: usize, raw: &str, trimmed: &'a str) -> Result<Line<'a>, Wrong> {
    let indent = raw.len() - raw.trim_start().len();
    if indent % 2 == 1 {
        return Err((number, "indented by an odd number of spaces".into()));
    }
    let (text, range) = trimmed.rsplit_once('@').unwrap_or((trimmed, ".."));
    let revisions = revisions(range).map_err(|what| (number, what))?;
    Ok(Line { number, depth: indent / 2, text: text.trim_end(), revisions, children: Vec::new() })
}

/// Reads `2025-03-26`, `..2025-06-18`, `2025-06-18..` or `2025-03-26..2025-06-18`.
fn revisions(range: &str) -> Result<Revisions, String> {
    let date = |text: &str| text.parse::<Revision>().map_err(|unknown| unknown.to_string());
    Ok(match range.split_once("..") {
        None => Revisions::only(date(range)?),
        Some(("", "")) => Revisions::ALL,
        Some((first, "")) => Revisions::since(date(first)?),
        Some(("", last)) => Revisions::until(date(last)?),
        Some((first, last)) => Revisions::between(date(first)?, date(last)?),
    })
}

/// Reads `Name: Base, Base` with members below, `Name = shape`, or `Name =` with branches below.
fn definition(line: Line<'_>) -> Result<Definition, Wrong> {
    let Line { number, text, revisions, children, .. } = line;
    let wrong = |what: String| (number, what);
    let (name, bases, shape) = match text.split_once('=') {
        Some((name, "")) => (name, "", union(children)?),
        Some((name, alias)) => (name, "", expression::parse(alias).map_err(wrong)?),
        None => {
            let (name, bases) = text.split_once(':').unwrap_or((text, ""));
            (name, bases, Shape::Object(fields(children)?))
        }
    };
    let name = name.trim_end().to_owned();
    if !name.chars().all(|c| c.is_ascii_alphanumeric()) {
        return Err(wrong(format!("`{name}` is no name")));
    }
    let bases = bases.split(',').map(|base| base.trim().to_owned()).filter(|base| !base.is_empty()).collect();
    Ok(Definition { name, revisions, bases, shape })
}

fn union(lines: Vec<Line<'_>>) -> Result<Shape, Wrong> {
    let branch = |line: Line<'_>| {
        let shape = line.text.strip_prefix('|').ok_or_else(|| "a branch starts with `|`".to_owned());
        let shape = shape.and_then(expression::parse).map_err(|what| (line.number, what))?;
        Ok((shape, line.revisions))
    };
    Ok(Shape::Union(lines.into_iter().map(branch).collect::<Result<_, Wrong>>()?))
}

fn fields(lines: Vec<Line<'_>>) -> Result<Vec<Field>, Wrong> {
    lines.into_iter().map(field).collect()
}

/// Reads `name: shape` or `name?: shape`; the members of an `object` in the shape stand below.
fn field(line: Line<'_>) -> Result<Field, Wrong> {
    let wrong = |what: String| (line.number, what);
    let (name, shape) =
        line.text.split_once(": ").ok_or_else(|| wrong("a member is `name: shape`".into()))?;
    let mut shape = expression::parse(shape).map_err(wrong)?;
    if !line.children.is_empty() {
        let members = fields(line.children)?;
        *first_object(&mut shape).ok_or_else(|| wrong("only an object has members".into()))? = members;
    }
    let (name, is_required) = name.strip_suffix('?').map_or((name, true), |name| (name, false));
    Ok(Field { name: name.into(), is_required, revisions: line.revisions, shape })
}

fn first_object(shape: &mut Shape) -> Option<&mut Vec<Field>> {
    match shape {
        Shape::Object(fields) => Some(fields),
        Shape::List { item, .. } | Shape::Map(item) => first_object(item),
        Shape::Union(branches) => branches.iter_mut().find_map(|(shape, _)| first_object(shape)),
        Shape::All(shapes) => shapes.iter_mut().find_map(first_object),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_has_bases_members_and_revisions() {
        let text = "# note\n\nTool: Named, Icons @2025-03-26..\n  name: string\n  meta?: object @2025-06-18\n    a.b/c: [string]\n";
        let tool = &parse("x", text).expect("parses")[0];
        assert_eq!(tool.bases, ["Named", "Icons"]);
        assert_eq!(tool.revisions, Revisions::since(Revision::V2025_03_26));
        let Shape::Object(fields) = &tool.shape else { panic!("an object") };
        assert!(fields[0].is_required && !fields[1].is_required);
        assert_eq!(fields[1].revisions, Revisions::only(Revision::V2025_06_18));
        assert!(matches!(&fields[1].shape, Shape::Object(inner) if inner[0].name == "a.b/c"));
    }

    #[test]
    fn an_error_names_the_file_the_line_and_the_fault() {
        for (text, line, fault) in [
            ("Tool\n  name string", 2, "name: shape"),
            ("Tool\n\n  name: strng", 3, "strng"),
            ("Tool\n   name: string", 2, "odd"),
            ("Tool\n    name: string", 2, "too deep"),
            ("Tool @2025-01-01", 1, "2025-01-01"),
            ("Tool\n  name: string\n    first: string", 2, "only an object"),
            ("Tool =\n  string", 2, "`|`"),
            ("To ol", 1, "To ol"),
        ] {
            let error = parse("tools", text).expect_err(text);
            assert_eq!((error.line, error.what.contains(fault)), (line, true), "{error}");
            assert!(error.to_string().contains("shapes/tools.shapes"));
        }
    }
}
