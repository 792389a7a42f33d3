// 111 lines for 1 members: 111.0 each
#[automatically_derived]
#[doc(hidden)]
#[allow(clippy::question_mark, dead_code, deprecated, long_running_const_eval, unexpected_cfgs, unused_qualifications)]
const _: () = {
    use ::upstate::__private as __upstate;
    static __UPSTATE_SCHEMA: __upstate::LazySchema = __upstate::LazySchema::new();
    static __UPSTATE_TABLE: __upstate::Table = __upstate::Table {
        rust_name: __upstate::concat!(__upstate::module_path!(), "::Job"),
        defined_at: __upstate::here(),
        version: 7,
        description: "A job, with an upgrader of each kind.",
        rows: &[__upstate::Row {
            name: "id",
            key: 628021283683842752,
            flags: 0,
            description: "",
            info: <String as __upstate::AttributeType>::INFO,
            beside: __upstate::None,
        }],
        ..__upstate::Table::stub(&__UPSTATE_SCHEMA)
    };
    impl __upstate::Object for Job {
        const TABLE: &'static __upstate::Table = &__UPSTATE_TABLE;
        #[inline]
        fn decode(object: &mut __upstate::ObjectReader<'_, '_>) -> __upstate::Option<Self> {
            let __upstate::Some(field_0) = <String as __upstate::AttributeType>::read(object) else {
                return __upstate::None;
            };
            __upstate::Some(Self { id: field_0 })
        }
        #[inline]
        fn encode(&self, object: &mut __upstate::ObjectWriter<'_, '_>) {
            <String as __upstate::AttributeType>::write(&self.id, object);
        }
    }
    const __UPSTATE_PRIOR_1: &__upstate::Prior = &{
        let _ = <JobV2 as __upstate::IsModel>::NUMBER;
        __upstate::Prior::model::<JobV2>()
    };
    const __UPSTATE_OPERATORS_1: &__upstate::Operators = &__upstate::Operators { ..__upstate::Operators::CARRY };
    const EVERY_FIELD_IS_ACCOUNTED_FOR: () = __upstate::check_accounting::<Job>(
        __UPSTATE_PRIOR_1.table(),
        __UPSTATE_OPERATORS_1,
        &__upstate::Accounts { taken: &[], named: &[], made: &[], kept: &[], parts: &[] },
    );
    fn __upstate_async_2<'a>(
        prior: JobV3,
        context: &'a mut __upstate::UpgradeContext<'_>,
    ) -> __upstate::BoxFuture<'a, __upstate::Result<Job, __upstate::Diagnostics>> {
        __upstate::boxed(__upstate::AsyncAnswer::awaited(__upstate::AsyncModelFunction::<JobV3, Job, _, _>::call(
            look_up, prior, context,
        )))
    }
    fn __upstate_async_4<'a>(
        prior: __upstate::RawState<'a>,
        context: &'a mut __upstate::UpgradeContext<'_>,
    ) -> __upstate::BoxFuture<'a, __upstate::Result<Job, __upstate::Diagnostics>> {
        __upstate::boxed(async move {
            __upstate::RawAnswer::<Job>::into_model(__upstate::AsyncAnswer::awaited(fetch(prior, &mut *context)).await, context)
        })
    }
    impl __upstate::Resource for Job {
        const TYPE_NAME: &'static str = "job";
        const VERSION: u64 = 7;
        const UPGRADERS: &'static [__upstate::Upgrader<Self>] = &[
            __upstate::Upgrader::unsupported(0, "upgrade with release 1.x first"),
            __upstate::Upgrader::declared(1, __UPSTATE_PRIOR_1, __UPSTATE_OPERATORS_1).through(2),
            {
                let _ = <JobV3 as __upstate::IsModel>::NUMBER;
                __upstate::Upgrader::with_async::<JobV3>(3, &__upstate::WithAsync(__upstate_async_2))
            },
            __upstate::Upgrader::raw(4, &__upstate::Raw(|it, cx| __upstate::RawFunction::<Self, _>::call(read, it, cx))),
            __upstate::Upgrader::raw_async(5, &__upstate::RawAsync(__upstate_async_4)),
            {
                let _ = <JobV6 as __upstate::IsModel>::NUMBER;
                let _ = <Job as __upstate::UpgradeFrom<JobV6>>::upgrade_from;
                __upstate::Upgrader::<Job>::convert::<JobV6>(6)
            }
            .when(__upstate::When::Has("zone")),
            __upstate::Upgrader::with(
                6,
                &__upstate::With(|it, cx| __upstate::ModelFunction::<OldJobV6, Self, _>::call(convert, it, cx)),
            )
            .when(__upstate::When::Is(|it| __upstate::StateTest::<_>::call(is_old, it)))
            .downgraded_by(&__upstate::DowngradeWith(|it| __upstate::DowngradeFunction::<Self, OldJobV6, _>::call(revert, it))),
        ];
        const HISTORY: &'static __upstate::History = &__upstate::History::new(
            "Job",
            ("job", 4999694984129765468),
            false,
            false,
            0,
            &__UPSTATE_TABLE,
            &__upstate::steps::<Self, 7>(<Self as __upstate::Resource>::UPGRADERS),
        )
        .since(&[("1.0.0", 0), ("2.0.0", 7)]);
        const ROUTES: &'static [u16] = &__upstate::routes::<7>(<Self as __upstate::Resource>::HISTORY);
    }
    impl __upstate::CurrentModel for Job {
        type Plan = Self;
        type Values = __upstate::TerraformValues;
    }
    const THE_MODEL_IS_OF_ITS_VERSION: () = __upstate::check_model_version(<Job as __upstate::Resource>::HISTORY, 1);
    const THE_MODEL_IS_OF_ITS_VERSION_2: () = __upstate::check_model_version(<Job as __upstate::Resource>::HISTORY, 2);
    const THE_MODEL_IS_OF_ITS_VERSION_3: () = __upstate::check_model_version(<Job as __upstate::Resource>::HISTORY, 5);
    const THE_MODEL_IS_OF_ITS_VERSION_4: () = __upstate::check_model_version(<Job as __upstate::Resource>::HISTORY, 6);
    const WHEN_CAN_HOLD: () = __upstate::check_when(<Job as __upstate::Resource>::HISTORY, 5);
    const EARLIER_STATE_CAN_BE_READ: () = {
        __upstate::check_every_version_is_reached(<Job as __upstate::Resource>::HISTORY);
    };
};
