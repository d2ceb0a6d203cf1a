import { availableParallelism } from 'node:os';
import { loadedOnce } from '../activities/loaded-once.js';
import { InvalidInputError } from '../config/errors.js';
import type { SandboxType } from '../config/sandbox-schema.js';
import { createSandbox } from '../sandboxes/create.js';
import type { FunctionSandbox } from '../sandboxes/sandbox.js';

/**
 * Returns the maximum number of programs running at once in one worker: REPRISE_MAX_EXECUTIONS, else two for each core,
 * since most of them wait for their container.
 */
export function concurrentExecutions(environment: NodeJS.ProcessEnv): number {
  const given = environment.REPRISE_MAX_EXECUTIONS;
  if (!given) return availableParallelism() * 2;
  const count = Number(given);
  if (Number.isInteger(count) && count > 0) return count;
  throw new InvalidInputError(`REPRISE_MAX_EXECUTIONS=${given}: must be a whole number of at least 1`);
}

/** Sandboxes of a worker: one of each kind, created on first use. */
export class Sandboxes {
  private readonly made = new Map<SandboxType, Promise<FunctionSandbox>>();

  constructor(
    private readonly environment: NodeJS.ProcessEnv,
    /** Called before long operations. */
    private readonly say: (message: string) => void,
  ) {}

  readonly get = (type: SandboxType): Promise<FunctionSandbox> => {
    const { environment, say } = this;
    return loadedOnce(this.made, type, () => createSandbox(type, { environment, say }));
  };

  async close(): Promise<void> {
    const sandboxes = await Promise.allSettled(this.made.values());
    await Promise.all(
      sandboxes.map(async (made) => (made.status === 'fulfilled' ? made.value.close() : undefined)),
    );
  }
}
