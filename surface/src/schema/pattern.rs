//! What regular expressions of schemas have in common, decided on automata: whether one takes all that others take, and the shortest string that tells.

use super::number::Span;
use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::nfa::thompson;
use regex_automata::util::primitives::StateID;
use regex_automata::util::start;
use regex_automata::{Anchored, MatchKind};
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt::Write as _;
use std::iter::Peekable;
use std::rc::Rc;
use std::str::Chars;

/// How large an automaton may become, in bytes.
const LARGEST: usize = 1 << 21;
/// How many states are looked at in one search.
const MOST: usize = 10_000;
/// How many states are looked at in all searches of a comparison.
const MOST_OF_ALL: usize = 200_000;
/// How many patterns are tried that turn out too large for an automaton.
const MOST_LARGE: u32 = 4;
/// How many patterns are compiled.
const MOST_PATTERNS: usize = 1_000;
/// How long a list of texts may be that is held against a pattern, in bytes.
const LONGEST_LIST: usize = 4_000;
/// How long a string that is looked for may be, in bytes.
const LONGEST: usize = 2_000;

type Dfa = dense::DFA<Vec<u32>>;

/// What a string must not fit.
#[derive(Clone, Copy)]
pub(super) enum Refuse<'p> {
    /// Any string will do.
    Nothing,
    /// A pattern.
    Pattern(&'p str),
    /// A length.
    Length(Span),
}

/// The outcome of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// A string.
    Text(String),
    /// There is none.
    Nothing,
    /// It cannot be told.
    Unknown,
}

enum Engine {
    Dfa(Box<Dfa>),
    /// A pattern that no automaton can hold is asked of the validator.
    Validator(Box<jsonschema::Validator>),
    Broken,
}

/// The patterns met so far.
#[derive(Default)]
pub(super) struct Patterns {
    engines: RefCell<HashMap<String, Rc<Engine>>>,
    large: Cell<u32>,
    states: Cell<usize>,
}

impl Patterns {
    /// Whether `text` fits `pattern`, where that can be told.
    pub(super) fn matches(&self, pattern: &str, text: &str) -> Option<bool> {
        match &*self.engine(pattern) {
            Engine::Dfa(dfa) => {
                let mut state = begin(dfa)?;
                for byte in text.bytes() {
                    state = dfa.next_state(state, byte);
                }
                Some(ends(dfa, state))
            }
            Engine::Validator(validator) => Some(validator.is_valid(&Value::from(text))),
            Engine::Broken => None,
        }
    }

    fn engine(&self, pattern: &str) -> Rc<Engine> {
        if let Some(engine) = self.engines.borrow().get(pattern) {
            return Rc::clone(engine);
        }
        let tired = self.large.get() > MOST_LARGE || self.engines.borrow().len() > MOST_PATTERNS;
        let dfa = if tired { None } else { build(pattern) };
        if dfa.is_none() {
            self.large.set(self.large.get() + 1);
        }
        let engine = dfa.map(|dfa| Engine::Dfa(Box::new(dfa)));
        let other = || if tired { None } else { validator(pattern) };
        let engine = Rc::new(engine.or_else(other).unwrap_or(Engine::Broken));
        self.engines.borrow_mut().insert(pattern.to_owned(), Rc::clone(&engine));
        engine
    }

    /// Looks for the shortest string that fits all of `takes` and `length`, and does not fit `refuse`; one without
    /// line ends where there is one, or else at least without one at its end, where some engines overlook it.
    pub(super) fn find(&self, takes: &[&str], length: Span, refuse: Refuse<'_>) -> Found {
        let found = self.shortest(takes, length, refuse);
        if !matches!(&found, Found::Text(text) if text.contains('\n')) {
            return found;
        }
        let plainer = ["^[^\\n]*$", "[^\\n]$"].into_iter().map(|plain| {
            let takes: Vec<_> = takes.iter().copied().chain([plain]).collect();
            self.shortest(&takes, length, refuse)
        });
        plainer.into_iter().find(|found| matches!(found, Found::Text(_))).unwrap_or(found)
    }

