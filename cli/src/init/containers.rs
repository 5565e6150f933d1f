//! Looks at files of containers. How a server in one is reached cannot be read there for sure, so they lead to notes that say what to write.

use super::Found;
use super::manifests::read;
use std::path::Path;

const COMPOSE: [&str; 4] = ["compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml"];

/// Looks at each of them.
pub(super) fn find(folder: &Path, found: &mut Found) {
    for file in COMPOSE {
        let Some(text) = read(folder, file, found) else { continue };
        let servers: Vec<_> = services(&text).into_iter().filter(Service::says_mcp).collect();
        if servers.is_empty() {
            found.notes.push(format!("{file} has no service that says `mcp`"));
        }
        found.notes.extend(servers.iter().map(|service| service.note(file)));
    }
    let Some(text) = read(folder, "Dockerfile", found) else { return };
    let starts =
        |line: &str| ["entrypoint ", "cmd "].iter().any(|word| line.to_lowercase().starts_with(word));
    if text.lines().any(|line| starts(line.trim_start())) {
        let command = r#"command = ["docker", "run", "-i", "--rm", "IMAGE"]"#;
        found
            .notes
            .push(format!("Dockerfile makes an image; if that is the server on stdio, write {command}"));
    }
}

/// A service of a file of Compose, as far as it can be read without YAML.
struct Service<'a> {
    name: &'a str,
    lines: Vec<&'a str>,
}

impl Service<'_> {
    fn says_mcp(&self) -> bool {
        let says = |text: &str| {
            text.to_lowercase().split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == "mcp")
        };
        says(self.name) || self.lines.iter().any(|line| says(line.split(" #").next().unwrap_or_default()))
    }

    /// The port of the host under which it is published, if it is written out.
    fn port(&self) -> Option<&str> {
        let after = self.lines.iter().skip_while(|line| **line != "ports:").skip(1);
        let first = after.map(|line| line.strip_prefix("- ")).next()??;
        let mut parts = first.trim_matches(['\'', '"', ' ']).split(':').rev();
        let (_, host) = (parts.next()?, parts.next()?);
        host.chars().all(|c| c.is_ascii_digit()).then_some(host)
    }

    fn note(&self, file: &str) -> String {
        let (name, port) = (self.name, self.port().unwrap_or("PORT"));
        format!(
            "{file}: `{name}` may be a server; write url = \"http://127.0.0.1:{port}/mcp\", or on stdio command = [\"docker\", \"compose\", \"run\", \"--rm\", \"-T\", \"{name}\"]"
        )
    }
}

/// The services: what stands one step below `services:`, each with the lines below it.
fn services(text: &str) -> Vec<Service<'_>> {
    let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    let inside = lines.skip_while(|line| line.trim_end() != "services:").skip(1);
    let mut all: Vec<Service<'_>> = Vec::new();
    let mut step = None;
    for line in inside.take_while(|line| line.starts_with(' ')) {
        let depth = line.len() - line.trim_start().len();
        if depth == *step.get_or_insert(depth) {
            let name = line.trim().split(':').next().unwrap_or_default().trim_matches(['\'', '"']);
            all.push(Service { name, lines: Vec::new() });
        } else if let Some(last) = all.last_mut() {
            last.lines.push(line.trim());
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::tests::found;

    #[test]
    fn services_that_say_mcp_are_told_with_what_to_write() {
        let text = "services:\n  db:\n    image: postgres # no mcp\n    ports:\n      - \"5432:5432\"\n\n  notes:\n    image: me/notes-mcp:1\n    ports:\n      - \"127.0.0.1:8080:80\"\n  mcp:\n    build: .\nvolumes:\n  mcp-data: {}\n";
        let notes = found(&[("docker-compose.yml", text)]).notes;
        assert_eq!(notes.len(), 2, "{notes:?}");
        assert!(notes[0].contains("`notes`") && notes[0].contains("http://127.0.0.1:8080/mcp"), "{notes:?}");
        assert!(notes[1].contains("`mcp`") && notes[1].contains("127.0.0.1:PORT/mcp"), "{notes:?}");
        let notes = found(&[("compose.yaml", "services:\n  db:\n    image: postgres\n")]).notes;
        assert_eq!(notes, ["compose.yaml has no service that says `mcp`"]);
    }

    #[test]
    fn an_image_is_told_only_where_nothing_else_is_found() {
        let image = ("Dockerfile", "FROM scratch\nENTRYPOINT [\"/notes\"]\n");
        assert!(found(&[image]).notes[0].contains("docker"));
        let client = (".mcp.json", r#"{"mcpServers": {"a": {"command": "a"}}}"#);
        assert_eq!(found(&[image, client]).notes, Vec::<String>::new());
    }
}
