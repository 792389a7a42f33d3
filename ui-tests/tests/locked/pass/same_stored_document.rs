//! In which struct a member is declared is not stored, nor is a member that a default fills in where it is not there.

use upstate::Document;

#[derive(Document)]
struct Place {
    x: i32,
}

#[derive(Document)]
struct Width {
    width: u32,
}

#[derive(Document)]
#[document(type_name = "locked_window", version = 0)]
struct Window {
    #[attribute(flatten)]
    size: Width,
    #[attribute(default = 7)]
    height: u32,
    #[attribute(default)]
    tags: Vec<String>,
    #[attribute(flatten)]
    place: Option<Place>,
    title: String,
}

/// What this version says of the one before is true of flattened members as well.
#[derive(Document)]
#[document(type_name = "locked_window", version = 1)]
#[upgrade_from(0 => 1, rename(title => name), drop(height: u32, "windows grow"))]
struct Renamed {
    name: String,
    #[attribute(flatten)]
    size: Width,
}

/// A member that was flattened becomes a field of its own.
#[derive(Document)]
#[document(type_name = "locked_window", version = 1)]
#[upgrade_from(0 => 1, rename(width => breadth))]
struct Own {
    title: String,
    breadth: u32,
    height: u32,
}
