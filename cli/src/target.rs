//! Turns what the user names into a server to talk to. Talking is the business of `transport`.

use crate::config::{Config, Server};
use crate::failure::Failure;
use crate::mistakes;
use crate::nearest::nearest;
use crate::secrets::{Secret, Word, variable};
use crate::settings::{expand, holds};
use std::ffi::OsString;
use std::path::PathBuf;
use transport::{Command, Endpoint, Target, shell_word};

/// Which server, and how to reach it.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct TargetArgs {
    /// http(s)://..., mock:NAME, or a server of mcpproof.toml
    #[arg(value_name = "TARGET")]
    pub target: Option<String>,
    /// A program to start, with its arguments
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
    /// The URL is a legacy HTTP+SSE endpoint; a mock: target is served as one
    #[arg(long, help_heading = "Server")]
    pub sse: bool,
    /// Send this header with each request; repeatable
    #[arg(long, value_name = "NAME: VALUE", help_heading = "Server")]
    pub header: Vec<String>,
    /// Add this variable to the environment of the command; repeatable
    #[arg(long, value_name = "KEY=VALUE", help_heading = "Server")]
    pub env: Vec<String>,
    /// Start the command in this directory
    #[arg(long, value_name = "DIR", help_heading = "Server")]
    pub cwd: Option<PathBuf>,
    /// Serve a mock: target over Streamable HTTP instead of stdio
    #[arg(long, help_heading = "Server")]
    pub http: bool,
    /// Read this file instead of mcpproof.toml
    #[arg(long, value_name = "FILE", help_heading = "Server")]
    pub config: Option<PathBuf>,
}

/// A server, and how the user would type it.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    /// What to talk to.
    pub target: Target,
    /// A short name for the first line of a report.
    pub shown: String,
    /// All arguments that name it again, ready for a shell; secrets are left out.
    pub args: String,
    /// Those of them that are flags and come first.
    pub flags: String,
    /// A mock to serve in this process while the check runs.
    pub http_mock: Option<String>,
    /// Values that must not be written down.
    pub secrets: Vec<String>,
    /// The variables that stand for some of them in `args`, and are not set to them here.
    pub hidden: Vec<String>,
}

const SYNTAX: &str =
    "a target is `-- COMMAND ARGS...`, http(s)://..., mock:NAME, or a [server.NAME] of mcpproof.toml";

/// Finds the one server that `args` name.
pub(crate) fn resolve(args: &TargetArgs, config: &Config) -> Result<Named, Failure> {
    let env = args.env.iter().map(|text| pair(text, '=', "--env")).collect::<Result<Vec<_>, _>>()?;
    let headers =
        args.header.iter().map(|text| pair(text, ':', "--header")).collect::<Result<Vec<_>, _>>()?;
    let named = match (&args.target, args.command.split_first()) {
        (None, Some((program, rest))) => {
            stdio(Command { program: program.clone(), args: rest.to_vec(), ..Command::default() })
        }
        (Some(word), None) => by_word(word, args, config)?,
        (None, None) => return Err(Failure::usage("no target: nothing to check", SYNTAX)),
        (Some(word), Some(_)) => {
            return Err(Failure::usage(format!("two targets: `{word}` and a command"), "name one of them"));
        }
    };
    let given = env.iter().map(|(name, value)| (variable(name), value));
    let given = given.chain(headers.iter().map(|(name, value)| (header_variable(name), value)));
    let mut named =
        given.fold(named, |named, (name, value)| named.hide(&Secret { name, value: value.clone() }));
    add(&mut named, args, env, headers)?;
    Ok(named)
}

fn stdio(command: Command) -> Named {
    let words: Vec<_> =
        std::iter::once(&command.program).chain(&command.args).map(|word| word.to_string_lossy()).collect();
    let befores = std::iter::once("").chain(words.iter().map(AsRef::as_ref));
    let words: Vec<_> =
        words.iter().zip(befores).map(|(word, before)| Word::argument(before, word)).collect();
    let shown = words.iter().fold("--".to_owned(), |text, word| format!("{text} {}", word.shell()));
    let named = Named {
        args: shown.clone(),
        flags: String::new(),
        shown,
        target: Target::Stdio(command),
        http_mock: None,
        secrets: Vec::new(),
        hidden: Vec::new(),
    };
    words.iter().flat_map(Word::secrets).fold(named, Named::hide)
}

fn by_word(word: &str, args: &TargetArgs, config: &Config) -> Result<Named, Failure> {
    if let Some(name) = word.strip_prefix("mock:") {
        return mock(name, args);
    }
    if word.starts_with("http://") || word.starts_with("https://") {
        return Ok(url(word, args.sse, Vec::new()));
    }
    let mut named = match config.server.get(word) {
        Some(server) => configured(word, server, config)?,
        None => return Err(unknown(word, config)),
    };
    named.shown = word.to_owned();
    named.args = shell_word(word);
    named.hidden.clear();
    Ok(named)
}

