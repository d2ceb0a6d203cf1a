import type { Logger } from 'pino';
import { mayRunCode } from '../config/combinations.js';
import { InvalidInputError } from '../config/errors.js';
import type { SandboxType } from '../config/sandbox-schema.js';
import type { RunConfig } from '../config/schema.js';
import { type Sandbox, SandboxError } from '../sandboxes/sandbox.js';

const WARNING =
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

/**
 * Makes sure that programs can be run before the first call is paid. A user's own agent is asked for nothing: whether it
 * runs code shows when it does.
 * @throws InvalidInputError that says what to install, or what the other sandbox would mean.
 */
export async function prepareSandbox(
  config: RunConfig,
  { sandbox, notify }: { sandbox(type: SandboxType): Promise<Sandbox>; notify(message: string): void },
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  if (!mayRunCode(config)) return;
  const { type } = config.sandbox;
  if (type === 'process') {
    warnOfProcess(notify);
    log.warn(WARNING);
  }
  if ('file' in config.agent) return;
  await orInvalidInput(async () => (await sandbox(type)).prepare());
}
