//! `lock --import`.

use std::path::Path;

use upstate_compat::Release;
use upstate_compat::import::{Definition, released};
use upstate_compat::lock::{Change, Lock};

use super::{Failure, Lock as Args};
use crate::definitions::{self, Contents};
use crate::program::Program;

/// Adds what a file says a release stored: the output of `terraform providers schema -json`, or
/// definitions of custom resources.
pub(super) fn import(
    program: &Program,
    args: &Args,
    path: &Path,
    (lock, release): (&mut Lock, &Release),
) -> Result<Vec<Change>, Failure> {
    let shown = path.display().to_string();
    let bytes = std::fs::read(path)
        .map_err(|error| Failure::unreadable(format!("cannot read {shown}: {error}")))?;
    let refused = |problem: String| Failure::unreadable(format!("{shown}: {problem}"));
    let imported = match definitions_of(&shown, &bytes)? {
        None if !args.types.is_empty() => {
            return Err(Failure::usage(
                "--type is for definitions of custom resources",
            ));
        }
        None => lock.import(&bytes, args.provider.as_deref(), release.clone()),
        Some(_) if args.provider.is_some() => {
            return Err(Failure::usage(
                "--provider is for the schemas of a provider",
            ));
        }
        Some(found) => {
            let mut definitions = Vec::new();
            for definition in found
                .iter()
                .filter(|definition| definitions::is_wanted(definition, &args.types))
            {
                let name = definition
                    .pointer("/metadata/name")
                    .and_then(serde_json::Value::as_str)
                    .unwrap_or("a definition");
                let parsed = Definition::parse(definition);
                definitions.push(
                    parsed.map_err(|why| refused(format!("{}: {why}", name.escape_debug())))?,
                );
            }
            if definitions.is_empty() {
                let wanted: Vec<String> = args
                    .types
                    .iter()
                    .map(|wanted| format!("{wanted:?}"))
                    .collect();
                return Err(Failure::usage(format!(
                    "{shown} has no kind named {}",
                    wanted.join(" or ")
                )));
            }
            lock.import_shapes(
                released(&definitions, program.registry()).map_err(refused)?,
                release.clone(),
            )
        }
    };
    imported.map_err(|error| refused(error.to_string()))
}

/// The definitions of a file; nothing if it is not one of Kubernetes.
fn definitions_of(path: &str, bytes: &[u8]) -> Result<Option<Vec<serde_json::Value>>, Failure> {
    let text = std::str::from_utf8(bytes).ok();
    // Schemas are not parsed twice, because those of a large provider have a hundred megabytes.
    let Some(text) =
        text.filter(|text| text.contains("apiVersion") && !text.contains("\"provider_schemas\""))
    else {
        return Ok(None);
    };
    match definitions::read(path, text).map_err(Failure::unreadable)? {
        Contents::Definitions(found) => Ok(Some(found)),
        Contents::ProviderSchemas => Ok(None),
        Contents::Others => Err(Failure::unreadable(format!(
            "{path} has no CustomResourceDefinition"
        ))),
    }
}
