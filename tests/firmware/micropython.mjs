// Runs Python on MicroPython: usage: node micropython.mjs FOLDER, with the programs on standard input.
//
// The folder's files are there as on the board's drive. Standard input is a list of programs as JSON. Between two of
// them the garbage is collected: MicroPython for WebAssembly can do that only while no Python runs.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadMicroPython } from "../../web/node_modules/@micropython/micropython-webassembly-pyscript/micropython.mjs";

const micropython = await loadMicroPython({ heapsize: 256 * 1024, stdout: (line) => console.log(line) });

function copy(from, to) {
    for (const entry of readdirSync(from, { withFileTypes: true })) {
        const [source, target] = [join(from, entry.name), `${to}/${entry.name}`];
        if (entry.isDirectory()) {
            micropython.FS.mkdir(target);
            copy(source, target);
        } else {
            micropython.FS.writeFile(target, readFileSync(source));
        }
    }
}

micropython.FS.mkdir("/drive");
copy(process.argv[2], "/drive");
micropython.runPython("import gc, sys\nsys.path.insert(0, '/drive')");
try {
    for (const program of JSON.parse(readFileSync(0, "utf8"))) {
        micropython.runPython("gc.collect()");
        micropython.runPython(program);
    }
} catch (error) {
    console.error(error.message);
    process.exit(1);
}
