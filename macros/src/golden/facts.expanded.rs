// 105 lines for 4 members: 26.2 each
#[automatically_derived]
#[doc(hidden)]
#[allow(deprecated, long_running_const_eval, unexpected_cfgs, unused_qualifications)]
const _: () = {
    use ::upstate::__private as __upstate;
    fn __upstate_default_1(writer: &mut __upstate::Writer<'_>) {
        __upstate::write_default::<i64>(3, writer);
    }
    fn __upstate_api_default_1(writer: &mut __upstate::Writer<'_>) {
        __upstate::write_default::<i64>(3, writer);
    }
    const __UPSTATE_SLOTS: (
        __upstate::Slot<String>,
        __upstate::Slot<Option<i64>>,
        __upstate::Slot<Option<Settings>>,
        __upstate::Slot<Option<String>>,
    ) = (
        __upstate::Slot::<String>::new("name"),
        __upstate::Slot::<Option<i64>>::new("retries"),
        __upstate::Slot::<Option<Settings>>::new("settings"),
        __upstate::Slot::<Option<String>>::new("zone"),
    );
    const __UPSTATE_FIELDS: &[__upstate::Field] =
        &[__UPSTATE_SLOTS.0.field(), __UPSTATE_SLOTS.1.field(), __UPSTATE_SLOTS.2.field(), __UPSTATE_SLOTS.3.field()];
    impl __upstate::Object for Facts {
        const NAMES: &'static [&'static str] = &["name", "retries", "settings", "zone"];
        const ATTRIBUTES: &'static [__upstate::Attribute] = &[
            __UPSTATE_SLOTS.0.attribute(14176396743819860870, 0, "", __upstate::Option::None),
            __UPSTATE_SLOTS
                .1
                .attribute_with_default(
                    1034076534777388789,
                    0,
                    "",
                    __upstate::Option::None,
                    __upstate::Option::Some(__upstate_default_1),
                )
                .with_facts(const { &[__upstate::Fact::api_default(__upstate_api_default_1)] }),
            __UPSTATE_SLOTS
                .2
                .attribute(17176567880082542056, 0, "", __upstate::Option::None)
                .with_facts(const { &[__upstate::Fact::said(__upstate::About::RenamedFrom, "options")] }),
            __UPSTATE_SLOTS
                .3
                .attribute(16995169239733411303, 0, "", __upstate::Option::Some("Use `settings` instead."))
                .with_facts(
                    const {
                        &[
                            __upstate::Fact::said(__upstate::About::ReplacedBy, "settings"),
                            __upstate::Fact::said(__upstate::About::DeprecatedSince, "2.1.0"),
                        ]
                    },
                ),
        ];
        const OBJECT_TYPE: &'static __upstate::Type = &__upstate::Type::object_of(__UPSTATE_FIELDS);
        const RUST_NAME: &'static str = __upstate::concat!(__upstate::module_path!(), "::Facts");
        const DEFINED_AT: __upstate::DefinedAt = __upstate::here();
        fn decode(object: &mut __upstate::ObjectReader<'_, '_>) -> __upstate::Result<Self, __upstate::DecodeError> {
            __upstate::Result::Ok(Self {
                name: object.read(&__UPSTATE_SLOTS.0)?,
                retries: object.read(&__UPSTATE_SLOTS.1)?,
                settings: object.read(&__UPSTATE_SLOTS.2)?,
                zone: object.read(&__UPSTATE_SLOTS.3)?,
            })
        }
        fn encode(&self, object: &mut __upstate::ObjectWriter<'_, '_>) {
            object.write(&__UPSTATE_SLOTS.0, &self.name);
            object.write(&__UPSTATE_SLOTS.1, &self.retries);
            object.write(&__UPSTATE_SLOTS.2, &self.settings);
            object.write(&__UPSTATE_SLOTS.3, &self.zone);
        }
    }
    impl __upstate::Resource for Facts {
        const TYPE_NAME: &'static str = "facts";
        const VERSION: u64 = 1;
        const SCHEMA: &'static __upstate::Schema = &__upstate::Schema::of::<Self>(1, "", __upstate::Option::None).with_facts(
            const {
                &[
                    __upstate::Fact::said(__upstate::About::IdFormat, "{name}"),
                    __upstate::Fact::said(__upstate::About::Tier, "preview"),
                    __upstate::Fact::group(
                        __upstate::GroupKind::ConflictsWith,
                        const { &[&["zone"], &["settings", __upstate::current_name::<Self>(&["settings", "region"], 1)]] },
                    ),
                    __upstate::Fact::allowed("attribute-removed", "gone", "never released", "3.0.0"),
                ]
            },
        );
        const EDGES: &'static [__upstate::Edge<Self>] = &[];
        const HISTORY: &'static __upstate::History = &__upstate::History::new(
            "Facts",
            1,
            1,
            <Self as __upstate::Resource>::SCHEMA,
            &__upstate::steps::<Self, 0>(<Self as __upstate::Resource>::EDGES),
        )
        .of_type("facts", false);
        const ROUTES: &'static [u16] = &__upstate::routes::<0>(<Self as __upstate::Resource>::HISTORY);
    }
    impl __upstate::CurrentModel for Facts {}
    const _: () = __upstate::check_rule("attribute-removed");
    const _: () = __upstate::check_constrained::<Facts>("conflicts_with", &["zone"]);
    const _: () = __upstate::check_current_name::<Facts>(&["settings", "region"], 1);
    const _: () = __upstate::check_constrained::<Facts>("conflicts_with", &["settings", "region"]);
};
