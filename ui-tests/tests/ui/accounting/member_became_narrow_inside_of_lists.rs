use upstate::Document;

#[derive(Document)]
#[document(type_name = "yard", version = 1)]
#[upgrade_from(0 => 1, model = YardV0, carry)]
struct Yard {
    piles: Vec<Vec<Pile>>,
    rows: Vec<Vec<Bin>>,
}

#[derive(Document)]
#[document(type_name = "yard", version = 0, prior)]
struct YardV0 {
    piles: Vec<Vec<PileV0>>,
    rows: Vec<Vec<BinV0>>,
}

#[derive(Document)]
struct Pile {
    height: u16,
}

#[derive(Document)]
struct PileV0 {
    height: u8,
}

#[derive(Document)]
struct Bin {
    depth: u8,
}

#[derive(Document)]
struct BinV0 {
    depth: u16,
}

fn main() {}
