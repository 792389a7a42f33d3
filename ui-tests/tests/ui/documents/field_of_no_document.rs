use upstate::Document;

struct Inner;

#[derive(Document)]
struct Settings {
    inner: Inner,
}

fn main() {}
