// 77 lines for 1 members: 77.0 each
#[automatically_derived]
#[doc(hidden)]
#[allow(deprecated, long_running_const_eval, unexpected_cfgs, unused_qualifications)]
const _: () = {
    use ::upstate::__private as __upstate;
    const __UPSTATE_SLOTS: (__upstate::Slot<String>,) = (__upstate::Slot::<String>::new("name"),);
    const __UPSTATE_FIELDS: &[__upstate::Field] = &[__UPSTATE_SLOTS.0.field()];
    impl __upstate::Object for Bucket {
        const NAMES: &'static [&'static str] = &["name"];
        const ATTRIBUTES: &'static [__upstate::Attribute] =
            &[__UPSTATE_SLOTS.0.attribute(14176396743819860870, 0, "", __upstate::Option::None)];
        const OBJECT_TYPE: &'static __upstate::Type = &__upstate::Type::object_of(__UPSTATE_FIELDS);
        const RUST_NAME: &'static str = __upstate::concat!(__upstate::module_path!(), "::Bucket");
        const DEFINED_AT: __upstate::DefinedAt = __upstate::here();
        fn decode(object: &mut __upstate::ObjectReader<'_, '_>) -> __upstate::Result<Self, __upstate::DecodeError> {
            __upstate::Result::Ok(Self { name: object.read(&__UPSTATE_SLOTS.0)? })
        }
        fn encode(&self, object: &mut __upstate::ObjectWriter<'_, '_>) {
            object.write(&__UPSTATE_SLOTS.0, &self.name);
        }
    }
    const __UPSTATE_PRIOR_1: __upstate::Prior = __upstate::Prior::model::<Store>();
    const __UPSTATE_OPERATORS_1: &__upstate::Operators = &__upstate::Operators {
        productions: &[__upstate::Production {
            target: &["name"],
            stages: &[__upstate::Stage::new(__upstate::Operation::Take {
                from: &[__upstate::prior_name(&__UPSTATE_PRIOR_1, &["label"], 0)],
                existing: __upstate::Existing::Unsaid,
            })],
        }],
        drops: &[],
        notices: &[],
    };
    const _: () = __upstate::check_prior_name(&__UPSTATE_PRIOR_1, &["label"], 0);
    const _: () = __upstate::check_production::<Bucket>(&__UPSTATE_PRIOR_1, __UPSTATE_OPERATORS_1, 0);
    const _: () = __upstate::check_accounting::<Bucket>(
        &__UPSTATE_PRIOR_1,
        __UPSTATE_OPERATORS_1,
        &__upstate::Accounts { taken: &[4177085272364376637], named: &[], made: &[14176396743819860870], kept: &[], parts: &[] },
    );
    #[cfg(rust_analyzer)]
    fn __upstate_fields_1(prior: &Store, current: &Bucket) {
        let _ = &prior.label;
        let _ = &current.name;
    }
    impl __upstate::Resource for Bucket {
        const TYPE_NAME: &'static str = "bucket";
        const VERSION: u64 = 0;
        const SCHEMA: &'static __upstate::Schema =
            &__upstate::Schema::of::<Self>(0, "A bucket that other types became.", __upstate::Option::None);
        const EDGES: &'static [__upstate::Edge<Self>] = &[];
        const HISTORY: &'static __upstate::History = &__upstate::History::new(
            "Bucket",
            0,
            0,
            <Self as __upstate::Resource>::SCHEMA,
            &__upstate::steps::<Self, 0>(<Self as __upstate::Resource>::EDGES),
        )
        .of_type("bucket", false);
        const ROUTES: &'static [u16] = &__upstate::routes::<0>(<Self as __upstate::Resource>::HISTORY);
        const MOVES: &'static [__upstate::Move<Self>] = &[
            __upstate::Move::new(
                "old_bucket",
                __upstate::Option::Some("example/old"),
                __upstate::Edge::<Bucket>::convert::<OldBucketV3>(<OldBucketV3 as __upstate::Resource>::VERSION),
            ),
            __upstate::Move::new(
                "store",
                __upstate::Option::None,
                __upstate::Edge::declared(__UPSTATE_PRIOR_1.version(), &__UPSTATE_PRIOR_1, __UPSTATE_OPERATORS_1),
            ),
        ];
        const IDENTITY: __upstate::Option<&'static __upstate::ResourceDefinition> =
            __upstate::Option::Some(<BucketIdentity as __upstate::CurrentModel>::AS_IDENTITY);
    }
    impl __upstate::CurrentModel for Bucket {}
};
