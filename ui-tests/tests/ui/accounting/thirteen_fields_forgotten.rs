use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = InstanceV0, carry)]
struct Instance {
    id: String,
    availability_zone: String,
    instance_type: String,
    subnet_id: Option<String>,
    user_data_base64: Option<String>,
    ebs_optimized: bool,
    placement_group: Option<String>,
    key_name: String,
    monitoring: String,
    private_ip: Option<String>,
    source_dest_check: Option<String>,
    tenancy: bool,
    cpu_core_count: Option<String>,
    hibernation: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct InstanceV0 {
    id: String,
}

fn main() {}
