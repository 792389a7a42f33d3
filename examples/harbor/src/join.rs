//! `provider::harbor::join(…)`: a path from its parts.

use upstate::{AttributePath, Diagnostic, Diagnostics, Resource};
use upstate_provider::Function;

use crate::client::check_path;

/// Joins the parts of a path below the provider's root.
///
/// Refuses parts that lead out of the root. Empty parts and slashes at an end are left out.
#[derive(Debug, Resource)]
#[resource(stateless)]
pub struct Join {
    /// The parts, from the outermost folder to the file.
    pub parts: Vec<String>,
}

impl Function for Join {
    const PARAMETERS: &'static [&'static str] = &["parts"];
    const VARIADIC: bool = true;
    type Output = String;

    fn call(self) -> Result<String, Diagnostics> {
        let mut path = Vec::new();
        for (index, part) in (0..).zip(&self.parts) {
            let part = part.trim_matches('/');
            if part.is_empty() {
                continue;
            }
            if check_path(part).is_err() {
                let detail =
                    format!("The part {part:?} leads out of the provider's root. Leave out `..`.");
                let at = AttributePath::new().attribute("parts").index(index);
                return Err(Diagnostic::error("Invalid Path", detail).at(at).into());
            }
            path.push(part);
        }
        Ok(path.join("/"))
    }
}
