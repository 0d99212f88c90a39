// Appended to each WebAssembly test program: an ES module exports its factory, and a program runs it.
await Module();
