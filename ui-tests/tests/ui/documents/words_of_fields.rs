use upstate::Union;

#[derive(Union)]
enum Theme {
    #[attribute(default)]
    Plain,
    #[attribute(flatten)]
    Custom { accent: String },
    #[attribute(rest)]
    Other { name: String },
    #[attribute(skip_if = String::is_empty)]
    Named(String),
}

fn main() {}
