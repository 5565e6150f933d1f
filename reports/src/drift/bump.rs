//! Which part of a version number a change asks for.

use surface::policy::{Judged, Judgement};
use surface::{Area, Change, Severity};

/// A part of a version number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bump {
    /// Words and metadata only.
    Patch,
    /// More than before, or what nobody can decide.
    Minor,
    /// Something that worked works no more.
    Major,
}

impl Bump {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Patch => "patch",
            Self::Minor => "minor",
            Self::Major => "major",
        }
    }

    /// What `change` asks for.
    pub fn of(change: &Change) -> Self {
        match (change.severity, change.rule.area) {
            (Severity::Breaking, _) => Self::Major,
            (Severity::None, _) | (_, Area::Text | Area::Gate) => Self::Patch,
            (Severity::Compatible, Area::Hints) => Self::Patch,
            (Severity::Risky | Severity::Compatible, _) => Self::Minor,
        }
    }

    /// What all changes ask for, accepted ones included, since they are in the next version too; none when nothing changed that has an effect.
    pub fn of_all(judgement: &Judgement) -> Option<Self> {
        let of_surface = |judged: &&Judged| {
            judged.change.rule.area != Area::Gate && judged.change.severity > Severity::None
        };
        judgement.judged.iter().filter(of_surface).map(|judged| Self::of(&judged.change)).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drift::samples::{ADDED, DESCRIPTION, HINT, REQUIRED, mild};

    #[test]
    fn breaks_are_major_and_words_are_patches() {
        let of = |rule, severity| Bump::of(&Change::of(rule, "/tools/a", "x").as_bad_as(severity));
        assert_eq!(of(&REQUIRED, Severity::Breaking), Bump::Major);
        assert_eq!(of(&DESCRIPTION, Severity::Breaking), Bump::Major);
        assert_eq!(of(&REQUIRED, Severity::Risky), Bump::Minor);
        assert_eq!(of(&ADDED, Severity::Compatible), Bump::Minor);
        assert_eq!(of(&ADDED, Severity::None), Bump::Patch);
        assert_eq!(of(&DESCRIPTION, Severity::Risky), Bump::Patch);
        assert_eq!(of(&HINT, Severity::Risky), Bump::Minor);
        assert_eq!(of(&HINT, Severity::Compatible), Bump::Patch);
    }

    #[test]
    fn what_has_no_effect_asks_for_no_version() {
        let (mut judgement, _) = mild();
        assert_eq!(Bump::of_all(&judgement), Some(Bump::Minor));
        judgement.judged.retain(|judged| judged.change.severity == Severity::None);
        assert_eq!((judgement.judged.len(), Bump::of_all(&judgement)), (1, None));
    }
}
