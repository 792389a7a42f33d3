// 58 lines for 1 members: 58.0 each
#[automatically_derived]
#[doc(hidden)]
#[allow(deprecated, long_running_const_eval, unexpected_cfgs, unused_qualifications)]
const _: () = {
    use ::upstate::__private as __upstate;
    const __UPSTATE_SLOTS: (__upstate::Slot<u16>,) = (__upstate::Slot::<u16>::new("port"),);
    const __UPSTATE_FIELDS: &[__upstate::Field] = &[__UPSTATE_SLOTS.0.field()];
    impl __upstate::Object for Listener {
        const NAMES: &'static [&'static str] = &["port"];
        const ATTRIBUTES: &'static [__upstate::Attribute] =
            &[__UPSTATE_SLOTS.0.attribute(10100688915994460070, 0, "", __upstate::Option::None)];
        const OBJECT_TYPE: &'static __upstate::Type = &__upstate::Type::object_of(__UPSTATE_FIELDS);
        const RUST_NAME: &'static str = __upstate::concat!(__upstate::module_path!(), "::Listener");
        const DEFINED_AT: __upstate::DefinedAt = __upstate::here();
        const OBJECT_EDGES: &'static [__upstate::ObjectEdge] =
            &[__upstate::ObjectEdge::new(&__UPSTATE_PRIOR_0, __UPSTATE_OPERATORS_0)];
        fn decode(object: &mut __upstate::ObjectReader<'_, '_>) -> __upstate::Result<Self, __upstate::DecodeError> {
            __upstate::Result::Ok(Self { port: object.read(&__UPSTATE_SLOTS.0)? })
        }
        fn encode(&self, object: &mut __upstate::ObjectWriter<'_, '_>) {
            object.write(&__UPSTATE_SLOTS.0, &self.port);
        }
    }
    const __UPSTATE_PRIOR_0: __upstate::Prior = __upstate::Prior::object::<ListenerV0>();
    const __UPSTATE_OPERATORS_0: &__upstate::Operators = &__upstate::Operators {
        productions: &[__upstate::Production {
            target: &["port"],
            stages: &[__upstate::Stage::new(__upstate::Operation::Take {
                from: &[__upstate::prior_name(&__UPSTATE_PRIOR_0, &["from_port"], 0)],
                existing: __upstate::Existing::Unsaid,
            })],
        }],
        drops: &[],
        notices: &[],
    };
    const _: () = __upstate::check_prior_name(&__UPSTATE_PRIOR_0, &["from_port"], 0);
    const _: () = __upstate::check_production::<Listener>(&__UPSTATE_PRIOR_0, __UPSTATE_OPERATORS_0, 0);
    const _: () = __upstate::check_accounting::<Listener>(
        &__UPSTATE_PRIOR_0,
        __UPSTATE_OPERATORS_0,
        &__upstate::Accounts { taken: &[17606228301765626681], named: &[], made: &[10100688915994460070], kept: &[], parts: &[] },
    );
    #[cfg(rust_analyzer)]
    fn __upstate_fields_0(prior: &ListenerV0, current: &Listener) {
        let _ = &prior.from_port;
        let _ = &current.port;
    }
    impl __upstate::AttributeType for Listener {
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
