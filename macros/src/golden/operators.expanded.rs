// 278 lines for 6 members: 46.3 each
#[automatically_derived]
#[doc(hidden)]
#[allow(clippy::question_mark, dead_code, deprecated, long_running_const_eval, unexpected_cfgs, unused_qualifications)]
const _: () = {
    use ::upstate::__private as __upstate;
    static __UPSTATE_SCHEMA: __upstate::LazySchema = __upstate::LazySchema::new();
    static __UPSTATE_TABLE: __upstate::Table = __upstate::Table {
        rust_name: __upstate::concat!(__upstate::module_path!(), "::Subnet"),
        defined_at: __upstate::here(),
        version: 2,
        description: "A subnet, whose upgrader is a table.",
        rows: &[
            __upstate::Row {
                name: "cidr_block",
                key: 1145100803917465577,
                flags: 0,
                description: "",
                info: <String as __upstate::AttributeType>::INFO,
                beside: __upstate::None,
            },
            __upstate::Row {
                name: "id",
                key: 628021283683842752,
                flags: 0,
                description: "",
                info: <String as __upstate::AttributeType>::INFO,
                beside: __upstate::None,
            },
            __upstate::Row {
                name: "location",
                key: 10344839187854044134,
                flags: 0,
                description: "",
                info: <Option<String> as __upstate::AttributeType>::INFO,
                beside: __upstate::Some(&__upstate::Beside {
                    field: __upstate::Some(("region", 14363569259933213917)),
                    ..__upstate::Beside::NOTHING
                }),
            },
            __upstate::Row {
                name: "mode",
                key: 954177780379921842,
                flags: 0,
                description: "",
                info: <Option<String> as __upstate::AttributeType>::INFO,
                beside: __upstate::None,
            },
            __upstate::Row {
                name: "placement",
                key: 10998637224042777120,
                flags: 0,
                description: "",
                info: <Option<Placement> as __upstate::AttributeType>::UNCHECKED_INFO,
                beside: __upstate::None,
            },
            __upstate::Row {
                name: "tier",
                key: 2193117706368473481,
                flags: 0,
                description: "",
                info: <Option<i64> as __upstate::AttributeType>::INFO,
                beside: __upstate::None,
            },
        ],
        ..__upstate::Table::stub(&__UPSTATE_SCHEMA)
    };
    const THE_OPTION_HAS_ONE_NULL: () =
        __upstate::check_one_null(<Option<Placement> as __upstate::AttributeType>::HAS_TWO_NULLS, "Placement");
    const THE_FIELD_CAN_BE_AN_ATTRIBUTE: () =
        __upstate::check_attribute(<Option<Placement> as __upstate::AttributeType>::UNCHECKED_INFO);
    impl __upstate::Object for Subnet {
        const TABLE: &'static __upstate::Table = &__UPSTATE_TABLE;
        #[inline]
        fn decode(object: &mut __upstate::ObjectReader<'_, '_>) -> __upstate::Option<Self> {
            let __upstate::Some(field_0) = <String as __upstate::AttributeType>::read(object) else {
                return __upstate::None;
            };
            let __upstate::Some(field_1) = <String as __upstate::AttributeType>::read(object) else {
                return __upstate::None;
            };
            let __upstate::Some(field_2) = <Option<String> as __upstate::AttributeType>::read(object) else {
                return __upstate::None;
            };
            let __upstate::Some(field_3) = <Option<String> as __upstate::AttributeType>::read(object) else {
                return __upstate::None;
            };
            let __upstate::Some(field_4) = <Option<Placement> as __upstate::AttributeType>::read(object) else {
                return __upstate::None;
            };
            let __upstate::Some(field_5) = <Option<i64> as __upstate::AttributeType>::read(object) else {
                return __upstate::None;
            };
            __upstate::Some(Self {
                cidr_block: field_0,
                id: field_1,
                region: field_2,
                mode: field_3,
                placement: field_4,
                tier: field_5,
            })
        }
        #[inline]
        fn encode(&self, object: &mut __upstate::ObjectWriter<'_, '_>) {
            <String as __upstate::AttributeType>::write(&self.cidr_block, object);
            <String as __upstate::AttributeType>::write(&self.id, object);
            <Option<String> as __upstate::AttributeType>::write(&self.region, object);
            <Option<String> as __upstate::AttributeType>::write(&self.mode, object);
            <Option<Placement> as __upstate::AttributeType>::write(&self.placement, object);
            <Option<i64> as __upstate::AttributeType>::write(&self.tier, object);
        }
    }
    const __UPSTATE_PRIOR_0: &__upstate::Prior = &{
        let _ = <SubnetV1 as __upstate::IsModel>::NUMBER;
        __upstate::Prior::model::<SubnetV1>()
    };
    fn __upstate_value_0_0(writer: &mut __upstate::Writer<'_>) {
        <String as __upstate::AttributeType>::encode(&__upstate::FieldValue::<String>::value(home()), writer);
    }
    const __UPSTATE_CONDITION_0_0: &__upstate::Condition = &__upstate::Condition::Is(
        &[__upstate::prior_name(__UPSTATE_PRIOR_0.table(), &["tier"], 0)],
        &[__upstate::Match::Literal(__upstate::Literal::String("gold")), __upstate::Match::Literal(__upstate::Literal::Null)],
    );
    const __UPSTATE_OPERATORS_0: &__upstate::Operators = &__upstate::Operators {
        productions: &[
            __upstate::Production {
                target: &["cidr_block"],
                stages: &[__upstate::Stage::new(__upstate::Operation::Take(
                    &[__upstate::prior_name(__UPSTATE_PRIOR_0.table(), &["cidr"], 0)],
                    __upstate::Existing::Unsaid,
                ))],
            },
            __upstate::Production {
                target: &["mode"],
                stages: &[__upstate::Stage::new(__upstate::Operation::Default(
                    __upstate::Constant::Literal(__upstate::Literal::String("private")),
                    &[__upstate::Match::Literal(__upstate::Literal::Null)],
                ))],
            },
            __upstate::Production {
                target: &["location"],
                stages: &[__upstate::Stage::new(__upstate::Operation::Set(__upstate::Constant::Written(__upstate_value_0_0)))],
            },
            __upstate::Production {
                target: &["id"],
                stages: &[__upstate::Stage::new(__upstate::Operation::Reformat(
                    &[(
                        __upstate::Pattern {
                            pieces: &[
                                __upstate::Piece::Part("network"),
                                __upstate::Piece::Text("/"),
                                __upstate::Piece::Part("name"),
                            ],
                            ignore_case: false,
                        },
                        &[
                            __upstate::Segment::Text("networks/"),
                            __upstate::Segment::Found("network", __upstate::Letters::AsIs),
                            __upstate::Segment::Text("/subnets/"),
                            __upstate::Segment::Found("name", __upstate::Letters::Lower),
                        ],
                    )],
                    __upstate::Otherwise::Refuse,
                ))],
            },
            __upstate::Production {
                target: &["placement", __upstate::current_name::<Subnet>(&["placement", "zone"], 1)],
                stages: &[__upstate::Stage::new(__upstate::Operation::Take(
                    &[__upstate::prior_name(__UPSTATE_PRIOR_0.table(), &["zone"], 0)],
                    __upstate::Existing::Unsaid,
                ))],
            },
            __upstate::Production {
                target: &["tier"],
                stages: &[__upstate::Stage::new(__upstate::Operation::Values(
                    &[(__upstate::Literal::String("gold"), __upstate::Literal::Number("1"))],
                    __upstate::Otherwise::Become(__upstate::Literal::Null),
                ))
                .only_if(__UPSTATE_CONDITION_0_0)],
            },
        ],
        drops: &[__upstate::Dropped::new(
            &[__upstate::prior_name(__UPSTATE_PRIOR_0.table(), &["legacy"], 0)],
            "the API no longer has it",
        )],
        notices: &[__upstate::Notice {
            text: "The tier is a number now.",
            at: &[],
            refuse: false,
            only_if: __upstate::Some(__UPSTATE_CONDITION_0_0),
        }],
        ..__upstate::Operators::CARRY
    };
    const THE_PRIOR_FIELD_EXISTS: () = __upstate::check_prior_name(__UPSTATE_PRIOR_0.table(), &["tier"], 0);
    const THE_PRIOR_FIELD_EXISTS_2: () = __upstate::check_prior_name(__UPSTATE_PRIOR_0.table(), &["cidr"], 0);
    const THE_FIELD_EXISTS: () = __upstate::check_current_name::<Subnet>(&["placement", "zone"], 1);
    const THE_PRIOR_FIELD_EXISTS_3: () = __upstate::check_prior_name(__UPSTATE_PRIOR_0.table(), &["zone"], 0);
    const THE_PRIOR_FIELD_EXISTS_4: () = __upstate::check_prior_name(__UPSTATE_PRIOR_0.table(), &["legacy"], 0);
    const THE_CONDITION_CAN_HOLD: () =
        if let __upstate::Some(blamed) = __upstate::find_in_condition(__UPSTATE_CONDITION_0_0, __UPSTATE_PRIOR_0.table()) {
            match blamed.operand {
                (0, 0) => __upstate::refuse_operand(&blamed),
                _ => __upstate::refuse_operand(&blamed),
            }
        };
    const THE_VALUE_FITS: () = __upstate::check_production::<Subnet>(__UPSTATE_PRIOR_0.table(), __UPSTATE_OPERATORS_0, 0);
    const THE_VALUE_FITS_2: () =
        if let __upstate::Some(blamed) = __upstate::find_operand::<Subnet>(__UPSTATE_PRIOR_0.table(), __UPSTATE_OPERATORS_0, 1) {
            __upstate::refuse_operand(&blamed)
        };
    const THE_VALUE_FITS_3: () = __upstate::check_production::<Subnet>(__UPSTATE_PRIOR_0.table(), __UPSTATE_OPERATORS_0, 2);
    const THE_VALUE_FITS_4: () = __upstate::check_production::<Subnet>(__UPSTATE_PRIOR_0.table(), __UPSTATE_OPERATORS_0, 3);
    const THE_VALUE_FITS_5: () = __upstate::check_production::<Subnet>(__UPSTATE_PRIOR_0.table(), __UPSTATE_OPERATORS_0, 4);
    const THE_VALUE_FITS_6: () =
        if let __upstate::Some(blamed) = __upstate::find_operand::<Subnet>(__UPSTATE_PRIOR_0.table(), __UPSTATE_OPERATORS_0, 5) {
            match blamed.operand {
                (0, 0) => __upstate::refuse_operand(&blamed),
                (0, 1) => __upstate::refuse_operand(&blamed),
                _ => __upstate::refuse_operand(&blamed),
            }
        };
    const EVERY_FIELD_IS_ACCOUNTED_FOR: () = if let __upstate::Some(blamed) = __upstate::find_in_accounting::<Subnet>(
        __UPSTATE_PRIOR_0.table(),
        __UPSTATE_OPERATORS_0,
        &__upstate::Accounts {
            taken: &[17988428667853304343, 16051889604985847006, 16995169239733411303],
            named: &[],
            made: &[1145100803917465577, 628021283683842752, 10344839187854044134, 954177780379921842, 2193117706368473481],
            kept: &[628021283683842752, 954177780379921842],
            parts: &[10998637224042777120],
        },
    ) {
        match blamed.operand {
            (1, 0) => __upstate::refuse_operand(&blamed),
            (2, 0) => __upstate::refuse_operand(&blamed),
            (2, 2) => __upstate::refuse_operand(&blamed),
            (2, 4) => __upstate::refuse_operand(&blamed),
            (2, 5) => __upstate::refuse_operand(&blamed),
            _ => __upstate::refuse_operand(&blamed),
        }
    };
    #[cfg(rust_analyzer)]
    fn __upstate_fields_0(prior: &SubnetV1, current: &Subnet) {
        let _ = &prior.legacy;
        let _ = &prior.cidr;
        let _ = &prior.zone;
        let _ = &prior.tier;
        let _ = &current.cidr_block;
        let _ = &current.mode;
        let _ = &current.region;
        let _ = &current.id;
        let _ = &current.placement;
        let _ = &current.tier;
    }
    impl __upstate::Resource for Subnet {
        const TYPE_NAME: &'static str = "subnet";
        const VERSION: u64 = 2;
        const UPGRADERS: &'static [__upstate::Upgrader<Self>] =
            &[__upstate::Upgrader::declared(1, __UPSTATE_PRIOR_0, __UPSTATE_OPERATORS_0)];
        const HISTORY: &'static __upstate::History = &__upstate::History::new(
            "Subnet",
            ("subnet", 16479138920914558888),
            false,
            false,
            0,
            &__UPSTATE_TABLE,
            &__upstate::steps::<Self, 1>(<Self as __upstate::Resource>::UPGRADERS),
        );
        const ROUTES: &'static [u16] = &__upstate::routes::<2>(<Self as __upstate::Resource>::HISTORY);
    }
    impl __upstate::CurrentModel for Subnet {
        type Plan = Self;
        type Values = __upstate::TerraformValues;
    }
    const THE_MODEL_IS_OF_ITS_VERSION: () = __upstate::check_model_version(<Subnet as __upstate::Resource>::HISTORY, 0);
    const EARLIER_STATE_CAN_BE_READ: () = {
        __upstate::check_every_version_is_reached(<Subnet as __upstate::Resource>::HISTORY);
    };
};
