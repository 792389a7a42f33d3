#[derive(Object)]
pub struct Rule {
    /// Who may come in.
    #[attribute(name = "allow", default = "all")]
    pub allowed: Option<String>,
    #[attribute(set, sensitive)]
    pub addresses: Vec<String>,
}
