// 31 lines for 2 members: 15.5 each
#[automatically_derived]
#[doc(hidden)]
#[allow(clippy::question_mark, dead_code, deprecated, long_running_const_eval, unexpected_cfgs, unused_qualifications)]
const _: () = {
    use ::upstate::__private as __upstate;
    impl __upstate::StringEnum for Size {
        const TEXTS: &'static [&'static str] = &["small", "xl"];
        fn from_position(position: usize) -> __upstate::Option<Self> {
            match position {
                0 => __upstate::Some(Self::Small),
                1 => __upstate::Some(Self::ExtraLarge),
                _ => __upstate::None,
            }
        }
        fn position(&self) -> usize {
            match self {
                Self::Small => 0,
                Self::ExtraLarge => 1,
            }
        }
    }
    impl __upstate::AttributeType for Size {
        const INFO: &'static __upstate::TypeInfo = &__upstate::TypeInfo::texts(&["small", "xl"], 9682208661235459165);
        fn decode(reader: &mut __upstate::Reader<'_>) -> __upstate::Result<Self, __upstate::DecodeError> {
            __upstate::read_string_enum(reader)
        }
        fn encode(&self, writer: &mut __upstate::Writer<'_>) {
            __upstate::write_string_enum(self, writer);
        }
    }
};
