use std::time::Instant;

use upstate::Document;

#[derive(Document)]
struct Settings {
    started: Instant,
}

fn main() {}