fn url(url: &str, sse: bool, headers: Vec<(String, String)>) -> Named {
    let endpoint = Endpoint { url: url.to_owned(), headers };
    let (flag, target) = if sse { ("--sse ", Target::Sse(endpoint)) } else { ("", Target::Http(endpoint)) };
    let word = Word::address(url);
    let named = Named {
        shown: format!("{flag}{}", word.plain()),
        args: format!("{flag}{}", word.shell()),
        flags: String::new(),
        target,
        http_mock: None,
        secrets: Vec::new(),
        hidden: Vec::new(),
    };
    word.secrets().fold(named, Named::hide)
}

fn mock(name: &str, args: &TargetArgs) -> Result<Named, Failure> {
    crate::commands::mock::known(name)?;
    let shown = format!("mock:{name}");
    if args.http || args.sse {
        // Where it will listen is known when it does; see `Named::at`.
        let named = url("", args.sse, Vec::new());
        let flag = if args.sse { "--sse" } else { "--http" };
        let args = format!("{flag} {shown}");
        return Ok(Named { args, shown, http_mock: Some(name.to_owned()), ..named });
    }
    let hint = "name a command instead";
    let program = std::env::current_exe()
        .map_err(|cause| Failure::file("failed to find our own executable".into(), cause, hint))?;
    let args = vec!["mock".into(), name.into()];
    let command = Command { program: program.into(), args, ..Command::default() };
    Ok(Named { args: shown.clone(), shown, ..stdio(command) })
}

impl Named {
    /// Notes a secret that `args` leave out.
    fn hide(mut self, secret: &Secret) -> Self {
        if !holds(&secret.name, &secret.value) && !self.hidden.contains(&secret.name) {
            self.hidden.push(secret.name.clone());
        }
        self.secrets.push(secret.value.clone());
        self
    }

    /// What names it again, without the flags.
    pub(crate) fn bare(&self) -> &str {
        &self.args[self.flags.len()..]
    }

    /// The target, once its mock listens at `address`.
    pub(crate) fn at(&self, address: std::net::SocketAddr) -> Target {
        match &self.target {
            Target::Sse(end) => Target::Sse(Endpoint { url: format!("http://{address}/sse"), ..end.clone() }),
            Target::Http(end) => {
                Target::Http(Endpoint { url: format!("http://{address}/mcp"), ..end.clone() })
            }
            other => other.clone(),
        }
    }
}

fn configured(name: &str, server: &Server, config: &Config) -> Result<Named, Failure> {
    let wrong = |what: &str| Failure::usage(format!("[server.{name}] in mcpproof.toml: {what}"), SYNTAX);
    let expand = |text: &str| {
        let place = |failure: Failure| Failure {
            error: anyhow::Error::msg(format!("[server.{name}] in mcpproof.toml: {}", failure.error)),
            ..failure
        };
        expand(text).map_err(place)
    };
    let filled = |map: &std::collections::BTreeMap<String, String>| {
        map.iter().map(|(key, value)| Ok((key.clone(), expand(value)?))).collect::<Result<Vec<_>, Failure>>()
    };
    // A text that had variables in it may be a secret.
    let mut secrets = Vec::new();
    let mut filled_in = |text: &str| {
        let filled = expand(text)?;
        if filled != text {
            secrets.push(filled.clone());
        }
        Ok::<_, Failure>(filled)
    };
    if server.http && server.mock.is_none() {
        return Err(wrong("`http` is for a `mock`; an address in `url` is one already"));
    }
    let mut named = match (&server.command, &server.url, &server.mock) {
        (Some(words), None, None) => {
            let (program, rest) = words.split_first().ok_or_else(|| wrong("`command` is empty"))?;
            let cwd = server.cwd.as_ref().map(|cwd| config.folder.join(cwd));
            let args = rest.iter().map(|word| Ok(OsString::from(filled_in(word)?)));
            let args = args.collect::<Result<_, Failure>>()?;
            stdio(Command { program: program.into(), args, env: filled(&server.env)?, cwd })
        }
        (None, Some(address), None) => url(&filled_in(address)?, server.sse, filled(&server.headers)?),
        (None, None, Some(mock)) => {
            let args = TargetArgs { http: server.http, sse: server.sse, ..TargetArgs::default() };
            self::mock(mock, &args)?
        }
        (None, None, None) => return Err(wrong("has no `command`, `url` or `mock`")),
        _ => return Err(wrong("has more than one of `command`, `url` and `mock`")),
    };
    match &named.target {
        Target::Stdio(command) => {
            secrets.extend(command.env.iter().map(|(_, value)| value.clone()));
        }
        Target::Http(end) | Target::Sse(end) => {
            secrets.extend(end.headers.iter().map(|(_, value)| value.clone()));
        }
        Target::InProcess(_) => {}
    }
    named.secrets.extend(secrets);
    Ok(named)
}

