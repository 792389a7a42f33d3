"""Stored states, one a line, as many as are wanted: those of a state file over and over, each with a number of its own."""

import json

# Lines that no filter can upgrade, or should leave alone.
ODD = [
    '{"id": %d, "type_name": "docker_network", "schema_version": 99, "attributes": {"name": "newer"}}',
    '{"id": %d, "type_name": "docker_network", "schema_version": 0, "attributes": {"name": ["not a string"]}}',
    '{"id": %d, "type_name": "somebody_elses", "schema_version": 3, "attributes": {"kept": 1.50}}',
    '{"id": %d, "type_name": "docker_network"}',
    "line %d is not JSON",
]


def states(state_file):
    """The managed instances of a state file as (type name, schema version, attributes as JSON)."""
    with open(state_file, encoding="utf-8") as file:
        resources = json.load(file)["resources"]
    for resource in resources:
        for instance in resource["instances"]:
            if resource["mode"] == "managed" and "attributes" in instance:
                yield resource["type"], instance.get("schema_version", 0), json.dumps(instance["attributes"])


def write(path, state_file, count, odd_every=0):
    """Writes so many lines, of which every `odd_every`th is odd."""
    known = list(states(state_file))
    with open(path, "w", encoding="utf-8") as file:
        for number in range(count):
            if odd_every and number % odd_every == odd_every - 1:
                file.write(ODD[number // odd_every % len(ODD)] % number + "\n")
                continue
            type_name, version, attributes = known[number % len(known)]
            file.write(f'{{"id": {number}, "type_name": "{type_name}", "schema_version": {version}, "attributes": {attributes}}}\n')
