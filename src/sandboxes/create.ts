import type { FunctionSandbox } from './sandbox.js';

export interface SandboxDependencies {
  /** `process.env` in a worker. Nothing of it reaches a program but, with `process`, `PATH`. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Hears, in a sentence, what takes long: an image that is built or pulled. */
  say?: (message: string) => void;
}

/**
 * Makes the sandbox that a config names. The Docker client is loaded only where it is asked for.
 * @throws SandboxError where a variable that names the daemon makes no sense.
 */
export async function createSandbox(
  type: FunctionSandbox['type'],
  dependencies: SandboxDependencies,
): Promise<FunctionSandbox> {
  switch (type) {
    case 'docker': {
      const { dockerSandbox } = await import('./docker-sandbox.js');
      return dockerSandbox(dependencies);
    }
    case 'process': {
      const { processSandbox } = await import('./process-sandbox.js');
      return processSandbox(dependencies);
    }
  }
}
