//! A model as wide as the widest resources, and an upgrader that renames half of it: the compiler has patience for it.

/// A wide thing.
#[derive(::std::fmt::Debug, ::upstate::Resource)]
#[resource(type_name = "wide", version = 1)]
#[upgrade_from(
    0,
    model = WideV0,
    rename(field_000 => new_000),
    rename(field_001 => new_001),
    rename(field_002 => new_002),
    rename(field_003 => new_003),
    rename(field_004 => new_004),
    rename(field_005 => new_005),
    rename(field_006 => new_006),
    rename(field_007 => new_007),
    rename(field_008 => new_008),
    rename(field_009 => new_009),
    rename(field_010 => new_010),
    rename(field_011 => new_011),
    rename(field_012 => new_012),
    rename(field_013 => new_013),
    rename(field_014 => new_014),
    rename(field_015 => new_015),
    rename(field_016 => new_016),
    rename(field_017 => new_017),
    rename(field_018 => new_018),
    rename(field_019 => new_019),
    rename(field_020 => new_020),
    rename(field_021 => new_021),
    rename(field_022 => new_022),
    rename(field_023 => new_023),
    rename(field_024 => new_024),
    rename(field_025 => new_025),
    rename(field_026 => new_026),
    rename(field_027 => new_027),
    rename(field_028 => new_028),
    rename(field_029 => new_029),
    rename(field_030 => new_030),
    rename(field_031 => new_031),
    rename(field_032 => new_032),
    rename(field_033 => new_033),
    rename(field_034 => new_034),
    rename(field_035 => new_035),
    rename(field_036 => new_036),
    rename(field_037 => new_037),
    rename(field_038 => new_038),
    rename(field_039 => new_039),
    rename(field_040 => new_040),
    rename(field_041 => new_041),
    rename(field_042 => new_042),
    rename(field_043 => new_043),
    rename(field_044 => new_044),
    rename(field_045 => new_045),
    rename(field_046 => new_046),
    rename(field_047 => new_047),
    rename(field_048 => new_048),
    rename(field_049 => new_049),
    rename(field_050 => new_050),
    rename(field_051 => new_051),
    rename(field_052 => new_052),
    rename(field_053 => new_053),
    rename(field_054 => new_054),
    rename(field_055 => new_055),
    rename(field_056 => new_056),
    rename(field_057 => new_057),
    rename(field_058 => new_058),
    rename(field_059 => new_059),
    rename(field_060 => new_060),
    rename(field_061 => new_061),
    rename(field_062 => new_062),
    rename(field_063 => new_063),
    rename(field_064 => new_064),
    rename(field_065 => new_065),
    rename(field_066 => new_066),
    rename(field_067 => new_067),
    rename(field_068 => new_068),
    rename(field_069 => new_069),
    rename(field_070 => new_070),
    rename(field_071 => new_071),
    rename(field_072 => new_072),
    rename(field_073 => new_073),
    rename(field_074 => new_074),
    rename(field_075 => new_075),
    rename(field_076 => new_076),
    rename(field_077 => new_077),
    rename(field_078 => new_078),
    rename(field_079 => new_079),
)]
pub struct Wide {
    /// A field.
    pub new_000: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_001: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_002: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_003: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_004: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_005: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_006: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_007: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_008: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_009: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_010: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_011: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_012: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_013: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_014: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_015: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_016: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_017: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_018: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_019: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_020: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_021: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_022: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_023: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_024: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_025: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_026: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_027: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_028: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_029: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_030: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_031: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_032: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_033: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_034: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_035: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_036: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_037: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_038: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_039: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_040: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_041: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_042: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_043: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_044: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_045: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_046: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_047: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_048: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_049: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_050: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_051: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_052: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_053: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_054: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_055: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_056: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_057: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_058: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_059: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_060: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_061: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_062: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_063: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_064: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_065: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_066: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_067: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_068: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_069: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_070: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_071: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_072: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_073: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_074: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_075: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_076: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_077: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_078: ::std::option::Option<::std::string::String>,
    /// A field.
    pub new_079: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_080: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_081: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_082: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_083: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_084: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_085: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_086: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_087: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_088: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_089: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_090: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_091: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_092: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_093: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_094: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_095: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_096: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_097: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_098: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_099: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_100: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_101: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_102: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_103: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_104: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_105: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_106: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_107: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_108: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_109: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_110: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_111: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_112: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_113: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_114: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_115: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_116: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_117: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_118: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_119: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_120: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_121: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_122: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_123: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_124: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_125: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_126: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_127: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_128: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_129: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_130: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_131: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_132: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_133: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_134: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_135: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_136: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_137: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_138: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_139: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_140: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_141: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_142: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_143: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_144: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_145: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_146: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_147: ::std::option::Option<::std::string::String>,
    /// A field.
    pub field_148: ::std::option::Option<::std::string::String>,
    /// A field.
    pub id: ::std::option::Option<::std::string::String>,
}

