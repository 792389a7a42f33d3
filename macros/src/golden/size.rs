#[derive(StringEnum)]
pub enum Size {
    Small,
    #[value(name = "xl")]
    ExtraLarge,
}
