use upstate::Document;

#[derive(Document)]
struct Settings {
    #[attribute(with(minutes))]
    length: i64,
}

fn main() {}

mod minutes {
    pub(super) fn read(stored: String) -> Result<i64, std::num::ParseIntError> {
        stored.parse()
    }

    pub(super) fn write(length: &i64) -> String {
        length.to_string()
    }
}
