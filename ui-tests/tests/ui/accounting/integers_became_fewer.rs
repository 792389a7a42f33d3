use std::num::NonZeroU8;

use upstate::Document;

#[derive(Document)]
#[document(type_name = "counted", version = 1)]
#[upgrade_from(0 => 1, rename(size: u64 => count))]
struct Counted {
    count: NonZeroU8,
}

#[derive(Document)]
#[document(type_name = "indexed", version = 1)]
#[upgrade_from(0 => 1, rename(at: i64 => index))]
struct Indexed {
    index: usize,
}

#[derive(Document)]
#[document(type_name = "summed", version = 1)]
#[upgrade_from(0 => 1, rename(sum: u128 => total))]
struct Summed {
    total: i128,
}

fn main() {}
