use upstate::Union;

#[derive(Union)]
#[serde(untagged)]
enum Size {
    Pair(u8, u8),
    List(Vec<u8>),
}

fn main() {}