    fn shortest(&self, takes: &[&str], length: Span, refuse: Refuse<'_>) -> Found {
        if length.is_empty() {
            return Found::Nothing;
        }
        let taking: Vec<_> = takes.iter().map(|pattern| self.engine(pattern)).collect();
        let refusing = match refuse {
            Refuse::Pattern(pattern) => Some(self.engine(pattern)),
            _ => None,
        };
        let against = match &refusing {
            Some(engine) => match &**engine {
                Engine::Dfa(dfa) => Some(&**dfa),
                _ => return Found::Unknown,
            },
            None => None,
        };
        let mut taken: Vec<&Dfa> = taking.iter().filter_map(|engine| engine.dfa()).collect();
        // Only what takes ends a run of bytes that is no text.
        let text = self.engine("");
        if taken.is_empty() && against.is_some() {
            taken.extend(text.dfa());
        }
        let other = if let Refuse::Length(span) = refuse { Some(span) } else { None };
        if self.states.get() > MOST_OF_ALL {
            return Found::Unknown;
        }
        let (found, states) = Search::new(&taken, against, length, other).run();
        self.states.set(self.states.get() + states);
        // Patterns without an automaton were left out; what was found has to fit them all the same.
        match found {
            Found::Text(text) if takes.iter().any(|pattern| self.matches(pattern, &text) != Some(true)) => {
                Found::Unknown
            }
            found => found,
        }
    }
}

impl Engine {
    fn dfa(&self) -> Option<&Dfa> {
        if let Self::Dfa(dfa) = self { Some(dfa) } else { None }
    }
}

fn validator(pattern: &str) -> Option<Engine> {
    let schema = json!({ "type": "string", "pattern": pattern });
    let validator = jsonschema::draft202012::options().build(&schema).ok()?;
    Some(Engine::Validator(Box::new(validator)))
}

fn build(pattern: &str) -> Option<Dfa> {
    let whole = format!("\\A(?s:.)*(?:{})(?s:.)*\\z", translate(pattern)?);
    let config = dense::Config::new()
        .start_kind(StartKind::Anchored)
        .match_kind(MatchKind::All)
        .dfa_size_limit(Some(LARGEST))
        .determinize_size_limit(Some(LARGEST));
    let nfa = thompson::Config::new().nfa_size_limit(Some(LARGEST));
    dense::Builder::new().configure(config).thompson(nfa).build(&whole).ok()
}

fn begin(dfa: &Dfa) -> Option<StateID> {
    dfa.start_state(&start::Config::new().anchored(Anchored::Yes)).ok()
}

fn ends(dfa: &Dfa, state: StateID) -> bool {
    dfa.is_match_state(dfa.next_eoi_state(state))
}

/// Spells an ECMAScript pattern in the syntax of this engine; look-around and back references have no spelling.
fn translate(pattern: &str) -> Option<String> {
    let mut out = String::with_capacity(pattern.len() + 16);
    let (mut chars, mut class) = (pattern.chars().peekable(), 0_u32);
    while let Some(letter) = chars.next() {
        match letter {
            '\\' if chars.peek() == Some(&'u') => {
                chars.next();
                let _ = write!(out, "\\x{{{:X}}}", u32::from(code_point(&mut chars)?));
            }
            '\\' => escape(&mut out, chars.next()?, class > 0)?,
            // `[^]` and `[]` mean anything and nothing there, and a syntax error here.
            '[' if class == 0 => {
                class = 1;
                out.push('[');
                if chars.peek() == Some(&'^') {
                    out.push('^');
                    chars.next();
                }
                if chars.peek() == Some(&']') {
                    return None;
                }
            }
            ']' if class > 0 => {
                class = 0;
                out.push(']');
            }
            '[' | '&' | '~' if class > 0 => out.extend(['\\', letter]),
            '(' if class == 0 && chars.peek() == Some(&'?') => {
                let rest: String = chars.clone().take(3).collect();
                if !rest.starts_with("?:") && !rest.starts_with("?<")
                    || rest.starts_with("?<=")
                    || rest.starts_with("?<!")
                {
                    return None;
                }
                out.push('(');
            }
            _ => out.push(letter),
        }
    }
    Some(out)
}

/// A pattern that just the texts among `values` fit; nothing where there are none, or too many.
pub(super) fn one_of<'v>(values: impl Iterator<Item = &'v Value>) -> Option<String> {
    let words: Vec<String> = values.filter_map(Value::as_str).map(literally).collect();
    let pattern = format!("^(?:{})$", words.join("|"));
    (!words.is_empty() && pattern.len() < LONGEST_LIST).then_some(pattern)
}

/// A pattern that only `text` fits.
fn literally(text: &str) -> String {
    let escape = |letter: char| letter.is_ascii_punctuation().then_some('\\').into_iter().chain([letter]);
    text.chars().flat_map(escape).collect()
}

