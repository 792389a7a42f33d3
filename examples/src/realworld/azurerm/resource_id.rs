//! Resource ids: fixed segments and names in turn, the fixed ones compared without regard to letter case.

use upstate::Diagnostic;

use crate::realworld::blocks::path;

/// The fixed segments of `id` in the letter case of `form`, whose `{}` segments stand for names, which keep theirs.
pub(super) fn canonical_id(id: &str, form: &str) -> Result<String, Diagnostic> {
    let segments: Vec<&str> = id.split('/').collect();
    let wanted: Vec<&str> = form.split('/').collect();
    if segments.len() != wanted.len() {
        return Err(unparsable(id, form));
    }
    let canonical: Option<Vec<&str>> = segments
        .into_iter()
        .zip(wanted)
        .map(|(segment, wanted)| match wanted {
            "{}" => (!segment.is_empty()).then_some(segment),
            fixed => segment.eq_ignore_ascii_case(fixed).then_some(fixed),
        })
        .collect();
    Ok(canonical.ok_or_else(|| unparsable(id, form))?.join("/"))
}

fn unparsable(id: &str, form: &str) -> Diagnostic {
    Diagnostic::error("Unreadable Resource ID", format!("Expected an id of the form {form}, found {id:?}.")).at(path("id"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: &str = "/subscriptions/{}/resourceGroups/{}";

    #[test]
    fn fixed_segments_change_case_and_names_do_not() {
        assert_eq!(canonical_id("/Subscriptions/S1/resourcegroups/g", FORM).unwrap(), "/subscriptions/S1/resourceGroups/g");
    }

    #[test]
    fn other_ids_are_refused() {
        for id in ["", "/subscriptions/s", "/subscriptions//resourceGroups/g", "/subscriptions/s/vaults/g"] {
            assert_eq!(canonical_id(id, FORM).unwrap_err().path(), Some(&path("id")), "{id:?}");
        }
    }
}
