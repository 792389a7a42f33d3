use upstate::Document;

#[derive(Document)]
#[document(type_name = "ferry.boat", version = 0, plural = "boats", status = BoatStatus)]
#[kube(group = "ferry.example.com", kind = "Boat", version(0 = "v1", storage))]
struct Boat {
    name: String,
}

#[derive(Document)]
#[document(type_name = "ferry.boat_status", version = 0)]
struct BoatStatus {
    is_afloat: bool,
}

fn main() {}