fn unknown(word: &str, config: &Config) -> Failure {
    let error = match config.server.len() {
        0 => format!("`{word}` is no target, and no mcpproof.toml names servers here"),
        _ => format!("`{word}` is no target: no [server.{word}] in mcpproof.toml"),
    };
    let mocks: Vec<_> = mocks::names().map(|name| format!("mock:{name}")).collect();
    let servers = config.server.keys().map(String::as_str);
    let near = nearest(word, servers.chain(mocks.iter().map(String::as_str)));
    let near = near.map(|name| format!("did you mean `{name}`?"));
    let first = mistakes::meant(word).or(near).map_or(String::new(), |first| format!("{first}\n      "));
    Failure::usage(error, format!("{first}{SYNTAX}"))
}

/// Adds what the flags say to the target, and to the command that reproduces a finding.
fn add(
    named: &mut Named,
    args: &TargetArgs,
    env: Vec<(String, String)>,
    headers: Vec<(String, String)>,
) -> Result<(), Failure> {
    let refuse = |flag: &str, what: &str| {
        Err(Failure::usage(format!("{flag} does not fit this target"), format!("{flag} is for {what}")))
    };
    let file = args.config.as_ref().map(|path| format!("--config {} ", shell_word(&path.to_string_lossy())));
    let mut prefix = file.unwrap_or_default();
    match &mut named.target {
        Target::Stdio(_) | Target::InProcess(_) if args.sse => return refuse("--sse", "http(s) URLs"),
        Target::Stdio(_) | Target::InProcess(_) if args.http => return refuse("--http", "mock: targets"),
        Target::Stdio(command) => {
            if !headers.is_empty() {
                return refuse("--header", "http(s) URLs");
            }
            // The shell of whoever copies the line fills the values in; the line itself holds none.
            prefix.extend(env.iter().map(|(key, _)| format!("--env \"{key}=${}\" ", variable(key))));
            if let Some(cwd) = &args.cwd {
                prefix.push_str(&format!("--cwd {} ", shell_word(&cwd.to_string_lossy())));
                command.cwd = Some(cwd.clone());
            }
            command.env.extend(env);
        }
        Target::Http(endpoint) | Target::Sse(endpoint) => {
            if !env.is_empty() || args.cwd.is_some() {
                return refuse(if env.is_empty() { "--cwd" } else { "--env" }, "commands");
            }
            if args.http && named.http_mock.is_none() {
                return refuse("--http", "mock: targets");
            }
            prefix.extend(
                headers.iter().map(|(name, _)| format!("--header \"{name}: ${}\" ", header_variable(name))),
            );
            endpoint.headers.extend(headers);
        }
        Target::InProcess(_) => {}
    }
    named.args.insert_str(0, &prefix);
    named.flags = prefix;
    Ok(())
}

fn header_variable(name: &str) -> String {
    variable(name).to_uppercase()
}

