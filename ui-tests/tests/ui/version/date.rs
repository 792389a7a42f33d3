use upstate::Document;

#[derive(Document)]
#[document(version = 20210313084850)]
struct Thing {
    id: String,
}

fn main() {}
