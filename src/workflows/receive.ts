import { log, type SignalDefinition, setHandler } from './sdk.js';

/**
 * Handles a signal. Anybody can send one: if its first argument cannot be read, it is dropped with a line in the
 * worker's log.
 * @param failing handles an error of the handler; by default that fails the workflow.
 */
export function receive<Value, Further extends unknown[]>(
  signal: SignalDefinition<[Value, ...Further]>,
  isReadable: (value: unknown) => value is Value,
  handle: (value: Value, ...further: NoInfer<Further>[number][]) => void,
  failing?: { fault(error: unknown): void },
): void {
  setHandler(signal, (value: Value, ...further: Further) => {
    if (!isReadable(value)) return log.warn(`a signal '${signal.name}' that cannot be read was dropped`);
    try {
      handle(value, ...further);
    } catch (error) {
      if (failing === undefined) throw error;
      failing.fault(error);
    }
  });
}
