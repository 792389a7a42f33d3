//! `adopt`: structs and enums of serde become documents.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args as ClapArgs;
use similar::TextDiff;
use upstate_state::atomic_file::write_public;

use crate::adopt::{Adopted, Root, adopt};
use crate::outcome::Outcome;
use crate::terminal::{self, Failure};

/// Rewrite structs and enums that derive serde's traits as documents
///
/// Changes the derives and the attributes in a file of source: `#[serde(rename = "x")]` becomes
/// `#[attribute(name = "x")]`, an enum derives `Union`. It prints what is left for you, with the
/// lines. Whole programs go on to compile if they keep serde: `--keep-serde` adds the derives, and
/// documents read serde's attributes.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  {program} adopt src/settings.rs --document Settings=app.settings\n  {program} adopt src/settings.rs --document Settings=app.settings --keep-serde\n  {program} adopt src/settings.rs --dry-run"
)]
pub(crate) struct Adopt {
    /// The file of source
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// A struct that is stored by itself, and its type name; may be given several times
    #[arg(long = "document", value_name = "STRUCT=TYPE")]
    documents: Vec<String>,
    /// Keep serde's derives and attributes
    #[arg(long)]
    keep_serde: bool,
    /// Change nothing; print what would change in the source
    #[arg(long)]
    dry_run: bool,
}

impl Adopt {
    pub(crate) fn run(&self) -> Outcome {
        self.adopt().unwrap_or_else(Failure::say)
    }

    fn adopt(&self) -> Result<Outcome, Failure> {
        let roots = self
            .documents
            .iter()
            .map(|given| root(given))
            .collect::<Result<Vec<_>, _>>()?;
        let shown = self.file.display();
        let before = std::fs::read_to_string(&self.file)
            .map_err(|error| Failure::unreadable(format!("cannot read {shown}: {error}")))?;
        let adopted = adopt(&before, &roots, self.keep_serde)
            .map_err(|problem| Failure::refused(format!("{shown}: {problem}")))?;
        let Adopted {
            text,
            changed,
            remains,
        } = adopted;
        if changed.is_empty() {
            return Ok(terminal::printed(writeln!(
                std::io::stdout(),
                "{shown}: no struct or enum derives serde's traits alone"
            )));
        }
        let mut out = std::io::stdout();
        if self.dry_run {
            let diff = TextDiff::from_lines(&before, &text)
                .unified_diff()
                .header(&shown.to_string(), &shown.to_string())
                .to_string();
            let printed = out.write_all(diff.as_bytes());
            return Ok(terminal::printed(
                printed.and_then(|()| report(&mut out, &self.file, &remains)),
            ));
        }
        write_public(&self.file, text.as_bytes())
            .map_err(|error| Failure::unreadable(format!("cannot write {shown}: {error}")))?;
        let printed = writeln!(out, "{shown}: rewrote {}", changed.join(", "));
        Ok(terminal::printed(
            printed.and_then(|()| report(&mut out, &self.file, &remains)),
        ))
    }
}

/// The places that their author has to decide.
fn report(
    out: &mut impl std::io::Write,
    file: &std::path::Path,
    remains: &[(usize, String)],
) -> std::io::Result<()> {
    for (line, what) in remains {
        writeln!(out, "{}:{line}: {what}", file.display())?;
    }
    Ok(())
}

fn root(given: &str) -> Result<Root, Failure> {
    match given.split_once('=') {
        Some((ident, type_name))
            if syn::parse_str::<syn::Ident>(ident).is_ok() && !type_name.is_empty() =>
        {
            Ok(Root {
                ident: ident.to_owned(),
                type_name: type_name.to_owned(),
            })
        }
        Some(_) | None => Err(Failure::usage(format!(
            "{given:?} does not name a struct and its type: write --document Settings=app.settings"
        ))),
    }
}
