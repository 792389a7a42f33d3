use upstate::Document;

#[derive(Document)]
enum Level {
    Low,
    High(u8),
}

fn main() {}
