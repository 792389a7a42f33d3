// 164 lines for 3 members: 54.6 each
#[automatically_derived]
#[doc(hidden)]
#[allow(clippy::question_mark, dead_code, deprecated, long_running_const_eval, unexpected_cfgs, unused_qualifications)]
const _: () = {
    use ::upstate::__private as __upstate;
    static __UPSTATE_SLOT_2: __upstate::Slot<Vec<Rule>> = <Vec<Rule> as __upstate::BlockType>::SLOT;
    static __UPSTATE_SCHEMA: __upstate::LazySchema = __upstate::LazySchema::new();
    static __UPSTATE_TABLE: __upstate::Table = __upstate::Table {
        rust_name: __upstate::concat!(__upstate::module_path!(), "::Wall"),
        defined_at: __upstate::here(),
        version: 0,
        description: "A wall.",
        rows: &[
            __upstate::Row {
                name: "id",
                key: 628021283683842752,
                flags: __upstate::flags::COMPUTED,
                description: "Assigned by the API.",
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
                name: "rules",
                key: 7427086052848915392,
                flags: __upstate::flags::BLOCK,
                description: "",
                info: __UPSTATE_SLOT_2.info,
                beside: __upstate::None,
            },
        ],
        ..__upstate::Table::stub(&__UPSTATE_SCHEMA)
    };
    impl __upstate::Object for Wall {
        const TABLE: &'static __upstate::Table = &__UPSTATE_TABLE;
        #[inline]
        fn decode(object: &mut __upstate::ObjectReader<'_, '_>) -> __upstate::Option<Self> {
            let __upstate::Some(field_0) = <String as __upstate::AttributeType>::read(object) else {
                return __upstate::None;
            };
            let __upstate::Some(field_1) = <String as __upstate::AttributeType>::read(object) else {
                return __upstate::None;
            };
            let __upstate::Some(field_2) = __UPSTATE_SLOT_2.read(object) else {
                return __upstate::None;
            };
            __upstate::Some(Self { id: field_0, name: field_1, rules: field_2 })
        }
        #[inline]
        fn encode(&self, object: &mut __upstate::ObjectWriter<'_, '_>) {
            <String as __upstate::AttributeType>::write(&self.id, object);
            <String as __upstate::AttributeType>::write(&self.name, object);
            __UPSTATE_SLOT_2.write(&self.rules, object);
        }
    }
    impl __upstate::Resource for Wall {
        const TYPE_NAME: &'static str = "example_wall";
        const VERSION: u64 = 0;
        const UPGRADERS: &'static [__upstate::Upgrader<Self>] = &[];
        const HISTORY: &'static __upstate::History = &__upstate::History::new(
            "Wall",
            ("example_wall", 1361652340454783666),
            true,
            false,
            0,
            &__UPSTATE_TABLE,
            &__upstate::steps::<Self, 0>(<Self as __upstate::Resource>::UPGRADERS),
        );
        const ROUTES: &'static [u16] = &__upstate::routes::<0>(<Self as __upstate::Resource>::HISTORY);
    }
    impl __upstate::CurrentModel for Wall {
        type Plan = WallPlan;
        type Values = __upstate::TerraformValues;
    }
};
#[doc = "A planned [`Wall`]: its fields as far as they are known before a change is applied."]
#[allow(dead_code, deprecated)]
pub struct WallPlan {
    #[doc = "Assigned by the API."]
    pub id: ::upstate::Computed<String>,
    #[doc = ""]
    pub name: String,
    #[doc = ""]
    pub rules: Vec<RulePlan>,
}
#[doc = "The paths of the fields of a [`Wall`]."]
#[allow(dead_code, deprecated)]
pub struct WallPaths<D = ::upstate::__private::Closed, W = ::upstate::__private::Closed> {
    #[doc(hidden)]
    __whole: ::upstate::__private::TypedPath<W>,
    #[doc = "Assigned by the API."]
    pub id: ::upstate::__private::TypedPath<D>,
    #[doc = ""]
    pub name: ::upstate::__private::TypedPath<D>,
    #[doc = ""]
    pub rules: RulePaths<::upstate::__private::Open<D>, D>,
}
#[automatically_derived]
#[doc(hidden)]
#[allow(clippy::question_mark, dead_code, deprecated, long_running_const_eval, unexpected_cfgs, unused_qualifications)]
const _: () = {
    use ::upstate::__private as __upstate;
    impl __upstate::HasPlan for Wall {
        type Plan = WallPlan;
        #[allow(unused_variables)]
        fn into_plan(self, unknowns: __upstate::Unknowns<'_>) -> WallPlan {
            WallPlan { id: unknowns.computed("id", self.id), name: self.name, rules: unknowns.inside("rules", self.rules) }
        }
    }
    impl __upstate::PlanOf<Wall> for WallPlan {
        const IS_APART: bool = true;
        fn of(model: Wall, unknowns: __upstate::Unknowns<'_>) -> Self {
            __upstate::HasPlan::into_plan(model, unknowns)
        }
    }
    impl Wall {
        #[doc = r" The paths of the fields."]
        #[allow(dead_code)]
        pub const PATHS: WallPaths = WallPaths::in_object(__upstate::TypedPath::ROOT);
    }
    impl<D> WallPaths<D, D> {
        #[allow(dead_code)]
        #[doc(hidden)]
        pub const fn in_object(at: __upstate::TypedPath<D>) -> Self {
            Self {
                __whole: at,
                id: at.attribute("id"),
                name: at.attribute("name"),
                rules: <RulePaths<_, _>>::in_elements(at.attribute("rules")),
            }
        }
    }
    impl<W> WallPaths<__upstate::Open<W>, W> {
        #[allow(dead_code)]
        #[doc(hidden)]
        pub const fn in_elements(at: __upstate::TypedPath<W>) -> Self {
            Self {
                __whole: at,
                id: at.in_elements("id"),
                name: at.in_elements("name"),
                rules: <RulePaths<_, _>>::in_elements(at.in_elements("rules")),
            }
        }
    }
    impl<D, W> WallPaths<D, W> {
        #[doc = r" The names of the field itself."]
        #[allow(dead_code)]
        pub const fn names(&self) -> __upstate::AttributeNames {
            self.__whole.names()
        }
    }
    impl<D> ::core::convert::From<WallPaths<D, __upstate::Closed>> for __upstate::AttributePath {
        fn from(paths: WallPaths<D, __upstate::Closed>) -> Self {
            paths.__whole.into()
        }
    }
};