/// A wide thing, before.
#[derive(::std::fmt::Debug, ::upstate::Resource)]
#[resource(type_name = "wide", version = 0)]
pub struct WideV0 {
    field_000: ::std::option::Option<::std::string::String>,
    field_001: ::std::option::Option<::std::string::String>,
    field_002: ::std::option::Option<::std::string::String>,
    field_003: ::std::option::Option<::std::string::String>,
    field_004: ::std::option::Option<::std::string::String>,
    field_005: ::std::option::Option<::std::string::String>,
    field_006: ::std::option::Option<::std::string::String>,
    field_007: ::std::option::Option<::std::string::String>,
    field_008: ::std::option::Option<::std::string::String>,
    field_009: ::std::option::Option<::std::string::String>,
    field_010: ::std::option::Option<::std::string::String>,
    field_011: ::std::option::Option<::std::string::String>,
    field_012: ::std::option::Option<::std::string::String>,
    field_013: ::std::option::Option<::std::string::String>,
    field_014: ::std::option::Option<::std::string::String>,
    field_015: ::std::option::Option<::std::string::String>,
    field_016: ::std::option::Option<::std::string::String>,
    field_017: ::std::option::Option<::std::string::String>,
    field_018: ::std::option::Option<::std::string::String>,
    field_019: ::std::option::Option<::std::string::String>,
    field_020: ::std::option::Option<::std::string::String>,
    field_021: ::std::option::Option<::std::string::String>,
    field_022: ::std::option::Option<::std::string::String>,
    field_023: ::std::option::Option<::std::string::String>,
    field_024: ::std::option::Option<::std::string::String>,
    field_025: ::std::option::Option<::std::string::String>,
    field_026: ::std::option::Option<::std::string::String>,
    field_027: ::std::option::Option<::std::string::String>,
    field_028: ::std::option::Option<::std::string::String>,
    field_029: ::std::option::Option<::std::string::String>,
    field_030: ::std::option::Option<::std::string::String>,
    field_031: ::std::option::Option<::std::string::String>,
    field_032: ::std::option::Option<::std::string::String>,
    field_033: ::std::option::Option<::std::string::String>,
    field_034: ::std::option::Option<::std::string::String>,
    field_035: ::std::option::Option<::std::string::String>,
    field_036: ::std::option::Option<::std::string::String>,
    field_037: ::std::option::Option<::std::string::String>,
    field_038: ::std::option::Option<::std::string::String>,
    field_039: ::std::option::Option<::std::string::String>,
    field_040: ::std::option::Option<::std::string::String>,
    field_041: ::std::option::Option<::std::string::String>,
    field_042: ::std::option::Option<::std::string::String>,
    field_043: ::std::option::Option<::std::string::String>,
    field_044: ::std::option::Option<::std::string::String>,
    field_045: ::std::option::Option<::std::string::String>,
    field_046: ::std::option::Option<::std::string::String>,
    field_047: ::std::option::Option<::std::string::String>,
    field_048: ::std::option::Option<::std::string::String>,
    field_049: ::std::option::Option<::std::string::String>,
    field_050: ::std::option::Option<::std::string::String>,
    field_051: ::std::option::Option<::std::string::String>,
    field_052: ::std::option::Option<::std::string::String>,
    field_053: ::std::option::Option<::std::string::String>,
    field_054: ::std::option::Option<::std::string::String>,
    field_055: ::std::option::Option<::std::string::String>,
    field_056: ::std::option::Option<::std::string::String>,
    field_057: ::std::option::Option<::std::string::String>,
    field_058: ::std::option::Option<::std::string::String>,
    field_059: ::std::option::Option<::std::string::String>,
    field_060: ::std::option::Option<::std::string::String>,
    field_061: ::std::option::Option<::std::string::String>,
    field_062: ::std::option::Option<::std::string::String>,
    field_063: ::std::option::Option<::std::string::String>,
    field_064: ::std::option::Option<::std::string::String>,
    field_065: ::std::option::Option<::std::string::String>,
    field_066: ::std::option::Option<::std::string::String>,
    field_067: ::std::option::Option<::std::string::String>,
    field_068: ::std::option::Option<::std::string::String>,
    field_069: ::std::option::Option<::std::string::String>,
    field_070: ::std::option::Option<::std::string::String>,
    field_071: ::std::option::Option<::std::string::String>,
    field_072: ::std::option::Option<::std::string::String>,
    field_073: ::std::option::Option<::std::string::String>,
    field_074: ::std::option::Option<::std::string::String>,
    field_075: ::std::option::Option<::std::string::String>,
    field_076: ::std::option::Option<::std::string::String>,
    field_077: ::std::option::Option<::std::string::String>,
    field_078: ::std::option::Option<::std::string::String>,
    field_079: ::std::option::Option<::std::string::String>,
    field_080: ::std::option::Option<::std::string::String>,
    field_081: ::std::option::Option<::std::string::String>,
    field_082: ::std::option::Option<::std::string::String>,
    field_083: ::std::option::Option<::std::string::String>,
    field_084: ::std::option::Option<::std::string::String>,
    field_085: ::std::option::Option<::std::string::String>,
    field_086: ::std::option::Option<::std::string::String>,
    field_087: ::std::option::Option<::std::string::String>,
    field_088: ::std::option::Option<::std::string::String>,
    field_089: ::std::option::Option<::std::string::String>,
    field_090: ::std::option::Option<::std::string::String>,
    field_091: ::std::option::Option<::std::string::String>,
    field_092: ::std::option::Option<::std::string::String>,
    field_093: ::std::option::Option<::std::string::String>,
    field_094: ::std::option::Option<::std::string::String>,
    field_095: ::std::option::Option<::std::string::String>,
    field_096: ::std::option::Option<::std::string::String>,
    field_097: ::std::option::Option<::std::string::String>,
    field_098: ::std::option::Option<::std::string::String>,
    field_099: ::std::option::Option<::std::string::String>,
    field_100: ::std::option::Option<::std::string::String>,
    field_101: ::std::option::Option<::std::string::String>,
    field_102: ::std::option::Option<::std::string::String>,
    field_103: ::std::option::Option<::std::string::String>,
    field_104: ::std::option::Option<::std::string::String>,
    field_105: ::std::option::Option<::std::string::String>,
    field_106: ::std::option::Option<::std::string::String>,
    field_107: ::std::option::Option<::std::string::String>,
    field_108: ::std::option::Option<::std::string::String>,
    field_109: ::std::option::Option<::std::string::String>,
    field_110: ::std::option::Option<::std::string::String>,
    field_111: ::std::option::Option<::std::string::String>,
    field_112: ::std::option::Option<::std::string::String>,
    field_113: ::std::option::Option<::std::string::String>,
    field_114: ::std::option::Option<::std::string::String>,
    field_115: ::std::option::Option<::std::string::String>,
    field_116: ::std::option::Option<::std::string::String>,
    field_117: ::std::option::Option<::std::string::String>,
    field_118: ::std::option::Option<::std::string::String>,
    field_119: ::std::option::Option<::std::string::String>,
    field_120: ::std::option::Option<::std::string::String>,
    field_121: ::std::option::Option<::std::string::String>,
    field_122: ::std::option::Option<::std::string::String>,
    field_123: ::std::option::Option<::std::string::String>,
    field_124: ::std::option::Option<::std::string::String>,
    field_125: ::std::option::Option<::std::string::String>,
    field_126: ::std::option::Option<::std::string::String>,
    field_127: ::std::option::Option<::std::string::String>,
    field_128: ::std::option::Option<::std::string::String>,
    field_129: ::std::option::Option<::std::string::String>,
    field_130: ::std::option::Option<::std::string::String>,
    field_131: ::std::option::Option<::std::string::String>,
    field_132: ::std::option::Option<::std::string::String>,
    field_133: ::std::option::Option<::std::string::String>,
    field_134: ::std::option::Option<::std::string::String>,
    field_135: ::std::option::Option<::std::string::String>,
    field_136: ::std::option::Option<::std::string::String>,
    field_137: ::std::option::Option<::std::string::String>,
    field_138: ::std::option::Option<::std::string::String>,
    field_139: ::std::option::Option<::std::string::String>,
    field_140: ::std::option::Option<::std::string::String>,
    field_141: ::std::option::Option<::std::string::String>,
    field_142: ::std::option::Option<::std::string::String>,
    field_143: ::std::option::Option<::std::string::String>,
    field_144: ::std::option::Option<::std::string::String>,
    field_145: ::std::option::Option<::std::string::String>,
    field_146: ::std::option::Option<::std::string::String>,
    field_147: ::std::option::Option<::std::string::String>,
    field_148: ::std::option::Option<::std::string::String>,
    id: ::std::option::Option<::std::string::String>,
}

#[test]
fn a_wide_model_compiles_and_upgrades() {
    let wide: Wide = super::upgraded(0, r#"{"field_007": "a", "id": "b"}"#);
    ::std::assert_eq!(
        (wide.new_007.as_deref(), wide.id.as_deref()),
        (
            ::std::option::Option::Some("a"),
            ::std::option::Option::Some("b")
        )
    );
}
