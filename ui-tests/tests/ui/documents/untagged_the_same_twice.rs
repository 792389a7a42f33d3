use upstate::Union;

#[derive(Union)]
#[serde(untagged)]
enum Size {
    Small(u8),
    Large(u64),
    Again(u64),
}

fn main() {}
