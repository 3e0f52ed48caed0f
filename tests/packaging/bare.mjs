// Runs a WebAssembly program that needs nothing from its host: cargo's runner for tests. It prints
// nothing; a test that fails ends it with a trap, which ends node with an error.
import { readFile } from "node:fs/promises";

const { instance } = await WebAssembly.instantiate(await readFile(process.argv[2]), {});
process.exitCode = instance.exports.main(0, 0);
console.log("the tests of the core have run");
