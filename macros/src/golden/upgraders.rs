/// A job, with an upgrader of each kind.
#[derive(Resource)]
#[resource(version = 7, since("1.0.0" => 0, "2.0.0" => 7))]
#[upgrade_from(0, unsupported = "upgrade with release 1.x first")]
#[upgrade_from(1..=2, model = JobV2, carry)]
#[upgrade_from(3, model = JobV3, with = look_up, async)]
#[upgrade_from(4, raw = read)]
#[upgrade_from(5, raw = fetch, async)]
#[upgrade_from(6, model = JobV6, when = has("zone"))]
#[upgrade_from(6, model = OldJobV6, with = convert, when = is_old, downgrade = revert)]
pub struct Job {
    pub id: String,
}
