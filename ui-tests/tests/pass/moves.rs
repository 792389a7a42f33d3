//! Moves and identities, where nothing is in scope.

/// A bucket.
#[derive(::upstate::Resource)]
#[resource(version = 0, identity = BucketIdentity)]
#[move_from(type_name = "old_bucket", provider = "example/old", model = prior::OldBucket)]
#[move_from(type_name = "store", model = prior::Store, rename(label => name), when = has("label"))]
#[move_from(type_name = "shop", model = prior::Shop, with = prior::look_up, async)]
pub struct Bucket {
    /// A member.
    pub name: ::std::string::String,
}

/// What tells buckets apart.
#[derive(::upstate::Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = prior::BucketIdentityV0, rename(id => name))]
pub struct BucketIdentity {
    /// A member.
    pub name: ::std::string::String,
}

mod prior {
    #[derive(::upstate::Resource)]
    #[resource(version = 3, prior)]
    pub(super) struct OldBucket {
        name: ::std::string::String,
    }

    impl ::std::convert::From<OldBucket> for super::Bucket {
        fn from(prior: OldBucket) -> Self {
            Self { name: prior.name }
        }
    }

    #[derive(::upstate::Resource)]
    #[resource(version = 1, prior)]
    pub(super) struct Store {
        label: ::std::string::String,
    }

    #[derive(::upstate::Resource)]
    #[resource(version = 2, prior)]
    pub(super) struct Shop {
        name: ::std::string::String,
    }

    pub(super) async fn look_up(
        prior: Shop,
        _context: &mut ::upstate::UpgradeContext<'_>,
    ) -> ::std::result::Result<super::Bucket, &'static str> {
        ::std::result::Result::Ok(super::Bucket {
            name: ::std::future::ready(prior.name).await,
        })
    }

    #[derive(::upstate::Resource)]
    #[resource(type_name = "bucket_identity", version = 0)]
    pub(super) struct BucketIdentityV0 {
        id: ::std::string::String,
    }
}

#[test]
fn identities_have_versions_of_their_own() {
    ::std::assert_eq!(
        super::upgraded::<BucketIdentity>(0, r#"{"id": "a"}"#).name,
        "a"
    );
    ::std::assert!(<Bucket as ::upstate::Resource>::IDENTITY.is_some());
}
