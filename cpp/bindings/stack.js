// Part of each module's JavaScript: its own stack, which web/lib/open-core.js puts back after an error. Functions of
// C++ cannot do that, since they have a place on that stack themselves.
Module['stackSave'] = () => stackSave();
Module['stackRestore'] = (pointer) => stackRestore(pointer);
