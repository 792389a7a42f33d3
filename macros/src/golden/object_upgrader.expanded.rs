// 79 lines for 1 members: 79.0 each
#[automatically_derived]
#[doc(hidden)]
#[allow(clippy::question_mark, dead_code, deprecated, long_running_const_eval, unexpected_cfgs, unused_qualifications)]
const _: () = {
    use ::upstate::__private as __upstate;
    static __UPSTATE_SCHEMA: __upstate::LazySchema = __upstate::LazySchema::new();
    static __UPSTATE_TABLE: __upstate::Table = __upstate::Table {
        rust_name: __upstate::concat!(__upstate::module_path!(), "::Listener"),
        defined_at: __upstate::here(),
        version: 0,
        description: "",
        rows: &[__upstate::Row {
            name: "port",
            key: 10100688915994460070,
            flags: 0,
            description: "",
            info: <u16 as __upstate::AttributeType>::INFO,
            beside: __upstate::None,
        }],
        upgraders: &[__upstate::ObjectUpgrader::new(__UPSTATE_PRIOR_0, || __UPSTATE_OPERATORS_0).leaving(&__UPSTATE_LEFT_OVER_0)],
        ..__upstate::Table::stub(&__UPSTATE_SCHEMA)
    };
    impl __upstate::Object for Listener {
        const TABLE: &'static __upstate::Table = &__UPSTATE_TABLE;
        #[inline]
        fn decode(object: &mut __upstate::ObjectReader<'_, '_>) -> __upstate::Option<Self> {
            let __upstate::Some(field_0) = <u16 as __upstate::AttributeType>::read(object) else {
                return __upstate::None;
            };
            __upstate::Some(Self { port: field_0 })
        }
        #[inline]
        fn encode(&self, object: &mut __upstate::ObjectWriter<'_, '_>) {
            <u16 as __upstate::AttributeType>::write(&self.port, object);
        }
    }
    const __UPSTATE_PRIOR_0: &__upstate::Prior = &__upstate::Prior::object_shape(<ListenerV0 as __upstate::IsObject>::SHAPE);
    const __UPSTATE_OPERATORS_0: &__upstate::Operators = &__upstate::Operators {
        productions: &[__upstate::Production {
            target: &["port"],
            stages: &[__upstate::Stage::new(__upstate::Operation::Take(
                &[__upstate::prior_name(__UPSTATE_PRIOR_0.table(), &["from_port"], 0)],
                __upstate::Existing::Unsaid,
            ))],
        }],
        ..__upstate::Operators::CARRY
    };
    const THE_PRIOR_FIELD_EXISTS: () = __upstate::check_prior_name(__UPSTATE_PRIOR_0.table(), &["from_port"], 0);
    const THE_VALUE_FITS: () = __upstate::check_production::<Listener>(__UPSTATE_PRIOR_0.table(), __UPSTATE_OPERATORS_0, 0);
    const __UPSTATE_ACCOUNTS_0: &__upstate::Accounts =
        &__upstate::Accounts { taken: &[17606228301765626681], named: &[], made: &[10100688915994460070], kept: &[], parts: &[] };
    static __UPSTATE_LEFT_OVER_0: __upstate::LeftOver =
        __upstate::left_over(&__UPSTATE_TABLE, __UPSTATE_PRIOR_0.table(), __UPSTATE_OPERATORS_0, __UPSTATE_ACCOUNTS_0);
    const EVERY_FIELD_IS_ACCOUNTED_FOR: () = if let __upstate::Some(blamed) = __upstate::find_in_object_accounting::<Listener>(
        __UPSTATE_PRIOR_0.table(),
        __UPSTATE_OPERATORS_0,
        __UPSTATE_ACCOUNTS_0,
        &__UPSTATE_LEFT_OVER_0,
    ) {
        match blamed.operand {
            (2, 0) => __upstate::refuse_operand(&blamed),
            _ => __upstate::refuse_operand(&blamed),
        }
    };
    #[cfg(rust_analyzer)]
    fn __upstate_fields_0(prior: &ListenerV0, current: &Listener) {
        let _ = &prior.from_port;
        let _ = &current.port;
    }
    impl __upstate::AttributeType for Listener {
        const INFO: &'static __upstate::TypeInfo = &__upstate::TypeInfo::object(&__UPSTATE_TABLE);
        fn decode(reader: &mut __upstate::Reader<'_>) -> __upstate::Result<Self, __upstate::DecodeError> {
            __upstate::read_object(reader)
        }
        fn encode(&self, writer: &mut __upstate::Writer<'_>) {
            __upstate::write_object(self, writer);
        }
    }
};
