//! Rules about types and nesting.

use super::rules;

rules! { TYPES:
    TYPE_WIDENED = "type-widened", Safe, NO, Minor, [Reference],
        "a number may be more than it was",
        "Stored values read as before; into a 64-bit float, whole numbers above 2^53 lose digits.",
        "Keep every digit: read into `Number`.";
    TYPE_NARROWED = "type-narrowed", Breaking, YES, Major, [Config State],
        "a number may be less than it was",
        "Stored fractions, or numbers that are too large, no longer read.",
        "Raise the schema version and decide in the upgrade what becomes of them.";
    TYPE_CHANGED = "type-changed", Breaking, YES, Major, [Config Reference State],
        "an attribute has another type",
        "Stored values have the old type, and a value that meant unset may not mean it any more.",
        "Raise the schema version and convert the value in the upgrade.";
    TYPE_TO_DYNAMIC = "type-to-dynamic", Potential, YES, Minor, [State],
        "an attribute takes values of any type",
        "Configurations go on working, but a dynamic value is stored with its type around it: the stored value does not read.",
        "Raise the schema version and wrap the value in the upgrade.";
    TYPE_FROM_DYNAMIC = "type-from-dynamic", Breaking, YES, Major, [Config Reference State],
        "an attribute no longer takes values of any type",
        "The stored value has its type around it, and may be of any type.",
        "Raise the schema version and unwrap the value in the upgrade; some values may have to be refused.";
    LIST_TO_SET = "list-to-set", Breaking, STRICT, Major, [Config Reference State],
        "a list became a set",
        "Elements can no longer be reached by position, and of equal ones only one is kept.",
        "Raise the schema version and say in the upgrade what becomes of duplicates.";
    SET_TO_LIST = "set-to-list", Breaking, STRICT, Major, [Config Plan State],
        "a set became a list",
        "The order matters now, and stored elements have an arbitrary one.",
        "Raise the schema version and put the elements in order in the upgrade.";
    COLLECTION_KIND_CHANGED = "collection-kind-changed", Breaking, YES, Major, [Config Reference State],
        "a collection is of another kind",
        "The stored value is arranged in another way.",
        "Raise the schema version and rearrange the elements in the upgrade.";
    SCALAR_COLLECTION_CHANGED = "scalar-collection-changed", Breaking, YES, Major, [Config Reference State],
        "a single value became a collection, or the other way round",
        "The stored value is arranged in another way.",
        "Better add an attribute with a new name; else raise the schema version and convert the value in the upgrade.";
    ELEMENT_TYPE_CHANGED = "element-type-changed", Breaking, YES, Major, [Config Reference State],
        "the elements of a collection have another type",
        "Stored elements have the old type.",
        "Raise the schema version and convert the elements in the upgrade.";
    OBJECT_MEMBER_ADDED = "object-member-added", Breaking, NO, Major, [Config],
        "a plain object has one more member",
        "Configurations that write such an object have to write every member.",
        "Mark the member optional, or use a nested attribute, whose members can be left out.";
    OBJECT_MEMBER_REMOVED = "object-member-removed", Breaking, STRICT, Major, [Config Reference State],
        "a plain object has one member less",
        "Configurations that write it and expressions that read it fail.",
        "Raise the schema version and account for the stored member in the upgrade.";
    TUPLE_ARITY_CHANGED = "tuple-arity-changed", Breaking, YES, Major, [Config Reference State],
        "a tuple has another length",
        "Stored tuples of the old length do not read.",
        "Raise the schema version and rebuild the tuple in the upgrade.";
    VARIANT_REMOVED = "variant-removed", Breaking, YES, Major, [State],
        "an enum with data has one variant less",
        "Stored values of the variant do not read any more.",
        "Raise the version and write what became of the variant, `variants(x, \"Old\" => \"New\")` or `variants(x, drop(…))`, or keep it.";
    VARIANT_ADDED = "variant-added", Safe, NO, Minor, [State],
        "an enum with data has one variant more",
        "Earlier releases do not read values of the variant.",
        "Tell users who go back to an earlier release.";
    UNION_TAGGING_CHANGED = "union-tagging-changed", Breaking, YES, Major, [State],
        "the values of an enum with data name their variant in another way",
        "Every stored value has the old form, or reads as another variant where untagged ones changed their order or an earlier one takes more.",
        "Raise the version and convert the stored values in a function of the upgrade.";
    NESTING_MODE_CHANGED = "nesting-mode-changed", Breaking, YES, Major, [Config Reference State],
        "nested objects are arranged in another way",
        "One object, a list and a map are stored differently.",
        "Raise the schema version and wrap, unwrap or rekey the objects in the upgrade.";
    BLOCK_TO_ATTRIBUTE = "block-to-attribute", Breaking, STRICT, Major, [Config State],
        "a block became an attribute",
        "It is written with `=` now, and stored null where there was an empty list.",
        "There is no overlap under one name: wait for a major release and show both forms in the upgrade guide.";
    ATTRIBUTE_TO_BLOCK = "attribute-to-block", Breaking, STRICT, Major, [Config State],
        "an attribute became a block",
        "It is written without `=` now, cannot be assigned as a whole, and null became an empty list.",
        "There is no overlap under one name: wait for a major release and show both forms in the upgrade guide.";
    OBJECT_TO_NESTED = "object-to-nested", Safe, NO, Minor, [Config],
        "a plain object became a nested attribute",
        "Its members can be left out now; it is stored as before.",
        "Nothing.";
    NESTED_TO_OBJECT = "nested-to-object", Breaking, NO, Major, [Config],
        "a nested attribute became a plain object",
        "Every member has to be written now.",
        "Stay with the nested attribute.";
}
