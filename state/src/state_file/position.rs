//! The position in the file of a value of an instance.

use upstate::__internal::{Kind, Reader};
use upstate::AttributePath;
use upstate::path::PathStep;

use super::parse::{Attributes, Instance};

impl Instance<'_> {
    /// The byte of the file at which the attribute at `path` begins.
    ///
    /// If the file does not have it, that of the innermost value around it. So is it for elements
    /// of sets, which a path does not tell apart, and for attributes in the flat form of Terraform
    /// 0.11.
    ///
    /// ```
    /// use upstate::AttributePath;
    /// use upstate_state::StateFile;
    ///
    /// let json = r#"{"version": 4, "resources": [{"mode": "managed", "type": "thing", "name": "t", "provider": "provider.x",
    ///     "instances": [{"attributes": {"size": "huge"}}]}]}"#;
    /// let state = StateFile::parse(json.as_bytes())?;
    /// let [instance] = state.instances() else { panic!() };
    /// assert!(json[instance.offset_of(&AttributePath::new().attribute("size"))..].starts_with(r#""huge""#));
    /// assert!(json[instance.offset_of(&AttributePath::new().attribute("colour"))..].starts_with(r#"{"size""#));
    /// # Ok::<(), upstate_state::StateFileError>(())
    /// ```
    pub fn offset_of(&self, path: &AttributePath) -> usize {
        match &self.attributes {
            Attributes::Json(slot) => {
                let text = self.text.get(slot.range.clone()).unwrap_or_default();
                slot.range.start + innermost(text, path.steps())
            }
            Attributes::Flat(slot) => slot.range.start,
            Attributes::Missing { .. } => self.range.start,
        }
    }
}

/// The offset of the innermost value on the path that the JSON has.
fn innermost(json: &str, steps: &[PathStep]) -> usize {
    let mut reader = Reader::new(json);
    let mut at = 0;
    for step in steps {
        if enter(&mut reader, step).is_none() {
            break;
        }
        at = reader.position();
    }
    at
}

/// Moves to the value that a step leads to.
fn enter(reader: &mut Reader<'_>, step: &PathStep) -> Option<()> {
    let kind = reader.peek().ok()?;
    match step {
        PathStep::Attribute(name) if kind == Kind::Object => member(reader, name),
        PathStep::Key(name) if kind == Kind::Object => member(reader, name),
        PathStep::Index(index) if kind == Kind::Array => element(reader, *index),
        PathStep::Attribute(_) | PathStep::Key(_) | PathStep::Index(_) | PathStep::Element(_) => {
            None
        }
    }
}

/// Moves to a member; to the last one, if several have its name.
fn member(reader: &mut Reader<'_>, wanted: &str) -> Option<()> {
    reader.open_object().ok()?;
    let (mut first, mut found) = (true, None);
    while let Some(name) = reader.next_member(first).ok()? {
        first = false;
        reader.peek().ok()?;
        if name == wanted {
            found = Some(reader.mark());
        }
        reader.skip().ok()?;
    }
    reader.rewind(found?);
    Some(())
}

fn element(reader: &mut Reader<'_>, wanted: u64) -> Option<()> {
    reader.open_array().ok()?;
    let mut index = 0;
    while reader.next_element(index == 0).ok()? {
        reader.peek().ok()?;
        if index == wanted {
            return Some(());
        }
        reader.skip().ok()?;
        index += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_value_that_is_there_is_found() {
        let json = r#"{ "a": [ {"b": 1}, {"b": {"c d": true}} ], "x": 1, "x": 2, "flat": "s" }"#;
        let path = |path: AttributePath| &json[innermost(json, path.steps())..];
        let a = || AttributePath::new().attribute("a");
        assert!(path(AttributePath::new()).starts_with("{ \"a\""));
        assert!(path(a()).starts_with("[ {"));
        assert!(path(a().index(1)).starts_with(r#"{"b": {"#));
        assert!(path(a().index(1).attribute("b").key("c d")).starts_with("true"));
        // The file has no such value, so the position is that of the value around it.
        assert!(path(a().index(2)).starts_with("[ {"));
        assert!(path(a().index(0).attribute("z")).starts_with(r#"{"b": 1"#));
        assert!(path(a().step(PathStep::Element(None)).attribute("b")).starts_with("[ {"));
        assert!(
            path(AttributePath::new().attribute("flat").attribute("deeper")).starts_with("\"s\"")
        );
        // The last of several counts, because JSON readers take that one.
        assert!(path(AttributePath::new().attribute("x")).starts_with("2,"));
    }
}
