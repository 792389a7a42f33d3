//! The page of the service in a real browser: the whole journey, races, what is hostile, and who
//! cannot see or use a mouse.
//!
//! `cargo test -p upstate-tests --features browser --test page`.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(
    dead_code,
    reason = "what is shared with other tests has more than is used here"
)]

#[path = "../service/api.rs"]
mod api;
#[path = "../service/bucket.rs"]
mod bucket;
#[path = "../service/folder.rs"]
mod folder;
mod hostile;
mod journey;
#[path = "../real/mod.rs"]
mod real;
mod scene;
#[path = "../service/service.rs"]
mod service;
mod tabs;
