/// A wall.
#[derive(Resource)]
#[resource(type_name = "example_wall", version = 0, plan)]
pub struct Wall {
    /// Assigned by the API.
    #[attribute(computed)]
    pub id: String,
    pub name: String,
    #[block(plan)]
    pub rules: Vec<Rule>,
}
