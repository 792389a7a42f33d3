use upstate::{Document, Union};

#[derive(Document)]
struct Key {
    #[attribute(sensitive)]
    text: String,
}

/// One of two structs that hold each other does not have the other's sensitive field.
#[derive(Document)]
struct Folder {
    name: String,
    #[attribute(recursive)]
    locks: Vec<Lock>,
}

#[derive(Document)]
struct Lock {
    key: Key,
    folder: Option<Box<Folder>>,
}

/// The sensitive field is one deeper.
#[derive(Document)]
struct Tree {
    key: Key,
    children: Vec<Tree>,
}

#[derive(Document)]
struct Chain(Vec<(Key, Chain)>);

#[derive(Union)]
enum Path {
    End,
    Step(Key, Box<Path>),
    Fork(Vec<(Path, Key)>),
}

#[derive(Document)]
struct Seven(u8, u8, u8, u8, u8, u8, Key);

fn main() {}
