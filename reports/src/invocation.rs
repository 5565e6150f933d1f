//! The command that was run, taken apart so that others can be made of it. Its pieces are ready for a shell and hold no secrets.

use specs::Revision;

/// The pieces of the command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Invocation {
    /// The server and how it is reached: `--cwd app -- node server.js`.
    pub target: String,
    /// What else decides about a single finding, each with a space behind it: `--timeout 2s --limit 4096 `.
    pub limits: String,
    /// Which checks and revisions were chosen, in the same way: `--revision 2025-06-18 --skip ping `.
    pub choice: String,
    /// How many seconds may be enough for a run that was cut short.
    pub longer: u64,
    /// The variables that stand for secrets and have to be set first.
    pub hidden: Vec<String>,
}

impl Invocation {
    /// Writes the command that runs just the check `id` in `revision` again.
    pub fn reproduce(&self, id: &str, revision: Revision) -> String {
        format!("mcpproof check --only {id} --revision {revision} {}{}", self.limits, self.target)
    }

    /// Writes the command that does all of it again.
    pub fn again(&self) -> String {
        format!("mcpproof check {}{}{}", self.choice, self.limits, self.target)
    }

    /// Writes the command that does all of it again, with more time.
    pub fn again_longer(&self) -> String {
        format!("mcpproof check --run-timeout {} {}{}{}", self.longer, self.choice, self.limits, self.target)
    }

    /// Says which variables to set before a command can be copied; nothing where there is none.
    pub fn note(&self) -> Option<String> {
        note(&self.hidden)
    }
}

/// Says which variables to set before a command with `hidden` ones in it can be copied.
pub(crate) fn note(hidden: &[String]) -> Option<String> {
    let names: Vec<_> = hidden.iter().map(|name| format!("${name}")).collect();
    let stand = if names.len() == 1 { "stands for a value that is" } else { "stand for values that are" };
    (!names.is_empty()).then(|| {
        format!("{} {stand} not shown; set the environment before you copy a command.", names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use specs::Revision::V2025_06_18;

    #[test]
    fn each_command_carries_what_its_outcome_depends_on() {
        let invocation = Invocation {
            target: "-- x".into(),
            limits: "--timeout 2s ".into(),
            choice: "--skip ping ".into(),
            longer: 300,
            hidden: Vec::new(),
        };
        let reproduce = invocation.reproduce("ping-answered", V2025_06_18);
        assert_eq!(reproduce, "mcpproof check --only ping-answered --revision 2025-06-18 --timeout 2s -- x");
        assert_eq!(invocation.again(), "mcpproof check --skip ping --timeout 2s -- x");
        let longer = invocation.again_longer();
        assert_eq!(longer, "mcpproof check --run-timeout 300 --skip ping --timeout 2s -- x");
    }

    #[test]
    fn what_has_to_be_set_first_is_said_once() {
        assert_eq!(Invocation::default().note(), None);
        let with = |names: &[&str]| Invocation {
            hidden: names.iter().map(|name| (*name).to_owned()).collect(),
            ..Invocation::default()
        };
        let one =
            "$TOKEN stands for a value that is not shown; set the environment before you copy a command.";
        assert_eq!(with(&["TOKEN"]).note().as_deref(), Some(one));
        assert!(with(&["A", "B"]).note().is_some_and(|note| note.starts_with("$A, $B stand for values")));
    }
}
