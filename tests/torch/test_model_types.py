# The types of transformers: attnscope reads a file of each, or refuses it by a reason of its type, and never by the name of
# another one.

import transformers
from transformers import CONFIG_MAPPING


def test_the_tables_are_of_this_version_and_hold_every_type_once(index):
    read, refused = index.model_types["read"], index.model_types["refused"]
    assert index.model_types["version"] == transformers.__version__
    listed = [*read, *refused]
    assert len(listed) == len(set(listed))
    known = set(CONFIG_MAPPING.keys())
    others = {"kimi_k2"}  # its code comes with the model
    assert set(listed) - others == known