/// Reads what follows `\u`: four digits, two times four for what lies beyond them, or any number in braces.
fn code_point(chars: &mut Peekable<Chars<'_>>) -> Option<char> {
    let number = |digits: &str| {
        let plain = digits.chars().all(|digit| digit.is_ascii_hexdigit());
        u32::from_str_radix(digits, 16).ok().filter(|_| plain)
    };
    let four = |chars: &mut Peekable<Chars<'_>>| {
        let digits: String = chars.by_ref().take(4).collect();
        number(&digits).filter(|_| digits.len() == 4)
    };
    if chars.next_if_eq(&'{').is_some() {
        let digits: String = chars.by_ref().take_while(|letter| *letter != '}').collect();
        return char::from_u32(number(&digits)?);
    }
    let first = four(chars)?;
    if !(0xD800..0xDC00).contains(&first) {
        return char::from_u32(first);
    }
    let second = (chars.next() == Some('\\') && chars.next() == Some('u')).then(|| four(chars))??;
    char::decode_utf16([u16::try_from(first).ok()?, u16::try_from(second).ok()?]).next()?.ok()
}

fn escape(out: &mut String, letter: char, inside: bool) -> Option<()> {
    let (plain, negated) = match letter {
        'd' | 'D' => ("0-9", letter == 'D'),
        'w' | 'W' => ("A-Za-z0-9_", letter == 'W'),
        // Back references cannot be decided; the class escapes `\b` and `\B` are left to the validator.
        '1'..='9' | 'k' | 'c' | 'b' | 'B' => return None,
        '0' => {
            out.push_str("\\x00");
            return Some(());
        }
        _ if letter.is_ascii_alphanumeric()
            || letter.is_ascii_punctuation() && !matches!(letter, '<' | '>') =>
        {
            out.extend(['\\', letter]);
            return Some(());
        }
        _ => {
            out.push(letter);
            return Some(());
        }
    };
    match (inside, negated) {
        (true, false) => out.push_str(plain),
        (_, true) => out.extend(["[^", plain, "]"]),
        (false, false) => out.extend(["[", plain, "]"]),
    }
    Some(())
}

/// A state of all automata at once, with the number of characters as far as it matters.
type State = (Vec<StateID>, u64);

struct Search<'d> {
    takes: &'d [&'d Dfa],
    refuses: Option<&'d Dfa>,
    length: Span,
    other: Option<Span>,
    /// From which number of characters on it no longer matters.
    cap: u64,
    letters: Vec<u8>,
}

impl<'d> Search<'d> {
    fn new(takes: &'d [&'d Dfa], refuses: Option<&'d Dfa>, length: Span, other: Option<Span>) -> Self {
        let cap = |span: Span| span.max.map_or(span.min, |max| max.saturating_add(1).max(span.min));
        let cap = cap(length).max(other.map_or(0, cap));
        let letters = letters(takes.iter().copied().chain(refuses));
        Self { takes, refuses, length, other, cap, letters }
    }

    /// The outcome, and how many states were looked at.
    fn run(&self) -> (Found, usize) {
        let mut seen: HashSet<State> = HashSet::new();
        let found = self.breadth_first(&mut seen);
        (found, seen.len())
    }

    fn breadth_first(&self, seen: &mut HashSet<State>) -> Found {
        let all = self.takes.iter().copied().chain(self.refuses);
        let Some(first) = all.map(begin).collect::<Option<Vec<_>>>() else { return Found::Unknown };
        let mut trail: Vec<(usize, u8)> = vec![(0, 0)];
        let mut queue = VecDeque::from([((first, 0), 0, 0)]);
        while let Some((state, at, long)) = queue.pop_front() {
            if self.fits(&state) {
                return text(&trail, at);
            }
            for letter in &self.letters {
                let Some(next) = self.step(&state, *letter) else { continue };
                if seen.insert(next.clone()) {
                    trail.push((at, *letter));
                    queue.push_back((next, trail.len() - 1, long + 1));
                }
            }
            if seen.len() > MOST || long > LONGEST {
                return Found::Unknown;
            }
        }
        Found::Nothing
    }

    fn fits(&self, (states, count): &State) -> bool {
        let taken = self.takes.iter().zip(states).all(|(dfa, state)| ends(dfa, *state));
        let refused = match (self.refuses, states.last()) {
            (Some(dfa), Some(state)) => !ends(dfa, *state),
            _ => self.other.is_none_or(|span| !span.takes(*count)),
        };
        taken && refused && self.length.takes(*count)
    }

    fn step(&self, (states, count): &State, letter: u8) -> Option<State> {
        // A continuation byte begins no character.
        let more = u64::from(letter & 0xC0 != 0x80);
        let count = (count + more).min(self.cap);
        if self.length.max.is_some_and(|max| count > max) {
            return None;
        }
        let mut next = Vec::with_capacity(states.len());
        for (dfa, state) in self.takes.iter().zip(states) {
            let state = dfa.next_state(*state, letter);
            if dfa.is_dead_state(state) || dfa.is_quit_state(state) {
                return None;
            }
            next.push(state);
        }
        if let (Some(dfa), Some(state)) = (self.refuses, states.last()) {
            next.push(dfa.next_state(*state, letter));
        }
        Some((next, count))
    }
}

