import { AsyncLocalStorage } from 'node:async_hooks';
import { findSinkBy, type LogSink } from '../contracts/logger.js';

const inForce = new AsyncLocalStorage<LogSink>();
findSinkBy(() => inForce.getStore());

/** Sends what code of users logs during some work, and in everything asynchronous that it begins, to a sink. */
export function withLog<Value>({ level, write }: LogSink, work: () => Value): Value {
  const outer = inForce.getStore() as LogSink;
  // A sink may itself log.
  return inForce.run({ level, write: (line) => inForce.run(outer, () => write(line)) }, work);
}

/** Returns the sink in force; undefined: lines are dropped. */
export function logSink(): LogSink | undefined {
  return inForce.getStore();
}
