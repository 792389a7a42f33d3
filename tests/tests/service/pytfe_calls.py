"""Calls functions of pytfe for a test: a line of JSON in is a call, a line of JSON out is what came of it.

In:  {"call": "state_versions.read", "arguments": [...], "named": {...}}
     {"$model": "Name", ...} is an object of that class of pytfe.models, {"$bytes": "..."} is base64.
Out: {"value": ...} or {"error": "NotFound", "status": 404, "message": "..."}
"""

import base64
import collections.abc
import json
import sys

import pydantic
import pytfe
from pytfe import errors, models


def given(value):
    if isinstance(value, list):
        return [given(item) for item in value]
    if isinstance(value, dict):
        if "$bytes" in value:
            return base64.b64decode(value["$bytes"])
        fields = {name: given(item) for name, item in value.items() if name != "$model"}
        return getattr(models, value["$model"])(**fields) if "$model" in value else fields
    return value


def told(value):
    if isinstance(value, bytes):
        return {"$bytes": base64.b64encode(value).decode()}
    if isinstance(value, pydantic.BaseModel):
        fields = value.model_dump(mode="json")
        # What pytfe keeps of the document as it came.
        for name in ("relationships", "included"):
            if getattr(value, f"_{name}", None):
                fields[f"_{name}"] = getattr(value, f"_{name}")
        return fields
    if isinstance(value, (list, tuple, collections.abc.Iterator)):
        return [told(item) for item in value]
    return value


def main():
    client = pytfe.TFEClient(pytfe.TFEConfig(address=sys.argv[1], token=sys.argv[2], backoff_base=0.05))
    for line in sys.stdin:
        call = json.loads(line)
        service, function = call["call"].split(".")
        try:
            function = getattr(getattr(client, service), function)
            answer = {"value": told(function(*given(call["arguments"]), **given(call["named"])))}
        except (errors.TFEError, ValueError) as error:
            kind = type(error).__name__
            answer = {"error": kind, "status": getattr(error, "status", None), "message": str(error)}
        print(json.dumps(answer), flush=True)


main()
