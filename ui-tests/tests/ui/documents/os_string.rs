use std::ffi::OsString;

use upstate::Document;

#[derive(Document)]
struct Settings {
    program: OsString,
}

fn main() {}
