import { parentPort } from 'node:worker_threads';
import { tryAgent } from '../activities/agent-factory.js';
import { checkHere, type EnvironmentSource, loadingOnce } from '../activities/environment-code.js';
import { loadUserModule } from '../activities/user-modules.js';
import { loadBundleModule } from '../bundles/module-loader.js';
import type { AgentConfig } from '../config/agent-schemas.js';
import { InvalidInputError } from '../config/errors.js';
import type { MemoryConfig } from '../config/memory-schemas.js';
import type { Task } from '../contracts/environment.js';
import { asError } from '../contracts/run-user-code.js';
import { LATE, settle } from '../sandboxes/settle.js';
import type { CodeTexts } from '../user-code/code-texts.js';
import type { PooledTask, TaskBegun, Timed } from './code-pool.js';

/** What is to be tried: a class is loaded, and then made for each task. */
export type Tried =
  | { kind: 'environment'; source: EnvironmentSource; tasks: readonly Task[] }
  | { kind: 'agent'; agent: AgentConfig; memory: MemoryConfig }
  | { kind: 'domain'; file: string; texts?: CodeTexts | undefined }
  | { kind: 'module'; file: string; folder: string; texts?: CodeTexts | undefined };

export type TrialAsked = Timed & Tried;

/** An error's class does not survive the way to another thread. */
export type TrialAnswer =
  | { passed: true }
  | { late: true }
  | { refused: string; field: string | undefined }
  | { failed: string };

const load = loadingOnce();

async function attempt(asked: Tried): Promise<void> {
  switch (asked.kind) {
    case 'agent':
      return tryAgent(asked.agent, asked.memory);
    case 'domain':
      await loadUserModule(asked.file, 'domain.file', asked.texts);
      return;
    case 'module':
      // Whoever loads it next says what it throws.
      await loadBundleModule(asked.file, asked.folder, asked.texts).catch(() => undefined);
      return;
    case 'environment':
      return checkHere(load, asked.source, asked.tasks);
  }
}

/** Entry of a thread that tries a user's code; see code-trial.ts. Never throws. */
export default async function run(asked: PooledTask<TrialAsked>): Promise<TrialAnswer> {
  parentPort?.postMessage({ begun: asked.id } satisfies TaskBegun);
  try {
    return (await settle(attempt(asked), asked.timeoutMs)) === LATE ? { late: true } : { passed: true };
  } catch (thrown) {
    const error = asError(thrown);
    const { message } = error;
    return error instanceof InvalidInputError
      ? { refused: message, field: error.field }
      : { failed: message };
  } finally {
    asked.port.close();
  }
}