/// One byte for each class of bytes that the automata tell apart, the readable ones first.
fn letters<'d>(all: impl Iterator<Item = &'d Dfa>) -> Vec<u8> {
    let all: Vec<_> = all.collect();
    if all.is_empty() {
        return vec![b'a'];
    }
    let readable = (b'a'..=b'z').chain(b'0'..=b'9').chain(b'A'..=b'Z').chain(*b"-_ .");
    let mut seen = HashSet::new();
    let mut letters = Vec::new();
    for letter in readable.chain(b'!'..=b'~').chain(0..=255) {
        let class: Vec<u8> = all.iter().map(|dfa| dfa.byte_classes().get(letter)).collect();
        // Bytes of one class may still differ in whether they begin a character.
        if seen.insert((class, letter & 0xC0 == 0x80)) {
            letters.push(letter);
        }
    }
    letters
}

fn text(trail: &[(usize, u8)], mut at: usize) -> Found {
    let mut bytes = Vec::new();
    while at != 0 {
        bytes.push(trail[at].1);
        at = trail[at].0;
    }
    bytes.reverse();
    String::from_utf8(bytes).map_or(Found::Unknown, Found::Text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(takes: &[&str], refuses: &str) -> Found {
        Patterns::default().find(takes, Span::default(), Refuse::Pattern(refuses))
    }

    #[test]
    fn the_same_language_has_no_string_that_tells() {
        for (left, right) in [
            ("^[0-9]+$", "^[0-9][0-9]*$"),
            (r"^\d{2}$", "^[0-9][0-9]$"),
            ("^(a|b)$", "^[ab]$"),
            ("^a", "^a.*"),
            (r"^[\w.]+\/$", "^[A-Za-z0-9_.]+/$"),
            (r"^[\u4e00-\u9fa5]+$", "^[一-龥]+$"),
            (r"^\uD83D\uDE00\u{1F601}$", "^😀😁$"),
        ] {
            assert_eq!(difference(&[left], right), Found::Nothing, "{left} {right}");
            assert_eq!(difference(&[right], left), Found::Nothing, "{right} {left}");
        }
    }

    #[test]
    fn a_pattern_that_any_text_fits_refuses_nothing() {
        for pattern in ["", "^", "$", ".*", "^.*", "a*", "[\\s\\S]*", "^[\\s\\S]*$", "(.|\\n)*", "x|"] {
            assert_eq!(difference(&[], pattern), Found::Nothing, "{pattern}");
        }
        assert_eq!(difference(&[], "^.*$"), Found::Text("\na".to_owned()));
        assert_eq!(difference(&[], "^.{0,3}$"), Found::Text("aaaa".to_owned()));
        assert_eq!(difference(&["^\\n*$"], "^$"), Found::Text("\n".to_owned()));
        assert_eq!(difference(&[], "."), Found::Text(String::new()));
    }

    #[test]
    fn the_shortest_string_that_tells_is_found() {
        for (takes, refuses, text) in [
            ("^[a-z]+$", "^[0-9]+$", "a"),
            ("^[a-z]*$", "^[a-z]+$", ""),
            ("b", "^[ab]{2,}$", "b"),
            ("^é+$", "^a$", "é"),
            (r"^[\u4e00-\u9fff]$", r"^[\u4e00-\u9fa5]$", "龦"),
        ] {
            assert_eq!(difference(&[takes], refuses), Found::Text(text.to_owned()), "{takes} {refuses}");
        }
    }

    #[test]
    fn a_length_counts_characters() {
        let patterns = Patterns::default();
        let span = Span { min: 3, max: None };
        assert_eq!(patterns.find(&["^é*$"], span, Refuse::Nothing), Found::Text("ééé".to_owned()));
        let short = Refuse::Length(Span { min: 0, max: Some(5) });
        assert_eq!(patterns.find(&["^[a-z]{3}$"], Span::default(), short), Found::Nothing);
        assert_eq!(patterns.find(&["^[a-z]{6}$"], Span::default(), short), Found::Text("aaaaaa".to_owned()));
    }

    #[test]
    fn a_pattern_that_explodes_is_unknown_and_ends() {
        let bomb = "^(a|aa|b?){1,900}(a*b*c*){1,900}x{1,900}$";
        assert_ne!(difference(&[bomb], "^q$"), Found::Nothing);
        assert_eq!(difference(&["^(?=a)b?"], "^(?!a)"), Found::Unknown);
        for broken in [r"^\uD83D$", r"^\u12", r"\u{110000}", r"\uzzzz", r"\u+123"] {
            assert_eq!(difference(&["^q$"], broken), Found::Unknown, "{broken}");
        }
    }
}
