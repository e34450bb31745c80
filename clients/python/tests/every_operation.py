"""Calls operations by their names, and prints what each answered. The end-to-end test gives the requests in a file."""

import inspect
import json
import os
import re
import sys
from typing import Any

from berth_sdk import Berth, BerthError

settings = json.loads(os.environ["STORY"])


def snake(name: str) -> str:
    text = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", re.sub(r"\W", "_", name))
    return re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", text).lower()


with open(sys.argv[1], encoding="utf-8") as file:
    requests: list[dict[str, Any]] = json.load(file)

answers: dict[str, Any] = {}
with Berth(settings["url"], settings["key"], settings["workspace"], gateway_url=settings["url"]) as berth:
    for request in requests:
        call = getattr(berth, snake(request["id"]))
        given = {**request["params"], **request["query"]}
        arguments = {snake(name): value for name, value in given.items()}
        if "body" in inspect.signature(call).parameters:
            arguments["body"] = request["body"]
        try:
            answers[request["id"]] = {"status": 200, "body": call(**arguments)}
        except BerthError as error:
            answers[request["id"]] = {"status": error.status, "code": error.code, "family": type(error).__name__}
print(json.dumps(answers))
