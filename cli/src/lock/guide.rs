//! `guide`.

use std::io::Write as _;

use serde::Serialize;
use upstate_state::atomic_file::write_public;

use super::files::compared;
use super::{Failure, Guide as Args, GuideFormat};
use crate::outcome::Outcome;
use crate::program::Program;
use crate::terminal;

/// The guide for programs. `guide.schema.json` beside this module describes it.
#[derive(Serialize)]
struct Twin {
    format: u32,
    #[serde(flatten)]
    guide: upstate_compat::Guide,
}

pub(super) fn guide(program: &Program, args: &Args) -> Result<Outcome, Failure> {
    let compared = compared(program, &args.place, args.against.as_deref())?;
    let notes = [compared.notes.as_slice(), compared.coming.as_slice()].concat();
    let guide = upstate_compat::Guide::new(&compared.report, &notes);
    for note in upstate_compat::Guide::unused(&compared.report, &compared.notes) {
        let about = [
            note.fingerprint.as_deref(),
            note.path.as_deref(),
            note.rule.as_deref(),
        ];
        let about = about.into_iter().flatten().collect::<Vec<_>>().join(" ");
        terminal::warn(&format!("a note is about nothing that changed: {about}"));
    }
    let text = match args.format {
        GuideFormat::Markdown => terminal::visible_markdown(&guide.to_string()),
        GuideFormat::Changelog => upstate_compat::Guide::changelog(&compared.report),
        GuideFormat::Json => {
            let json = serde_json::to_string_pretty(&Twin { format: 1, guide })
                .map_err(|error| Failure::unreadable(error.to_string()))?;
            json + "\n"
        }
    };
    if let Some(path) = &args.output {
        let written = write_public(path, text.as_bytes());
        written.map_err(|error| {
            Failure::unreadable(format!("cannot write {}: {error}", path.display()))
        })?;
        return Ok(Outcome::Done);
    }
    Ok(terminal::printed(
        std::io::stdout().lock().write_all(text.as_bytes()),
    ))
}
