/// A thing, as version 2 stores it.
#[derive(Resource)]
#[resource(type_name = "example_thing", version = 2)]
#[upgrade_from(0, model = ThingV0)]
#[upgrade_from(1, model = ThingV1, with = upgrade_v1)]
pub struct Thing {
    /// Assigned by the API.
    #[attribute(computed)]
    pub id: String,
    pub optional_attribute: Option<String>,
    #[block(max = 2)]
    pub rules: Vec<Rule>,
}
