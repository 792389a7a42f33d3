use upstate::Document;
#[allow(unused_imports)]
use upstate::Union;

#[derive(Document)]
#[document(type_name = "ferry.raft", version = 0)]
#[kube(group = "ferry.example.com", version(0 = "v1", storage))]
struct Raft {
    name: String,
}

fn main() {}
