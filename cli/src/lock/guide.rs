//! `guide`.

use std::io::Write as _;

use upstate::Registry;
use upstate::state_file::write_new;

use super::files::compared;
use super::{Failure, Guide as Args, GuideFormat};
use crate::{Outcome, terminal};

pub(super) fn guide(registry: &Registry, args: &Args) -> Result<Outcome, Failure> {
    let compared = compared(registry, &args.place, args.against.as_deref())?;
    let guide = upstate::compat::Guide::new(&compared.report, &compared.notes);
    let text = match args.format {
        GuideFormat::Markdown => guide.to_string(),
        GuideFormat::Json => {
            let json = serde_json::to_string_pretty(&guide).map_err(|error| Failure::unreadable(error.to_string()))?;
            json + "\n"
        }
    };
    if let Some(path) = &args.output {
        let written = write_new(path, text.as_bytes());
        written.map_err(|error| Failure::unreadable(format!("cannot write {}: {error}", path.display())))?;
        return Ok(Outcome::Done);
    }
    Ok(terminal::printed(std::io::stdout().lock().write_all(text.as_bytes())))
}
