// Runs a WebAssembly program of the target wasm32-wasip1 in node: cargo's runner for tests.
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const program = process.argv[2];
const wasi = new WASI({ version: "preview1", args: process.argv.slice(2) });
const module = await WebAssembly.compile(await readFile(program));
process.exitCode = wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));
