// 242 lines for 4 members: 60.5 each
#[automatically_derived]
#[doc(hidden)]
#[allow(clippy::question_mark, dead_code, deprecated, long_running_const_eval, unexpected_cfgs, unused_qualifications)]
const _: () = {
    use ::upstate::__private as __upstate;
    static __UPSTATE_SCHEMA: __upstate::LazySchema = __upstate::LazySchema::new();
    static __UPSTATE_TABLE: __upstate::Table = __upstate::Table {
        rust_name: __upstate::concat!(__upstate::module_path!(), "::Server"),
        defined_at: __upstate::here(),
        version: 2,
        description: "A server, whose history is written as differences.",
        rows: &[
            __upstate::Row {
                name: "id",
                key: 628021283683842752,
                flags: 0,
                description: "",
                info: <String as __upstate::AttributeType>::INFO,
                beside: __upstate::None,
            },
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
                info: <i64 as __upstate::AttributeType>::INFO,
                beside: __upstate::None,
            },
            __upstate::Row {
                name: "rule",
                key: 13827948748108594483,
                flags: 0,
                description: "",
                info: <Vec<Rule> as __upstate::AttributeType>::INFO,
                beside: __upstate::None,
            },
        ],
        ..__upstate::Table::stub(&__UPSTATE_SCHEMA)
    };
    const THE_FIELD_CAN_BE_AN_ATTRIBUTE: () = __upstate::check_attribute(<Vec<Rule> as __upstate::AttributeType>::INFO);
    impl __upstate::Object for Server {
        const TABLE: &'static __upstate::Table = &__UPSTATE_TABLE;
        #[inline]
        fn decode(object: &mut __upstate::ObjectReader<'_, '_>) -> __upstate::Option<Self> {
            let __upstate::Some(field_0) = <String as __upstate::AttributeType>::read(object) else {
                return __upstate::None;
            };
            let __upstate::Some(field_1) = <String as __upstate::AttributeType>::read(object) else {
                return __upstate::None;
            };
            let __upstate::Some(field_2) = <i64 as __upstate::AttributeType>::read(object) else {
                return __upstate::None;
            };
            let __upstate::Some(field_3) = <Vec<Rule> as __upstate::AttributeType>::read(object) else {
                return __upstate::None;
            };
            __upstate::Some(Self { id: field_0, name: field_1, retries: field_2, rule: field_3 })
        }
        #[inline]
        fn encode(&self, object: &mut __upstate::ObjectWriter<'_, '_>) {
            <String as __upstate::AttributeType>::write(&self.id, object);
            <String as __upstate::AttributeType>::write(&self.name, object);
            <i64 as __upstate::AttributeType>::write(&self.retries, object);
            <Vec<Rule> as __upstate::AttributeType>::write(&self.rule, object);
        }
    }
    static __UPSTATE_PRIOR_0: __upstate::Prior = __upstate::Prior::shape(&__UPSTATE_SHAPE_0);
    const __UPSTATE_OPERATORS_0: &__upstate::Operators = &__upstate::Operators {
        productions: &[
            __upstate::Production {
                target: &["name"],
                stages: &[__upstate::Stage::new(__upstate::Operation::Take(&["title"], __upstate::Existing::Unsaid))],
            },
            __upstate::Production {
                target: &["retries"],
                stages: &[__upstate::Stage::new(__upstate::Operation::Default(
                    __upstate::Constant::Literal(__upstate::Literal::Number("3")),
                    &[__upstate::Match::Literal(__upstate::Literal::Null)],
                ))],
            },
        ],
        ..__upstate::Operators::CARRY
    };
    const THE_VALUE_FITS: () =
        if let __upstate::Some(blamed) = __upstate::find_operand::<Server>(__UPSTATE_PRIOR_0.table(), __UPSTATE_OPERATORS_0, 1) {
            __upstate::refuse_operand(&blamed)
        };
    #[cfg(rust_analyzer)]
    fn __upstate_fields_0(current: &Server) {
        let _ = &current.name;
        let _ = &current.retries;
    }
    const __UPSTATE_ROWS_0: &[__upstate::Row] = &__upstate::derived::rows::<4, 4>(
        &__UPSTATE_TABLE,
        [
            __upstate::derived::Part::Same(0, 1),
            __upstate::derived::Part::Retyped {
                row: 2,
                info: <__upstate::derived::OrNull<i64> as __upstate::Info>::INFO,
                flags: 0,
            },
            __upstate::derived::Part::Retyped {
                row: 3,
                info: <__upstate::derived::Around<Vec<Rule>, __UpstateObject0> as __upstate::Info>::INFO,
                flags: 0,
            },
            __upstate::derived::Part::Renamed {
                row: 1,
                name: "title",
                key: 15722393318163439657,
                info: __upstate::None,
                flags: 0,
            },
        ],
    );
    static __UPSTATE_SCHEMA_0: __upstate::LazySchema = __upstate::LazySchema::new();
    const __UPSTATE_TABLE_0: &__upstate::Table =
        &__upstate::Table::shape("Server (version 1)", 1, __UPSTATE_ROWS_0, &__UPSTATE_SCHEMA_0);
    static __UPSTATE_SHAPE_0: __upstate::PriorShape = __upstate::PriorShape::new(
        __UPSTATE_TABLE_0,
        ("example_server", 2315435122498344333),
        true,
        false,
    )
    .reached(0, &__UPSTATE_UPGRADERS_0, &__UPSTATE_STEPS_0, &__UPSTATE_ROUTES_0);
    static __UPSTATE_PRIOR_1: __upstate::Prior = __upstate::Prior::shape(&__UPSTATE_SHAPE_1);
    const __UPSTATE_OPERATORS_1: &__upstate::Operators = &__upstate::Operators {
        drops: &[__upstate::Dropped::new(&["legacy"], "the API no longer has it")],
        ..__upstate::Operators::CARRY
    };
    static __UPSTATE_UPGRADERS_0: [__upstate::Upgrader<__upstate::NoModel>; 1] =
        [__upstate::Upgrader::declared(0, &__UPSTATE_PRIOR_1, __UPSTATE_OPERATORS_1)];
    static __UPSTATE_STEPS_0: [__upstate::Step; 1] = __upstate::steps(&__UPSTATE_UPGRADERS_0);
    static __UPSTATE_ROUTES_0: [u16; 1] = __upstate::routes(__UPSTATE_SHAPE_0.history());
    const __UPSTATE_ROWS_1: &[__upstate::Row] = &__upstate::derived::rows::<5, 3>(
        __UPSTATE_TABLE_0,
        [
            __upstate::derived::Part::Same(0, 1),
            __upstate::derived::Part::New(__upstate::Row {
                name: "legacy",
                key: 16051889604985847006,
                flags: 0,
                description: "",
                info: <Option<String> as __upstate::AttributeType>::INFO,
                beside: __upstate::None,
            }),
            __upstate::derived::Part::Same(1, 4),
        ],
    );
    static __UPSTATE_SCHEMA_1: __upstate::LazySchema = __upstate::LazySchema::new();
    const __UPSTATE_TABLE_1: &__upstate::Table =
        &__upstate::Table::shape("Server (version 0)", 0, __UPSTATE_ROWS_1, &__UPSTATE_SCHEMA_1);
    static __UPSTATE_SHAPE_1: __upstate::PriorShape =
        __upstate::PriorShape::new(__UPSTATE_TABLE_1, ("example_server", 2315435122498344333), true, false);
    const __UPSTATE_LATER_0: &'static __upstate::Table =
        __upstate::derived::objects_in(<Vec<Rule> as __upstate::AttributeType>::INFO);
    const __UPSTATE_EDITS_0: &[__upstate::Edit] = &[
        __upstate::Edit::Remove { field: 9237349086447201248 },
        __upstate::Edit::Put(__upstate::Row {
            name: "port",
            key: 10100688915994460070,
            flags: 0,
            description: "",
            info: <String as __upstate::AttributeType>::INFO,
            beside: __upstate::None,
        }),
    ];
    const __UPSTATE_OBJECT_ROWS_0: &[__upstate::Row; __upstate::derived::edited_len(__UPSTATE_LATER_0, __UPSTATE_EDITS_0)] =
        &__upstate::derived::edited(__UPSTATE_LATER_0, __UPSTATE_EDITS_0);
    static __UPSTATE_OBJECT_SCHEMA_0: __upstate::LazySchema = __upstate::LazySchema::new();
    const __UPSTATE_OBJECT_0: &__upstate::Table = &__upstate::Table::object_shape(
        "Server.rule (version 1)",
        __UPSTATE_OBJECT_ROWS_0,
        &__UPSTATE_OBJECT_SCHEMA_0,
        &[__upstate::ObjectUpgrader::onward(__UPSTATE_LATER_0, || __UPSTATE_OPERATORS_2)],
    );
    const THE_FIELD_HOLDS_OBJECTS: () = __upstate::derived::check_objects(<Vec<Rule> as __upstate::AttributeType>::INFO, "rule");
    struct __UpstateObject0;
    impl __upstate::Shape for __UpstateObject0 {
        const SHAPE: &'static __upstate::Table = __UPSTATE_OBJECT_0;
    }
    const __UPSTATE_PRIOR_2: &__upstate::Prior = &__upstate::Prior::object_shape(__UPSTATE_OBJECT_0);
    const __UPSTATE_OPERATORS_2: &__upstate::Operators = &__upstate::Operators {
        productions: &[__upstate::Production {
            target: &[__upstate::name_in(__UPSTATE_LATER_0, &["number"], 0)],
            stages: &[
                __upstate::Stage::new(__upstate::Operation::Take(
                    &[__upstate::prior_name(__UPSTATE_PRIOR_2.table(), &["port"], 0)],
                    __upstate::Existing::Unsaid,
                )),
                __upstate::Stage::new(__upstate::Operation::Convert(__upstate::EmptyText::Null)),
            ],
        }],
        ..__upstate::Operators::CARRY
    };
    const THE_FIELD_EXISTS: () = __upstate::check_current_name_in(__UPSTATE_LATER_0, &["number"], 0);
    const THE_PRIOR_FIELD_EXISTS: () = __upstate::check_prior_name(__UPSTATE_PRIOR_2.table(), &["port"], 0);
    const THE_VALUE_FITS_2: () =
        __upstate::check_production_to(__UPSTATE_LATER_0, __UPSTATE_PRIOR_2.table(), __UPSTATE_OPERATORS_2, 0);
    const EVERY_FIELD_IS_ACCOUNTED_FOR: () = if let __upstate::Some(blamed) = __upstate::find_in_accounting_to(
        __UPSTATE_LATER_0,
        __UPSTATE_PRIOR_2.table(),
        __UPSTATE_OPERATORS_2,
        &__upstate::Accounts { taken: &[10100688915994460070], named: &[], made: &[9237349086447201248], kept: &[], parts: &[] },
    ) {
        match blamed.operand {
            (2, 0) => __upstate::refuse_operand(&blamed),
            _ => __upstate::refuse_operand(&blamed),
        }
    };
    impl __upstate::Resource for Server {
        const TYPE_NAME: &'static str = "example_server";
        const VERSION: u64 = 2;
        const UPGRADERS: &'static [__upstate::Upgrader<Self>] =
            &[__upstate::Upgrader::declared(1, &__UPSTATE_PRIOR_0, __UPSTATE_OPERATORS_0)];
        const HISTORY: &'static __upstate::History = &__upstate::History::new(
            "Server",
            ("example_server", 2315435122498344333),
            true,
            false,
            0,
            &__UPSTATE_TABLE,
            &__upstate::steps::<Self, 1>(<Self as __upstate::Resource>::UPGRADERS),
        );
        const ROUTES: &'static [u16] = &__upstate::routes::<2>(<Self as __upstate::Resource>::HISTORY);
    }
    impl __upstate::CurrentModel for Server {
        type Plan = Self;
        type Values = __upstate::TerraformValues;
    }
    const EARLIER_STATE_CAN_BE_READ: () = {
        __upstate::check_every_version_is_reached(<Server as __upstate::Resource>::HISTORY);
    };
};
