#[derive(Resource)]
#[resource(version = 1, oldest = 1, conflicts_with(zone, settings.region), id_format = "{name}", tier = preview)]
#[resource(allow("attribute-removed", path = "gone", reason = "never released", until = "3.0.0"))]
pub struct Facts {
    pub name: String,
    #[attribute(deprecated("Use `settings` instead.", replaced_by = "settings", since = "2.1.0"))]
    pub zone: Option<String>,
    #[attribute(renamed_from = "options")]
    pub settings: Option<Settings>,
    #[attribute(default = 3, api_default = 3)]
    pub retries: Option<i64>,
}
