use upstate::Document;

#[derive(Document)]
#[document(type_name = "ferry.boat", version = 0)]
#[kube(group = "ferry.example.com", kind = "Boat", version(0 = "v1", storage), list_type = "set")]
struct Boat {
    #[kube(list_type = "ordered")]
    masts: Vec<String>,
    #[kube(list_type = "map")]
    decks: Vec<Deck>,
    #[kube(list_map_keys("name"))]
    doors: Vec<Deck>,
    #[kube(map_types = "atomic")]
    ports: Vec<String>,
    #[kube(rule("self > 3"), scale(spec = ".spec.length"))]
    length: u8,
    #[kube(rule("self < 3", reason = "no"))]
    width: u8,
    #[kube(rule("", message = "never"), length = 1..=2)]
    depth: u8,
}

#[derive(Document)]
struct Deck {
    name: String,
}

fn main() {}
