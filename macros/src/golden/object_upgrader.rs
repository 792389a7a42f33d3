#[derive(Object)]
#[upgrade_from(model = ListenerV0, rename(from_port => port))]
pub struct Listener {
    pub port: u16,
}
