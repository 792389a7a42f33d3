//! `github_emu_group_mapping`: an id in another order. Nothing before version 1 is known.

use upstate::Resource;

/// A team whose members an identity provider decides on.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "github_emu_group_mapping", version = 2, oldest = 1)]
#[upgrade_from(1 => 2, reformat(id, "{team}:{_}:{group}" => "{group}:{team}"))]
pub struct EmuGroupMapping {
    #[attribute(computed)]
    pub id: String,
    pub group_id: Option<i64>,
    pub team_slug: Option<String>,
}
