/// A subnet, whose upgrader is a table.
#[derive(Resource)]
#[resource(version = 2)]
#[upgrade_from(1, model = SubnetV1,
    rename(cidr => cidr_block),
    drop(legacy, "the API no longer has it"),
    default(mode = "private"),
    set(region = home()),
    reformat(id, "{network}/{name}" => "networks/{network}/subnets/{name:lower}"),
    nest(zone => placement),
    only_if(is(tier, "gold", null), values(tier, "gold" => 1, _ => null), warn("The tier is a number now.")),
)]
pub struct Subnet {
    pub id: String,
    pub cidr_block: String,
    pub mode: Option<String>,
    #[attribute(name = "location")]
    pub region: Option<String>,
    pub placement: Option<Placement>,
    pub tier: Option<i64>,
}
