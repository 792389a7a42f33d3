//! Rules about functions: calls give their arguments by position.

use super::rules;

rules! { FUNCTIONS:
    FUNCTION_PARAMETERS_CHANGED = "function-parameters-changed", Breaking, NO, Major, [Config],
        "a function takes other arguments",
        "Calls give arguments by position, so every call has to be edited.",
        "Add a function with a new name and deprecate this one; or wait for a major release.";
    FUNCTION_PARAMETER_ADDED = "function-parameter-added", Safe, NO, Minor, [Config],
        "a function takes any number of further arguments",
        "Calls without them go on working.",
        "Nothing.";
    FUNCTION_PARAMETER_RENAMED = "function-parameter-renamed", Safe, NO, Patch, [Policy],
        "a parameter has another name",
        "Calls give arguments by position; messages and documentation name it.",
        "Nothing.";
    FUNCTION_NULL_REFUSED = "function-null-refused", Breaking, NO, Major, [Config],
        "a parameter no longer takes null",
        "Calls that give null fail.",
        "Keep the field an `Option`, or wait for a major release.";
    FUNCTION_NULL_TAKEN = "function-null-taken", Safe, NO, Minor, [Config],
        "a parameter takes null",
        "Calls with null were refused.",
        "Nothing.";
}
