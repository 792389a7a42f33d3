use upstate::Document;

#[derive(Document)]
#[document(group = "ferry.example.com", version = "v1", kind = "Boat", plural = "boats", status = BoatStatus, printcolumn = "{}")]
struct BoatSpec {
    name: String,
}

fn main() {}
