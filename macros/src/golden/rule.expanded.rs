// 67 lines for 2 members: 33.5 each
#[automatically_derived]
#[doc(hidden)]
#[allow(clippy::question_mark, dead_code, deprecated, long_running_const_eval, unexpected_cfgs, unused_qualifications)]
const _: () = {
    use ::upstate::__private as __upstate;
    fn __upstate_default_1(writer: &mut __upstate::Writer<'_>) {
        <String as __upstate::AttributeType>::encode(&__upstate::FieldValue::<String>::value("all"), writer);
    }
    static __UPSTATE_SLOT_0: __upstate::Slot<Vec<String>> = __upstate::Slot::<Vec<String>>::set();
    static __UPSTATE_SCHEMA: __upstate::LazySchema = __upstate::LazySchema::new();
    static __UPSTATE_TABLE: __upstate::Table = __upstate::Table {
        rust_name: __upstate::concat!(__upstate::module_path!(), "::Rule"),
        defined_at: __upstate::here(),
        version: 0,
        description: "",
        rows: &[
            __upstate::Row {
                name: "addresses",
                key: 14764101859070121507,
                flags: __upstate::flags::SENSITIVE,
                description: "",
                info: __UPSTATE_SLOT_0.info,
                beside: __upstate::None,
            },
            __upstate::Row {
                name: "allow",
                key: 7624461933331830194,
                flags: 0,
                description: "The callers that are let in.",
                info: <Option<String> as __upstate::AttributeType>::INFO,
                beside: __upstate::Some(&__upstate::Beside {
                    field: __upstate::Some(("allowed", 12450027564364998467)),
                    default: __upstate::Some(__upstate_default_1),
                    ..__upstate::Beside::NOTHING
                }),
            },
        ],
        ..__upstate::Table::stub(&__UPSTATE_SCHEMA)
    };
    impl __upstate::Object for Rule {
        const TABLE: &'static __upstate::Table = &__UPSTATE_TABLE;
        #[inline]
        fn decode(object: &mut __upstate::ObjectReader<'_, '_>) -> __upstate::Option<Self> {
            let __upstate::Some(field_0) = __UPSTATE_SLOT_0.read(object) else {
                return __upstate::None;
            };
            let __upstate::Some(field_1) = <Option<String> as __upstate::AttributeType>::read(object) else {
                return __upstate::None;
            };
            __upstate::Some(Self { addresses: field_0, allowed: field_1 })
        }
        #[inline]
        fn encode(&self, object: &mut __upstate::ObjectWriter<'_, '_>) {
            __UPSTATE_SLOT_0.write(&self.addresses, object);
            <Option<String> as __upstate::AttributeType>::write(&self.allowed, object);
        }
    }
    impl __upstate::AttributeType for Rule {
        const INFO: &'static __upstate::TypeInfo = &__upstate::TypeInfo::object(&__UPSTATE_TABLE);
        fn decode(reader: &mut __upstate::Reader<'_>) -> __upstate::Result<Self, __upstate::DecodeError> {
            __upstate::read_object(reader)
        }
        fn encode(&self, writer: &mut __upstate::Writer<'_>) {
            __upstate::write_object(self, writer);
        }
    }
};