fn pair(text: &str, between: char, flag: &str) -> Result<(String, String), Failure> {
    let found = text.split_once(between).map(|(key, value)| (key.trim(), value));
    match found.filter(|(key, _)| !key.is_empty()) {
        Some((key, value)) if between == ':' => Ok((key.to_owned(), value.trim().to_owned())),
        Some((key, value)) => Ok((key.to_owned(), value.to_owned())),
        // The text may be a secret with a slip in it, so it is not repeated.
        None => Err(Failure::usage(
            format!("{flag}: no `{between}` between name and value"),
            if between == ':' { "--header 'Name: value'" } else { "--env KEY=VALUE" },
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(args: TargetArgs, config: &str) -> Result<Named, Failure> {
        resolve(&args, &toml::from_str(config).expect("test settings parse"))
    }

    fn word(word: &str) -> TargetArgs {
        TargetArgs { target: Some(word.to_owned()), ..TargetArgs::default() }
    }

    fn hint(result: Result<Named, Failure>) -> String {
        result.expect_err("must fail").hint
    }

    #[test]
    fn each_way_to_name_a_server_leads_to_one() {
        let command = vec!["node".into(), "my server.js".into()];
        let stdio = named(TargetArgs { command, ..TargetArgs::default() }, "").expect("a command");
        assert_eq!(stdio.args, "-- node 'my server.js'");
        let http = named(word("https://example.org/mcp"), "").expect("a URL");
        assert!(matches!(http.target, Target::Http(_)));
        let sse = named(TargetArgs { sse: true, ..word("https://example.org/sse") }, "").expect("a URL");
        assert_eq!(sse.args, "--sse https://example.org/sse");
        assert_eq!(named(word("mock:good"), "").expect("a mock").args, "mock:good");
        let config = "[server.notes]\ncommand = [\"notes\", \"--stdio\"]\nenv = { A = \"b\" }\n";
        let configured = named(word("notes"), config).expect("configured");
        assert_eq!((configured.args.as_str(), configured.secrets), ("notes", vec!["b".to_owned()]));
        let built_in = named(word("m"), "[server.m]\nmock = \"good\"\nhttp = true\n").expect("a mock");
        assert_eq!((built_in.args.as_str(), built_in.http_mock.as_deref()), ("m", Some("good")));
    }

    #[test]
    fn secrets_stay_out_of_what_is_shown() {
        let args = TargetArgs {
            header: vec!["Authorization: Bearer s3cret".into()],
            ..word("https://example.org/mcp")
        };
        let http = named(args, "").expect("a URL");
        assert_eq!(http.args, "--header \"Authorization: $AUTHORIZATION\" https://example.org/mcp");
        assert_eq!(
            (http.bare(), &*http.secrets),
            ("https://example.org/mcp", &["Bearer s3cret".to_owned()][..])
        );
        assert_eq!(http.hidden, ["AUTHORIZATION"]);
        let args =
            TargetArgs { command: vec!["x".into()], env: vec!["KEY=s3cret".into()], ..TargetArgs::default() };
        assert_eq!(named(args, "").expect("a command").args, "--env \"KEY=$KEY\" -- x");
        let url = named(TargetArgs { sse: true, ..word("https://me:s3cret@h/sse?b=c&token=abc") }, "")
            .expect("a URL");
        assert_eq!(url.shown, "--sse https://me:${PASSWORD}@h/sse?b=c&token=${TOKEN}");
        assert_eq!(url.args, "--sse \"https://me:${PASSWORD}@h/sse?b=c&token=${TOKEN}\"");
        assert_eq!(
            (url.secrets, url.hidden),
            (vec!["s3cret".into(), "abc".into()], vec!["PASSWORD".into(), "TOKEN".into()])
        );
        let command = vec!["x".into(), "--api-key".into(), "sk-1".into()];
        let stdio = named(TargetArgs { command, ..TargetArgs::default() }, "").expect("a command");
        assert_eq!(stdio.shown, "-- x --api-key \"${API_KEY}\"");
    }

    #[test]
    fn what_a_shell_would_take_apart_is_quoted() {
        let args = TargetArgs {
            command: vec!["x".into()],
            cwd: Some("my folder".into()),
            config: Some("a b.toml".into()),
            ..TargetArgs::default()
        };
        assert_eq!(named(args, "").expect("a command").args, "--config 'a b.toml' --cwd 'my folder' -- x");
        assert_eq!(named(word("http://h/?a=1&b=2"), "").expect("a URL").args, "'http://h/?a=1&b=2'");
    }

    #[test]
    fn a_word_that_names_nothing_is_told_with_the_nearest_name_and_the_syntax() {
        let config = "[server.notes]\nurl = \"https://example.org/mcp\"\n";
        let text = hint(named(word("nots"), config));
        assert!(text.starts_with("did you mean `notes`?") && text.contains(SYNTAX), "{text}");
        assert!(hint(named(word("mock:god"), "")).contains("`good`"));
        assert_eq!(hint(named(TargetArgs::default(), "")), SYNTAX);
    }

    #[test]
    fn a_server_of_the_settings_has_one_way_to_reach_it() {
        for wrong in
            ["", "command = [\"x\"]\nmock = \"good\"", "url = \"http://x\"\nhttp = true", "mock = \"god\""]
        {
            hint(named(word("s"), &format!("[server.s]\n{wrong}\n")));
        }
    }

    #[test]
    fn flags_that_do_not_fit_the_target_are_refused() {
        let stdio = |args: TargetArgs| TargetArgs { command: vec!["x".into()], ..args };
        hint(named(stdio(TargetArgs { sse: true, ..TargetArgs::default() }), ""));
        hint(named(stdio(TargetArgs { header: vec!["a: b".into()], ..TargetArgs::default() }), ""));
        hint(named(TargetArgs { cwd: Some("x".into()), ..word("https://example.org") }, ""));
        hint(named(TargetArgs { http: true, ..word("https://example.org") }, ""));
        let failure =
            named(TargetArgs { header: vec!["Bearer s3cret".into()], ..word("https://example.org") }, "");
        assert!(!format!("{:?}", failure.expect_err("no colon")).contains("s3cret"));
    }
}
