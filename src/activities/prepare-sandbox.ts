import { InvalidInputError } from '../config/errors.js';
import { SandboxError } from '../sandboxes/sandbox.js';

export const WARNING =
  'sandbox process: code that the model writes runs as your user on this machine, with its files and its network. Use it for models and tasks that you trust.';

/** Warns that the host's python3 is no sandbox. */
export function warnOfProcess(notify: (message: string) => void): void {
  notify(`Warning: ${WARNING}`);
}

/** Prepares a sandbox. @throws InvalidInputError if it is unavailable here: the message names what to install. */
export async function preparedSandbox<Value>(prepare: () => Promise<Value>): Promise<Value> {
  try {
    return await prepare();
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    throw new InvalidInputError(`sandbox: ${error.message}`, 'sandbox');
  }
}
