import { parentPort } from 'node:worker_threads';
import { Lru, loadedOnce } from '../activities/lru.js';
import { loadUserModule } from '../activities/user-modules.js';
import { InvalidInputError } from '../config/errors.js';
import { messageWithPlace } from '../contracts/place-of-error.js';
import { asError, shownValue } from '../contracts/run-user-code.js';
import { customDomain } from '../evolution/domains/custom.js';
import type { Domain, DomainScore } from '../evolution/domains/domain.js';
import type { DatasetExample } from '../evolution/types.js';
import type { CodeTexts } from '../user-code/code-texts.js';
import type { PooledTask, TaskBegun, Timed } from './code-pool.js';
import type { Late } from './fair-pool.js';
import { inTime } from './in-time.js';

/** An output to be scored. */
export interface ScoreAsked extends Timed {
  /** The experiment: its file is loaded once. */
  experiment: string;
  /** Absolute. */
  file: string;
  /** Of the file, as the experiment began with it here. */
  texts: CodeTexts | undefined;
  output: string;
  example: DatasetExample;
}

/** An error's class does not survive the way to another thread. */
export type ScoreAnswer =
  /** As the file says; JSON, but for numbers that are not finite. */
  { scored: DomainScore } | { refused: string; field: string | undefined } | { threw: string };

/** Experiments whose files a thread holds. */
const EXPERIMENTS = 16;

const domains = new Lru<string, Promise<Domain>>(EXPERIMENTS);

/** What can be sent to another thread. */
function plain({ score, message, metrics }: DomainScore): DomainScore {
  return {
    score: plainValue(score) as number,
    message: typeof message === 'string' ? message : shownValue(message ?? ''),
    ...(metrics === undefined ? {} : { metrics: plainValue(metrics) as Record<string, number> }),
  };
}

/** Values without parts are cloned as they are; of others, numbers that are not finite become texts that say so. */
function plainValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return typeof value === 'function' ? String(value) : value;
  const json = JSON.stringify(value, (_, part) =>
    typeof part === 'bigint' || (typeof part === 'number' && !Number.isFinite(part)) ? String(part) : part,
  );
  return json === undefined ? undefined : JSON.parse(json);
}

async function score({ experiment, file, texts, output, example }: ScoreAsked): Promise<ScoreAnswer> {
  const domain = await loadedOnce(domains, experiment, async () =>
    customDomain(await loadUserModule(file, 'domain.file', texts)),
  );
  try {
    return { scored: plain(await domain.score(output, example)) };
  } catch (error) {
    return { threw: messageWithPlace(error, file) };
  }
}

/** Entry of a thread that runs a user's scorer; see scorer-pool.ts. Never throws. */
export default async function run(asked: PooledTask<ScoreAsked>): Promise<ScoreAnswer | Late> {
  parentPort?.postMessage({ begun: asked.id } satisfies TaskBegun);
  try {
    return await inTime(() => score(asked), asked.timeoutMs);
  } catch (error) {
    const { message } = asError(error);
    return { refused: message, field: error instanceof InvalidInputError ? error.field : undefined };
  } finally {
    asked.port.close();
  }
}
