// 100 lines for 1 members: 100.0 each
#[automatically_derived]
#[doc(hidden)]
#[allow(clippy::question_mark, dead_code, deprecated, long_running_const_eval, unexpected_cfgs, unused_qualifications)]
const _: () = {
    use ::upstate::__private as __upstate;
    static __UPSTATE_SCHEMA: __upstate::LazySchema = __upstate::LazySchema::new();
    static __UPSTATE_TABLE: __upstate::Table = __upstate::Table {
        rust_name: __upstate::concat!(__upstate::module_path!(), "::Bucket"),
        defined_at: __upstate::here(),
        version: 0,
        description: "A bucket that other types became.",
        rows: &[__upstate::Row {
            name: "name",
            key: 14176396743819860870,
            flags: 0,
            description: "",
            info: <String as __upstate::AttributeType>::INFO,
            beside: __upstate::None,
        }],
        ..__upstate::Table::stub(&__UPSTATE_SCHEMA)
    };
    impl __upstate::Object for Bucket {
        const TABLE: &'static __upstate::Table = &__UPSTATE_TABLE;
        #[inline]
        fn decode(object: &mut __upstate::ObjectReader<'_, '_>) -> __upstate::Option<Self> {
            let __upstate::Some(field_0) = <String as __upstate::AttributeType>::read(object) else {
                return __upstate::None;
            };
            __upstate::Some(Self { name: field_0 })
        }
        #[inline]
        fn encode(&self, object: &mut __upstate::ObjectWriter<'_, '_>) {
            <String as __upstate::AttributeType>::write(&self.name, object);
        }
    }
    const __UPSTATE_PRIOR_1: &__upstate::Prior = &{
        let _ = <Store as __upstate::IsModel>::NUMBER;
        __upstate::Prior::model::<Store>()
    };
    const __UPSTATE_OPERATORS_1: &__upstate::Operators = &__upstate::Operators {
        productions: &[__upstate::Production {
            target: &["name"],
            stages: &[__upstate::Stage::new(__upstate::Operation::Take(
                &[__upstate::prior_name(__UPSTATE_PRIOR_1.table(), &["label"], 0)],
                __upstate::Existing::Unsaid,
            ))],
        }],
        ..__upstate::Operators::CARRY
    };
    const THE_PRIOR_FIELD_EXISTS: () = __upstate::check_prior_name(__UPSTATE_PRIOR_1.table(), &["label"], 0);
    const THE_VALUE_FITS: () = __upstate::check_production::<Bucket>(__UPSTATE_PRIOR_1.table(), __UPSTATE_OPERATORS_1, 0);
    const EVERY_FIELD_IS_ACCOUNTED_FOR: () = if let __upstate::Some(blamed) = __upstate::find_in_accounting::<Bucket>(
        __UPSTATE_PRIOR_1.table(),
        __UPSTATE_OPERATORS_1,
        &__upstate::Accounts { taken: &[4177085272364376637], named: &[], made: &[14176396743819860870], kept: &[], parts: &[] },
    ) {
        match blamed.operand {
            (2, 0) => __upstate::refuse_operand(&blamed),
            _ => __upstate::refuse_operand(&blamed),
        }
    };
    #[cfg(rust_analyzer)]
    fn __upstate_fields_1(prior: &Store, current: &Bucket) {
        let _ = &prior.label;
        let _ = &current.name;
    }
    impl __upstate::Resource for Bucket {
        const TYPE_NAME: &'static str = "bucket";
        const VERSION: u64 = 0;
        const UPGRADERS: &'static [__upstate::Upgrader<Self>] = &[];
        const HISTORY: &'static __upstate::History = &__upstate::History::new(
            "Bucket",
            ("bucket", 15340625755668058263),
            false,
            false,
            0,
            &__UPSTATE_TABLE,
            &__upstate::steps::<Self, 0>(<Self as __upstate::Resource>::UPGRADERS),
        );
        const ROUTES: &'static [u16] = &__upstate::routes::<0>(<Self as __upstate::Resource>::HISTORY);
        const MOVES: &'static [__upstate::Move<Self>] = &[
            __upstate::Move::new("old_bucket", __upstate::Some("example/old"), {
                let _ = <OldBucketV3 as __upstate::IsModel>::NUMBER;
                let _ = <Bucket as __upstate::UpgradeFrom<OldBucketV3>>::upgrade_from;
                __upstate::Upgrader::<Bucket>::convert::<OldBucketV3>(<OldBucketV3 as __upstate::Resource>::VERSION)
            }),
            __upstate::Move::new(
                "store",
                __upstate::None,
                __upstate::Upgrader::declared(__UPSTATE_PRIOR_1.version(), __UPSTATE_PRIOR_1, __UPSTATE_OPERATORS_1),
            ),
        ];
        const IDENTITY: __upstate::Option<&'static __upstate::ResourceDefinition> =
            __upstate::Some(<BucketIdentity as __upstate::IsIdentity>::AS_IDENTITY);
    }
    impl __upstate::CurrentModel for Bucket {
        type Plan = Self;
        type Values = __upstate::TerraformValues;
    }
};
