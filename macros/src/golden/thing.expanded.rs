// 65 lines for 3 members: 21.6 each
#[automatically_derived]
#[doc(hidden)]
#[allow(deprecated, long_running_const_eval, unexpected_cfgs, unused_qualifications)]
const _: () = {
    use ::upstate::__private as __upstate;
    const __UPSTATE_SLOTS: (__upstate::Slot<String>, __upstate::Slot<Option<String>>, __upstate::Slot<Vec<Rule>>) = (
        __upstate::Slot::<String>::new("id"),
        __upstate::Slot::<Option<String>>::new("optional_attribute"),
        __upstate::Slot::<Vec<Rule>>::new_block("rules"),
    );
    const __UPSTATE_FIELDS: &[__upstate::Field] =
        &[__UPSTATE_SLOTS.0.field(), __UPSTATE_SLOTS.1.field(), __UPSTATE_SLOTS.2.field()];
    impl __upstate::Object for Thing {
        const NAMES: &'static [&'static str] = &["id", "optional_attribute", "rules"];
        const ATTRIBUTES: &'static [__upstate::Attribute] = &[
            __UPSTATE_SLOTS.0.attribute(
                628021283683842752,
                __upstate::flags::COMPUTED,
                "Assigned by the API.",
                __upstate::Option::None,
            ),
            __UPSTATE_SLOTS.1.attribute(6980817372320331934, 0, "", __upstate::Option::None),
        ];
        const BLOCKS: &'static [__upstate::NestedBlock] =
            &[__UPSTATE_SLOTS.2.block(7427086052848915392, 0, 2, "", __upstate::Option::None)];
        const OBJECT_TYPE: &'static __upstate::Type = &__upstate::Type::object_of(__UPSTATE_FIELDS);
        const RUST_NAME: &'static str = __upstate::concat!(__upstate::module_path!(), "::Thing");
        const DEFINED_AT: __upstate::DefinedAt = __upstate::here();
        fn decode(object: &mut __upstate::ObjectReader<'_, '_>) -> __upstate::Result<Self, __upstate::DecodeError> {
            __upstate::Result::Ok(Self {
                id: object.read(&__UPSTATE_SLOTS.0)?,
                optional_attribute: object.read(&__UPSTATE_SLOTS.1)?,
                rules: object.read(&__UPSTATE_SLOTS.2)?,
            })
        }
        fn encode(&self, object: &mut __upstate::ObjectWriter<'_, '_>) {
            object.write(&__UPSTATE_SLOTS.0, &self.id);
            object.write(&__UPSTATE_SLOTS.1, &self.optional_attribute);
            object.write(&__UPSTATE_SLOTS.2, &self.rules);
        }
    }
    impl __upstate::Resource for Thing {
        const TYPE_NAME: &'static str = "example_thing";
        const VERSION: u64 = 2;
        const SCHEMA: &'static __upstate::Schema =
            &__upstate::Schema::of::<Self>(2, "A thing, as version 2 stores it.", __upstate::Option::None);
        const EDGES: &'static [__upstate::Edge<Self>] = &[
            __upstate::Edge::<Thing>::convert::<ThingV0>(0),
            __upstate::Edge::with(1, &__upstate::With::<Self, ThingV1, _>(upgrade_v1)),
        ];
        const HISTORY: &'static __upstate::History = &__upstate::History::new(
            "Thing",
            2,
            0,
            <Self as __upstate::Resource>::SCHEMA,
            &__upstate::steps::<Self, 2>(<Self as __upstate::Resource>::EDGES),
        )
        .of_type("example_thing", true);
        const ROUTES: &'static [u16] = &__upstate::routes::<2>(<Self as __upstate::Resource>::HISTORY);
    }
    impl __upstate::CurrentModel for Thing {}
    const _: () = __upstate::check_model_version(<Thing as __upstate::Resource>::HISTORY, 0);
    const _: () = __upstate::check_model_version(<Thing as __upstate::Resource>::HISTORY, 1);
    const _: () = __upstate::check_every_version_is_reached(<Thing as __upstate::Resource>::HISTORY);
};
