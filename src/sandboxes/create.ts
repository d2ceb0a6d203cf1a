import type { FunctionSandbox } from './sandbox.js';

export interface SandboxDependencies {
  /** Environment, `process.env` in a worker. A program gets nothing of it, except `PATH` with `process`. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Listener for slow work, in a sentence: an image that is built or pulled. */
  say?: (message: string) => void;
}

/**
 * Creates the sandbox that a config names. The Docker client is loaded only if it is needed.
 * @throws SandboxError if a variable that names the daemon is invalid.
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
