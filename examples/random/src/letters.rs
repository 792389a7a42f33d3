//! Random letters for a string or a password, and what their configurations have in common.

use rand::seq::{IndexedRandom as _, SliceRandom as _};
use upstate::{AttributePath, Diagnostic, Diagnostics, Object, Value};
use upstate_provider::{Change, Planned, ResourceConfig};

const SPECIAL: &str = "!@#$%&*()-_=+[]{}<>:?";

/// The letters that are asked for.
pub(crate) struct Letters<'a> {
    pub(crate) length: i64,
    /// Kinds of letters: whether any of them may come, how many must, and the letters.
    pub(crate) kinds: [(bool, i64, &'a str); 4],
}

/// The letters that the fields of a model ask for.
macro_rules! letters {
    ($model:expr) => {
        $crate::letters::Letters {
            length: $model.length,
            kinds: [
                ($model.upper, $model.min_upper, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
                ($model.lower, $model.min_lower, "abcdefghijklmnopqrstuvwxyz"),
                (
                    $model.numeric.unwrap_or(true),
                    $model.min_numeric,
                    "0123456789",
                ),
                (
                    $model.special,
                    $model.min_special,
                    $crate::letters::special($model.override_special.as_deref()),
                ),
            ],
        }
    };
}
pub(crate) use letters;

/// The special letters, unless the user has others.
pub(crate) fn special(override_special: Option<&str>) -> &str {
    override_special
        .filter(|letters| !letters.is_empty())
        .unwrap_or(SPECIAL)
}

impl Letters<'_> {
    /// Draws them: of each kind as many as must come, then any, in any order.
    pub(crate) fn draw(&self) -> Result<String, Diagnostics> {
        let mut random = rand::rng();
        let mut drawn: Vec<char> = Vec::new();
        for (_, least, letters) in self.kinds {
            let letters: Vec<char> = letters.chars().collect();
            drawn.extend((0..least).filter_map(|_| letters.choose(&mut random)));
        }
        let all: Vec<char> = self
            .kinds
            .iter()
            .filter(|(may, ..)| *may)
            .flat_map(|(.., letters)| letters.chars())
            .collect();
        if all.is_empty() {
            return Err(
                "No letter may come. Set one of `upper`, `lower`, `numeric` and `special` to true."
                    .into(),
            );
        }
        let left = usize::try_from(self.length)
            .ok()
            .and_then(|length| length.checked_sub(drawn.len()));
        let Some(left) = left else {
            return Err(too_short(self.length));
        };
        drawn.extend((0..left).filter_map(|_| all.choose(&mut random)));
        drawn.shuffle(&mut random);
        Ok(drawn.into_iter().collect())
    }
}

fn too_short(length: i64) -> Diagnostics {
    let detail = format!(
        "{length} is less than the letters that must come: `min_upper` + `min_lower` + `min_numeric` + `min_special`."
    );
    Diagnostic::error("Invalid Length", detail)
        .at(AttributePath::from("length"))
        .into()
}

/// Refuses a length that is too short, and a configuration that allows no letter.
/// `numbers` are the attributes that allow digits.
pub(crate) fn validate<T: Object>(
    config: &ResourceConfig<T>,
    numbers: &[&str],
) -> Result<(), Diagnostics> {
    let number = |attribute: &str| {
        config
            .get(attribute)
            .as_number()
            .and_then(upstate::Number::as_i64)
    };
    let least = ["min_upper", "min_lower", "min_numeric", "min_special"];
    // A value that is not known yet may still be small enough.
    let known: i64 = least
        .into_iter()
        .filter_map(number)
        .fold(0, i64::saturating_add);
    if let Some(length) = number("length")
        && length < known
    {
        return Err(too_short(length));
    }
    let never = |attribute: &str| config.get(attribute) == &Value::Bool(false);
    let without_digits = numbers.iter().copied().find(|attribute| never(attribute));
    if let Some(attribute) = without_digits
        && ["upper", "lower", "special"].into_iter().all(never)
    {
        let detail = format!("At least one of upper, lower, special and {attribute} must be true.");
        return Err(Diagnostic::error("Invalid Attribute Combination", detail)
            .at(AttributePath::from(attribute))
            .into());
    }
    Ok(())
}

/// `number` is the former name of `numeric`: the one is what the other is, and true where both are missing.
pub(crate) fn plan<T: Object>(plan: &mut Planned<T>) -> Result<(), Diagnostics> {
    if plan.change() == Change::Delete {
        return Ok(());
    }
    let (number, numeric) = (
        plan.config().get("number").clone(),
        plan.config().get("numeric").clone(),
    );
    if let (Value::Bool(number), Value::Bool(numeric)) = (&number, &numeric)
        && number != numeric
    {
        let detail =
            "number and numeric have different values. Leave out `number`, which is deprecated.";
        return Err(Diagnostic::error("Invalid Attribute Combination", detail)
            .at(AttributePath::from("number"))
            .into());
    }
    match (number, numeric) {
        (Value::Null, Value::Null) => {
            plan.set("number", true);
            plan.set("numeric", true);
        }
        (Value::Null, numeric) => plan.set("number", numeric),
        (number, Value::Null) => plan.set("numeric", number),
        _ => {}
    }
    Ok(())
}

/// True if other special letters are more than none at all.
pub(crate) fn other_special(prior: Option<&str>, planned: Option<&str>) -> bool {
    !(planned.is_none() && prior == Some(""))
}
