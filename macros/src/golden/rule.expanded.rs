// 48 lines for 2 members: 24.0 each
#[automatically_derived]
#[doc(hidden)]
#[allow(deprecated, long_running_const_eval, unexpected_cfgs, unused_qualifications)]
const _: () = {
    use ::upstate::__private as __upstate;
    fn __upstate_default_1(writer: &mut __upstate::Writer<'_>) {
        __upstate::write_default::<String>("all", writer);
    }
    const __UPSTATE_SLOTS: (__upstate::Slot<Vec<String>>, __upstate::Slot<Option<String>>) =
        (__upstate::Slot::<Vec<String>>::set("addresses"), __upstate::Slot::<Option<String>>::new("allow"));
    const __UPSTATE_FIELDS: &[__upstate::Field] = &[__UPSTATE_SLOTS.0.field(), __UPSTATE_SLOTS.1.field()];
    impl __upstate::Object for Rule {
        const NAMES: &'static [&'static str] = &["addresses", "allow"];
        const ATTRIBUTES: &'static [__upstate::Attribute] = &[
            __UPSTATE_SLOTS.0.attribute(14764101859070121507, __upstate::flags::SENSITIVE, "", __upstate::Option::None),
            __UPSTATE_SLOTS
                .1
                .attribute_with_default(
                    7624461933331830194,
                    0,
                    "Who may come in.",
                    __upstate::Option::None,
                    __upstate::Option::Some(__upstate_default_1),
                )
                .of_field("allowed", 12450027564364998467),
        ];
        const OBJECT_TYPE: &'static __upstate::Type = &__upstate::Type::object_of(__UPSTATE_FIELDS);
        const RUST_NAME: &'static str = __upstate::concat!(__upstate::module_path!(), "::Rule");
        const DEFINED_AT: __upstate::DefinedAt = __upstate::here();
        fn decode(object: &mut __upstate::ObjectReader<'_, '_>) -> __upstate::Result<Self, __upstate::DecodeError> {
            __upstate::Result::Ok(Self { addresses: object.read(&__UPSTATE_SLOTS.0)?, allowed: object.read(&__UPSTATE_SLOTS.1)? })
        }
        fn encode(&self, object: &mut __upstate::ObjectWriter<'_, '_>) {
            object.write(&__UPSTATE_SLOTS.0, &self.addresses);
            object.write(&__UPSTATE_SLOTS.1, &self.allowed);
        }
    }
    impl __upstate::AttributeType for Rule {
        const TYPE: &'static __upstate::Type = <Self as __upstate::Object>::OBJECT_TYPE;
        const NESTED: __upstate::Option<__upstate::Nested> = __upstate::Option::Some(__upstate::Nested::single::<Self>());
        fn decode(reader: &mut __upstate::Reader<'_>) -> __upstate::Result<Self, __upstate::DecodeError> {
            __upstate::read_object(reader)
        }
        fn encode(&self, writer: &mut __upstate::Writer<'_>) {
            __upstate::write_object(self, writer);
        }
    }
};
