# Runs the scripts of a file to their ends, and prints the scores that they find, as JSON.

import io
import json
import re
import sys
from contextlib import redirect_stdout

import torch

torch.set_num_threads(1)  # the layers are small


def score(script):
    namespace, said = {"__name__": "printed"}, io.StringIO()
    with redirect_stdout(said):
        exec(compile(script, "script", "exec"), namespace)
        namespace["main"]()
    return float(re.search(r"held-out \w+: (\S+) %", said.getvalue())[1])


with open(sys.argv[1], encoding="utf-8") as file:
    print(json.dumps([[score(script) for script in scripts] for scripts in json.load(file)]))
