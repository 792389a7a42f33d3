use upstate::Object;

#[derive(Object)]
#[serde(deny_unknown_fields)]
struct Rule {
    #[serde(with = "hex")]
    port: u16,
    #[serde(default)]
    limit: u8,
    #[serde(skip)]
    #[attribute(sensitive)]
    note: Option<String>,
}

fn main() {}
