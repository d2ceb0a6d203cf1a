/*
 * Loads the files that scripts/bundle.mjs puts together, with the machine code that V8 made of them when they ran
 * before: Node 20 has no `module.enableCompileCache`.
 */
import fs = require('node:fs');
import modules = require('node:module');
import path = require('node:path');
import vm = require('node:vm');
import threads = require('node:worker_threads');

const FOLDER = path.join(__dirname, '..', 'bundled');
/** Compiled code is specific to the version of Node and to the processor; V8 refuses what does not fit all the same. */
const COMPILED = path.join(FOLDER, `compiled-${process.version}-${process.arch}`);

/** As Node wraps a CommonJS module; `importHere` stands for `import`. */
const HEAD = '(function (exports, require, module, __filename, __dirname, importHere) {';

const nodeRequire = modules.createRequire(path.join(FOLDER, 'x.cjs'));
const loaded = new Map<string, { exports: unknown }>();
/** Files that were compiled anew. */
const compiled = new Map<string, vm.Script>();

function read(file: string): Buffer | undefined {
  try {
    return fs.readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Stores the compiled code for the next process. Where the folder cannot be written, each process compiles. */
function store(): void {
  try {
    if (compiled.size > 0) fs.mkdirSync(COMPILED, { recursive: true });
    for (const [name, script] of compiled) {
      const file = path.join(COMPILED, name);
      const own = `${file}.${process.pid}-${threads.threadId}`;
      fs.writeFileSync(own, script.createCachedData());
      fs.renameSync(own, file);
    }
  } catch {
    // Another user's folder, or a read-only one.
  }
}

function load(name: string): unknown {
  const before = loaded.get(name);
  if (before !== undefined) return before.exports;
  const filename = path.join(FOLDER, name);
  const cachedData = read(path.join(COMPILED, name));
  const script = new vm.Script(`${HEAD}${fs.readFileSync(filename, 'utf8')}\n})`, {
    filename,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  if (cachedData === undefined || script.cachedDataRejected === true) compiled.set(name, script);
  const own = { exports: {} };
  loaded.set(name, own);
  script.runInThisContext()(own.exports, requireHere, own, filename, FOLDER, importHere);
  return own.exports;
}

const requireHere = Object.assign(
  (id: string): unknown => (id.startsWith('./') ? load(id.slice(2)) : nodeRequire(id)),
  { resolve: nodeRequire.resolve },
);

const importHere = (id: string): Promise<unknown> => import(id);

/**
 * Loads a program that was put together.
 * @returns its exports; undefined: there is none, because this is not the result of `npm run build`
 */
function loadBundled<Exports>(name: string): Exports | undefined {
  const entries = read(path.join(FOLDER, 'entries.json'));
  if (entries === undefined) return undefined;
  const exports = load(JSON.parse(entries.toString())[name]);
  // A thread is ended without an event.
  if (threads.isMainThread) process.once('exit', store);
  else store();
  return exports as Exports;
}

export = loadBundled;
