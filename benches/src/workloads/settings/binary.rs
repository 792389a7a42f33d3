//! The files of a program by revision, which itself writes only those of its current version.

use serde_json::{Map, Value, json};

use super::revision::{self, Theme};

/// The members of all versions in the order of the struct, in which the geometry is another struct.
const ORDER: [&str; 12] = [
    "title",
    "windowTitle",
    "geometry",
    "windowWidth",
    "isMaximized",
    "theme",
    "ports",
    "lastOpen",
    "lastOpened",
    "retries",
    "legacy",
    "zoom",
];

pub(super) fn file(version: u64, members: &Map<String, Value>) -> Vec<u8> {
    let mut out = Vec::new();
    write_number(version + 1, &mut out);
    for name in ORDER {
        match (name, members.get(name)) {
            // Its revision: a struct inside of another one has one, too.
            ("geometry", _) => write_number(1, &mut out),
            ("theme", Some(theme)) => write_theme(version, theme, &mut out),
            (_, Some(member)) => write(member, &mut out),
            (_, None) => {}
        }
    }
    out
}

/// The enum has revisions of its own, in each of which its variants are numbered.
fn write_theme(version: u64, theme: &Value, out: &mut Vec<u8>) {
    let (revision, custom) = if version < 2 { (1, 2) } else { (2, 1) };
    write_number(revision, out);
    if theme["kind"] == "sepia" {
        write_number(1, out);
        return;
    }
    write_number(custom, out);
    let members = theme.as_object().into_iter().flatten();
    for (_, member) in members.filter(|(name, _)| *name != "kind") {
        write(member, out);
    }
}

fn write(member: &Value, out: &mut Vec<u8>) {
    match member {
        Value::Null | Value::Array(_) => unreachable!("the settings have none"),
        Value::Bool(flag) => out.push(u8::from(*flag)),
        Value::Number(number) => match number.as_u64() {
            Some(whole) => write_number(whole, out),
            None => out.extend(number.as_f64().unwrap_or_default().to_le_bytes()),
        },
        Value::String(text) => write_text(text, out),
        Value::Object(ports) => {
            write_number(ports.len() as u64, out);
            for (port, name) in ports {
                write_number(port.parse().expect("a port is a number"), out);
                write(name, out);
            }
        }
    }
}

fn write_text(text: &str, out: &mut Vec<u8>) {
    write_number(text.len() as u64, out);
    out.extend(text.bytes());
}

/// One byte, or 251 before a number of two bytes.
fn write_number(number: u64, out: &mut Vec<u8>) {
    match u16::try_from(number).expect("the settings have small numbers") {
        small @ 0..=250 => out.push(small.to_le_bytes()[0]),
        large @ 251.. => {
            out.push(251);
            out.extend(large.to_le_bytes());
        }
    }
}

pub(super) fn content(file: &[u8]) -> Value {
    let settings = revision::open(file).expect("the file is of the current version");
    let theme = match &settings.theme {
        Theme::Plain => json!({ "kind": "plain" }),
        Theme::Custom {
            accent_colour,
            opacity,
        } => json!({ "kind": "custom", "accentColour": accent_colour, "opacity": opacity }),
        Theme::Named { name } => json!({ "kind": "named", "name": name }),
    };
    json!({
        "windowTitle": settings.window_title,
        "windowWidth": settings.geometry.window_width,
        "isMaximized": settings.geometry.is_maximized,
        "theme": theme,
        "ports": settings.ports,
        "lastOpened": settings.last_opened,
        "retries": settings.retries,
    })
}
