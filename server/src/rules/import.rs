//! States that are brought from elsewhere.

/// The facts about a state that decide on the next one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Described {
    /// Its serial.
    pub serial: i64,
    /// Its lineage; empty if it has none.
    pub lineage: String,
    /// MD5 of its bytes, in hexadecimal digits.
    pub md5: String,
}

/// The relation of a state to the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Following {
    /// It comes after it.
    New,
    /// It is equal to it.
    Same,
}

/// True if a state may come after another in a history; `forced` if it was written there without
/// that its serial and lineage were compared.
///
/// # Errors
/// The reason why it may not.
pub fn follows(
    before: Option<&Described>,
    next: &Described,
    forced: bool,
) -> Result<Following, String> {
    let Some(before) = before else {
        return Ok(Following::New);
    };
    if before == next {
        return Ok(Following::Same);
    }
    if forced {
        return Ok(Following::New);
    }
    // Very old states have no lineage, and then there is nothing to compare.
    if !before.lineage.is_empty() && !next.lineage.is_empty() && before.lineage != next.lineage {
        return Err(format!(
            "serial {} has lineage {}, and serial {} before it has lineage {}: these are states of two configurations",
            next.serial, next.lineage, before.serial, before.lineage
        ));
    }
    if before.serial == next.serial {
        return Err(format!(
            "two different states have serial {}, with MD5 {} and {}",
            next.serial, before.md5, next.md5
        ));
    }
    if next.serial < before.serial {
        return Err(format!(
            "serial {} comes after the higher serial {}",
            next.serial, before.serial
        ));
    }
    Ok(Following::New)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(serial: i64, lineage: &str, md5: &str) -> Described {
        Described {
            serial,
            lineage: lineage.to_owned(),
            md5: md5.to_owned(),
        }
    }

    #[test]
    fn a_history_goes_on_with_higher_serials_of_one_lineage() {
        let first = state(4, "l", "a");
        let ok = |next: &Described, forced| follows(Some(&first), next, forced);
        assert_eq!(follows(None, &first, false), Ok(Following::New));
        assert_eq!(ok(&first.clone(), false), Ok(Following::Same));
        assert_eq!(ok(&state(9, "l", "b"), false), Ok(Following::New));
        assert_eq!(ok(&state(5, "", "b"), false), Ok(Following::New));
        for (next, why) in [
            (state(5, "other", "b"), "two configurations"),
            (state(4, "l", "b"), "two different states have serial 4"),
            (
                state(3, "l", "b"),
                "serial 3 comes after the higher serial 4",
            ),
        ] {
            let refused = ok(&next, false).expect_err("refused");
            assert!(refused.contains(why), "{refused}");
            assert_eq!(ok(&next, true), Ok(Following::New));
        }
    }
}
