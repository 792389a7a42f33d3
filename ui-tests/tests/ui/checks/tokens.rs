use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "example_sign")]
struct Sign {
    #[attribute(length = 1..5)]
    half_open: String,
    #[attribute(length = 5..=1)]
    reversed: String,
    #[attribute(length = -1..)]
    negative: String,
    #[attribute(length = 8)]
    number: String,
    #[attribute(range = ..)]
    unlimited: i64,
    #[attribute(range = MIN..)]
    constant: i64,
    #[attribute(pattern = "[a-z")]
    pattern: String,
    #[attribute(one_of("a", 1))]
    mixed: String,
    #[attribute(one_of("a", "b", "a"))]
    twice: String,
    #[attribute(one_of())]
    empty: String,
    #[attribute(one_of = "a")]
    equals: String,
    #[attribute(computed, length = 1..)]
    computed: String,
    #[attribute(as_string, validate = even)]
    text: std::net::Ipv4Addr,
    #[attribute(validate = "even")]
    quoted: i64,
}

const MIN: i64 = 1;

fn even(_: &i64) -> Result<(), String> {
    Ok(())
}

fn main() {}
