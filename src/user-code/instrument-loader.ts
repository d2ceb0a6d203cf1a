import { fileURLToPath } from 'node:url';
import { instrumented } from './instrument.js';

const INSTRUMENTS = fileURLToPath(new URL('./agents/rounds.js', import.meta.url));

/** The part of webpack's loader context that is used here. */
interface LoaderContext {
  _module?: { type?: string };
  callback(error: null, code: string, map: unknown): void;
}

/** Instruments the JavaScript of users' agents, as a webpack loader; see instrument.ts. */
export default function load(this: LoaderContext, code: string, map: unknown): void {
  this.callback(null, instrumented(code, INSTRUMENTS, this._module?.type === 'javascript/esm'), map);
}
