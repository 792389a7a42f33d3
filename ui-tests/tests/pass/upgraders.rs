//! Every kind of upgrader, where nothing is in scope.

/// A job.
#[derive(::upstate::Resource)]
#[resource(version = 8, since("1.0.0" => 0, "2.0.0" => 8))]
#[upgrade_from(0, unsupported = "upgrade with release 1.x first")]
#[upgrade_from(1..=2, model = prior::JobV2, carry)]
#[upgrade_from(3, model = prior::JobV3, with = prior::look_up, async)]
#[upgrade_from(4, raw = prior::read)]
#[upgrade_from(5, raw = prior::fetch, async)]
#[upgrade_from(6, model = prior::JobV6, rename(name => id), when = has("name"))]
#[upgrade_from(6, model = prior::OtherJobV6, with = prior::convert, when = lacks("name"))]
#[upgrade_from(7 => 8, carry, when = prior::is_whole)]
pub struct Job {
    /// A member.
    pub id: ::std::string::String,
}

mod prior {
    use super::Job;

    #[derive(::upstate::Resource)]
    #[resource(type_name = "job", version = 2, prior)]
    pub(super) struct JobV2 {
        id: ::std::string::String,
    }

    #[derive(::upstate::Resource)]
    #[resource(type_name = "job", version = 3, prior)]
    pub(super) struct JobV3 {
        name: ::std::string::String,
    }

    #[derive(::upstate::Resource)]
    #[resource(type_name = "job", version = 6, prior)]
    pub(super) struct JobV6 {
        name: ::std::string::String,
    }

    #[derive(::upstate::Resource)]
    #[resource(type_name = "job", version = 6, prior)]
    pub(super) struct OtherJobV6 {
        number: ::std::string::String,
    }

    pub(super) async fn look_up(
        prior: JobV3,
        context: &mut ::upstate::UpgradeContext<'_>,
    ) -> ::std::result::Result<Job, &'static str> {
        ::std::future::ready(context.type_name().len()).await;
        ::std::result::Result::Ok(Job { id: prior.name })
    }

    pub(super) fn read(
        raw: ::upstate::RawState<'_>,
        _context: &mut ::upstate::UpgradeContext<'_>,
    ) -> ::std::result::Result<Job, &'static str> {
        match raw {
            ::upstate::RawState::Json(json) => ::std::result::Result::Ok(Job {
                id: ::std::format!("{} bytes", json.len()),
            }),
            _ => ::std::result::Result::Err("there is no JSON"),
        }
    }

    pub(super) async fn fetch(
        raw: ::upstate::RawState<'_>,
        context: &mut ::upstate::UpgradeContext<'_>,
    ) -> ::std::result::Result<Job, &'static str> {
        ::std::future::ready(()).await;
        read(raw, context)
    }

    pub(super) fn convert(
        prior: OtherJobV6,
        _context: &mut ::upstate::UpgradeContext<'_>,
    ) -> ::std::result::Result<Job, ::upstate::Diagnostics> {
        if prior.number.is_empty() {
            return ::std::result::Result::Err(::std::convert::Into::into("there is no number"));
        }
        ::std::result::Result::Ok(Job { id: prior.number })
    }

    pub(super) fn is_whole(raw: ::upstate::RawState<'_>) -> bool {
        ::std::matches!(raw, ::upstate::RawState::Json(_))
    }
}

#[test]
fn each_kind_of_upgrader_leads_up() {
    let id = |version, json| super::upgraded::<Job>(version, json).id;
    ::std::assert_eq!(id(1, r#"{"id": "a"}"#), "a");
    ::std::assert_eq!(id(4, "{}"), "2 bytes");
    ::std::assert_eq!(id(6, r#"{"name": "b"}"#), "b");
    ::std::assert_eq!(id(6, r#"{"number": 7}"#), "7");
    ::std::assert_eq!(id(7, r#"{"id": "c"}"#), "c");
}
