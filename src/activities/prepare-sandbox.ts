import { InvalidInputError } from '../config/errors.js';
import { SandboxError } from '../sandboxes/sandbox.js';

export const WARNING =
  'sandbox process: code that the model writes runs as your user on this machine, with its files and its network. Use it for models and tasks that you trust.';

/** Says what the host's python3 means as a sandbox. */
export function warnOfProcess(notify: (message: string) => void): void {
  notify(`Warning: ${WARNING}`);
}

/** @throws InvalidInputError where there is no sandbox of that kind here: it says what to install. */
export async function orInvalidInput<Value>(prepare: () => Promise<Value>): Promise<Value> {
  try {
    return await prepare();
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    throw new InvalidInputError(`sandbox: ${error.message}`, 'sandbox');
  }
}
