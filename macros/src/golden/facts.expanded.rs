// 131 lines for 4 members: 32.7 each
#[automatically_derived]
#[doc(hidden)]
#[allow(clippy::question_mark, dead_code, deprecated, long_running_const_eval, unexpected_cfgs, unused_qualifications)]
const _: () = {
    use ::upstate::__private as __upstate;
    static __UPSTATE_FACTS: &[__upstate::Fact] = &[
        __upstate::Fact::stated(__upstate::About::IdFormat, "{name}"),
        __upstate::Fact::stated(__upstate::About::Tier, "preview"),
        __upstate::Fact::group(
            __upstate::GroupKind::ConflictsWith,
            &[&["zone"], &["settings", __upstate::constrained_name::<Facts>(&["settings", "region"], 1)]],
        ),
        __upstate::Fact::allowed("attribute-removed", "gone", "never released", "3.0.0"),
    ];
    fn __upstate_default_1(writer: &mut __upstate::Writer<'_>) {
        <i64 as __upstate::AttributeType>::encode(&__upstate::FieldValue::<i64>::value(3), writer);
    }
    fn __upstate_api_default_1(writer: &mut __upstate::Writer<'_>) {
        <i64 as __upstate::AttributeType>::encode(&__upstate::FieldValue::<i64>::value(3), writer);
    }
    static __UPSTATE_SCHEMA: __upstate::LazySchema = __upstate::LazySchema::new();
    static __UPSTATE_TABLE: __upstate::Table = __upstate::Table {
        rust_name: __upstate::concat!(__upstate::module_path!(), "::Facts"),
        defined_at: __upstate::here(),
        version: 1,
        description: "",
        facts: __upstate::Some(|| __UPSTATE_FACTS),
        rows: &[
            __upstate::Row {
                name: "name",
                key: 14176396743819860870,
                flags: 0,
                description: "",
                info: <String as __upstate::AttributeType>::INFO,
                beside: __upstate::None,
            },
            __upstate::Row {
                name: "retries",
                key: 1034076534777388789,
                flags: 0,
                description: "",
                info: <Option<i64> as __upstate::AttributeType>::INFO,
                beside: __upstate::Some(&__upstate::Beside {
                    default: __upstate::Some(__upstate_default_1),
                    facts: &[__upstate::Fact::api_default(__upstate_api_default_1)],
                    ..__upstate::Beside::NOTHING
                }),
            },
            __upstate::Row {
                name: "settings",
                key: 17176567880082542056,
                flags: 0,
                description: "",
                info: <Option<Settings> as __upstate::AttributeType>::UNCHECKED_INFO,
                beside: __upstate::Some(&__upstate::Beside {
                    facts: &[__upstate::Fact::stated(__upstate::About::RenamedFrom, "options")],
                    ..__upstate::Beside::NOTHING
                }),
            },
            __upstate::Row {
                name: "zone",
                key: 16995169239733411303,
                flags: 0,
                description: "",
                info: <Option<String> as __upstate::AttributeType>::INFO,
                beside: __upstate::Some(&__upstate::Beside {
                    deprecated: __upstate::Some("Use `settings` instead."),
                    facts: &[
                        __upstate::Fact::stated(__upstate::About::ReplacedBy, "settings"),
                        __upstate::Fact::stated(__upstate::About::DeprecatedSince, "2.1.0"),
                    ],
                    ..__upstate::Beside::NOTHING
                }),
            },
        ],
        ..__upstate::Table::stub(&__UPSTATE_SCHEMA)
    };
    const THE_OPTION_HAS_ONE_NULL: () =
        __upstate::check_one_null(<Option<Settings> as __upstate::AttributeType>::HAS_TWO_NULLS, "Settings");
    const THE_FIELD_CAN_BE_AN_ATTRIBUTE: () =
        __upstate::check_attribute(<Option<Settings> as __upstate::AttributeType>::UNCHECKED_INFO);
    impl __upstate::Object for Facts {
        const TABLE: &'static __upstate::Table = &__UPSTATE_TABLE;
        #[inline]
        fn decode(object: &mut __upstate::ObjectReader<'_, '_>) -> __upstate::Option<Self> {
            let __upstate::Some(field_0) = <String as __upstate::AttributeType>::read(object) else {
                return __upstate::None;
            };
            let __upstate::Some(field_1) = <Option<i64> as __upstate::AttributeType>::read(object) else {
                return __upstate::None;
            };
            let __upstate::Some(field_2) = <Option<Settings> as __upstate::AttributeType>::read(object) else {
                return __upstate::None;
            };
            let __upstate::Some(field_3) = <Option<String> as __upstate::AttributeType>::read(object) else {
                return __upstate::None;
            };
            __upstate::Some(Self { name: field_0, retries: field_1, settings: field_2, zone: field_3 })
        }
        #[inline]
        fn encode(&self, object: &mut __upstate::ObjectWriter<'_, '_>) {
            <String as __upstate::AttributeType>::write(&self.name, object);
            <Option<i64> as __upstate::AttributeType>::write(&self.retries, object);
            <Option<Settings> as __upstate::AttributeType>::write(&self.settings, object);
            <Option<String> as __upstate::AttributeType>::write(&self.zone, object);
        }
    }
    impl __upstate::Resource for Facts {
        const TYPE_NAME: &'static str = "facts";
        const VERSION: u64 = 1;
        const UPGRADERS: &'static [__upstate::Upgrader<Self>] = &[];
        const HISTORY: &'static __upstate::History = &__upstate::History::new(
            "Facts",
            ("facts", 17268797415516556004),
            false,
            false,
            1,
            &__UPSTATE_TABLE,
            &__upstate::steps::<Self, 0>(<Self as __upstate::Resource>::UPGRADERS),
        );
        const ROUTES: &'static [u16] = &__upstate::routes::<0>(<Self as __upstate::Resource>::HISTORY);
    }
    impl __upstate::CurrentModel for Facts {
        type Plan = Self;
        type Values = __upstate::TerraformValues;
    }
    const THE_RULE_CAN_BE_WAIVED: () = __upstate::check_rule("attribute-removed");
    const THE_FIELDS_CAN_BE_SET_OR_NOT: () = __upstate::check_constrained::<Facts>("conflicts_with", &["zone"]);
    const THE_FIELD_EXISTS: () = __upstate::check_constrained_name::<Facts>(&["settings", "region"], 1);
    const THE_FIELDS_CAN_BE_SET_OR_NOT_2: () = __upstate::check_constrained::<Facts>("conflicts_with", &["settings", "region"]);
};
