#[derive(Object)]
pub struct Rule {
    /// The callers that are let in.
    #[attribute(name = "allow", default = "all")]
    pub allowed: Option<String>,
    #[attribute(set, sensitive)]
    pub addresses: Vec<String>,
}
