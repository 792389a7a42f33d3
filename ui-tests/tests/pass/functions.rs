//! Functions of authors, where nothing is in scope: those that cannot fail and those that only ask the context, too.

/// A disk.
#[derive(::upstate::Resource)]
#[resource(version = 3, oldest = 1, migrate_state = own::migrated)]
#[upgrade_from(1, raw = own::read)]
#[upgrade_from(2, model = own::DiskV2, with = own::asked, downgrade = own::back)]
pub struct Disk {
    /// Attributes.
    #[attribute(validate = own::checked)]
    pub name: ::std::string::String,
    /// Other attributes.
    #[attribute(with = own::digits)]
    pub size: ::std::collections::BTreeSet<u8>,
    /// More attributes.
    #[attribute(with = own::text)]
    pub label: ::std::string::String,
    /// A check of what a `String` is borrowed as.
    #[attribute(validate = own::short)]
    pub zone: ::std::option::Option<::std::string::String>,
    /// A check of what a `Vec` is borrowed as.
    #[attribute(validate = own::few)]
    pub ports: ::std::option::Option<::std::vec::Vec<u16>>,
}

mod own {
    use super::Disk;

    type Flat = ::std::collections::BTreeMap<::std::string::String, ::std::string::String>;

    #[derive(::upstate::Resource)]
    #[resource(type_name = "disk", version = 2, prior)]
    pub(super) struct DiskV2 {
        pub(super) name: ::std::string::String,
    }

    pub(super) fn set(bytes: &[u8]) -> ::std::collections::BTreeSet<u8> {
        ::std::iter::Iterator::collect(::std::iter::Iterator::copied(bytes.iter()))
    }

    pub(super) fn migrated(
        _version: u64,
        state: Flat,
        _context: &::upstate::UpgradeContext<'_>,
    ) -> Flat {
        state
    }

    pub(super) fn read(
        raw: ::upstate::RawState<'_>,
        context: &::upstate::UpgradeContext<'_>,
    ) -> Disk {
        let name = match raw {
            ::upstate::RawState::Flatmap(map) => {
                ::std::format!("{} of {}", map.len(), context.type_name())
            }
            _ => ::std::string::String::new(),
        };
        Disk {
            name,
            size: ::std::collections::BTreeSet::new(),
            label: ::std::string::String::new(),
            zone: ::std::option::Option::None,
            ports: ::std::option::Option::None,
        }
    }

    pub(super) fn asked(prior: DiskV2, _context: &::upstate::UpgradeContext<'_>) -> Disk {
        Disk {
            name: prior.name,
            size: set(&[4]),
            label: ::std::string::String::new(),
            zone: ::std::option::Option::None,
            ports: ::std::option::Option::None,
        }
    }

    pub(super) fn back(current: Disk) -> DiskV2 {
        DiskV2 { name: current.name }
    }

    pub(super) fn checked<T: ::std::string::ToString>(
        value: &T,
    ) -> ::std::result::Result<(), &'static str> {
        if value.to_string().is_empty() {
            ::std::result::Result::Err("it is empty")
        } else {
            ::std::result::Result::Ok(())
        }
    }

    pub(super) fn short(zone: &str) -> ::std::result::Result<(), ::std::string::String> {
        if zone.len() < 3 {
            ::std::result::Result::Ok(())
        } else {
            ::std::result::Result::Err(::std::format!("{zone} is long"))
        }
    }

    pub(super) fn few(ports: &[u16]) -> ::std::result::Result<(), &'static str> {
        if ports.len() < 3 {
            ::std::result::Result::Ok(())
        } else {
            ::std::result::Result::Err("these are many")
        }
    }

    pub(super) mod digits {
        use ::std::iter::{IntoIterator as _, Iterator as _};

        pub(in super::super) fn read(
            stored: ::std::string::String,
        ) -> ::std::collections::BTreeSet<u8> {
            stored.into_bytes().into_iter().collect()
        }

        pub(in super::super) fn write(
            size: &::std::collections::BTreeSet<u8>,
        ) -> ::std::string::String {
            size.iter()
                .map(|&byte| <::std::primitive::char as ::std::convert::From<u8>>::from(byte))
                .collect()
        }
    }

    /// Functions of any type.
    pub(super) mod text {
        pub(in super::super) fn read<T: ::std::convert::TryFrom<::std::string::String>>(
            stored: ::std::string::String,
        ) -> ::std::result::Result<T, T::Error> {
            T::try_from(stored)
        }

        pub(in super::super) fn write<T: ::std::string::ToString>(
            value: &T,
        ) -> ::std::string::String {
            ::std::string::ToString::to_string(value)
        }
    }
}

#[test]
fn functions_that_cannot_fail_are_called() {
    let read = |version, json| {
        let disk = super::upgraded::<Disk>(version, json);
        (disk.name, disk.size, disk.label)
    };
    let text = <::std::string::String as ::std::convert::From<&str>>::from;
    ::std::assert_eq!(
        read(3, r#"{"name": "a", "size": "7", "label": "b"}"#),
        (text("a"), own::set(b"7"), text("b"))
    );
    ::std::assert_eq!(
        read(2, r#"{"name": "a"}"#),
        (text("a"), own::set(&[4]), text(""))
    );
    ::std::assert_eq!(
        read(1, "{}"),
        (text(""), ::std::collections::BTreeSet::new(), text(""))
    );
}
