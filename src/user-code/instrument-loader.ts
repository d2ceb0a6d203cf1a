import { fileURLToPath } from 'node:url';
import { instrumented } from './instrument.js';

const INSTRUMENTS = fileURLToPath(new URL('./agents/rounds.js', import.meta.url));

/** What webpack hands a loader, as far as it matters here. */
interface LoaderContext {
  _module?: { type?: string };
  callback(error: null, code: string, map: unknown): void;
}

/** Webpack's loader for the files of users' agents, after they were made JavaScript; see instrument.ts. */
export default function load(this: LoaderContext, code: string, map: unknown): void {
  this.callback(null, instrumented(code, INSTRUMENTS, this._module?.type === 'javascript/esm'), map);
}
