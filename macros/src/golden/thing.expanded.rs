// 97 lines for 3 members: 32.3 each
#[automatically_derived]
#[doc(hidden)]
#[allow(clippy::question_mark, dead_code, deprecated, long_running_const_eval, unexpected_cfgs, unused_qualifications)]
const _: () = {
    use ::upstate::__private as __upstate;
    static __UPSTATE_SLOT_2: __upstate::Slot<Vec<Rule>> = <Vec<Rule> as __upstate::BlockType>::SLOT;
    static __UPSTATE_SCHEMA: __upstate::LazySchema = __upstate::LazySchema::new();
    static __UPSTATE_TABLE: __upstate::Table = __upstate::Table {
        rust_name: __upstate::concat!(__upstate::module_path!(), "::Thing"),
        defined_at: __upstate::here(),
        version: 2,
        description: "A thing, as version 2 stores it.",
        rows: &[
            __upstate::Row {
                name: "id",
                key: 628021283683842752,
                flags: __upstate::flags::COMPUTED,
                description: "Assigned by the API.",
                info: <String as __upstate::AttributeType>::INFO,
                beside: __upstate::None,
            },
            __upstate::Row {
                name: "optional_attribute",
                key: 6980817372320331934,
                flags: 0,
                description: "",
                info: <Option<String> as __upstate::AttributeType>::INFO,
                beside: __upstate::None,
            },
            __upstate::Row {
                name: "rules",
                key: 7427086052848915392,
                flags: __upstate::flags::BLOCK,
                description: "",
                info: __UPSTATE_SLOT_2.info,
                beside: __upstate::Some(&__upstate::Beside { items: (0, 2), ..__upstate::Beside::NOTHING }),
            },
        ],
        ..__upstate::Table::stub(&__UPSTATE_SCHEMA)
    };
    impl __upstate::Object for Thing {
        const TABLE: &'static __upstate::Table = &__UPSTATE_TABLE;
        #[inline]
        fn decode(object: &mut __upstate::ObjectReader<'_, '_>) -> __upstate::Option<Self> {
            let __upstate::Some(field_0) = <String as __upstate::AttributeType>::read(object) else {
                return __upstate::None;
            };
            let __upstate::Some(field_1) = <Option<String> as __upstate::AttributeType>::read(object) else {
                return __upstate::None;
            };
            let __upstate::Some(field_2) = __UPSTATE_SLOT_2.read(object) else {
                return __upstate::None;
            };
            __upstate::Some(Self { id: field_0, optional_attribute: field_1, rules: field_2 })
        }
        #[inline]
        fn encode(&self, object: &mut __upstate::ObjectWriter<'_, '_>) {
            <String as __upstate::AttributeType>::write(&self.id, object);
            <Option<String> as __upstate::AttributeType>::write(&self.optional_attribute, object);
            __UPSTATE_SLOT_2.write(&self.rules, object);
        }
    }
    impl __upstate::Resource for Thing {
        const TYPE_NAME: &'static str = "example_thing";
        const VERSION: u64 = 2;
        const UPGRADERS: &'static [__upstate::Upgrader<Self>] = &[
            {
                let _ = <ThingV0 as __upstate::IsModel>::NUMBER;
                let _ = <Thing as __upstate::UpgradeFrom<ThingV0>>::upgrade_from;
                __upstate::Upgrader::<Thing>::convert::<ThingV0>(0)
            },
            __upstate::Upgrader::with(
                1,
                &__upstate::With(|it, cx| __upstate::ModelFunction::<ThingV1, Self, _>::call(upgrade_v1, it, cx)),
            ),
        ];
        const HISTORY: &'static __upstate::History = &__upstate::History::new(
            "Thing",
            ("example_thing", 13877607072236395274),
            true,
            false,
            0,
            &__UPSTATE_TABLE,
            &__upstate::steps::<Self, 2>(<Self as __upstate::Resource>::UPGRADERS),
        );
        const ROUTES: &'static [u16] = &__upstate::routes::<2>(<Self as __upstate::Resource>::HISTORY);
    }
    impl __upstate::CurrentModel for Thing {
        type Plan = Self;
        type Values = __upstate::TerraformValues;
    }
    const THE_MODEL_IS_OF_ITS_VERSION: () = __upstate::check_model_version(<Thing as __upstate::Resource>::HISTORY, 0);
    const THE_MODEL_IS_OF_ITS_VERSION_2: () = __upstate::check_model_version(<Thing as __upstate::Resource>::HISTORY, 1);
    const EARLIER_STATE_CAN_BE_READ: () = {
        __upstate::check_every_version_is_reached(<Thing as __upstate::Resource>::HISTORY);
    };
};
