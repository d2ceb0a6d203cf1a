import type { WorkerDependencies } from '../../activities/dependencies.js';
import { pricesInUse } from '../../activities/prices-in-use.js';
import { InvalidInputError } from '../../config/errors.js';
import { CODE_ENDINGS, checkFile } from '../../config/named-files.js';
import { messageWithPlace } from '../../contracts/place-of-error.js';
import { shownValue } from '../../contracts/run-user-code.js';
import { GradingLimitError } from '../../grading/grade.js';
import { codeNow, type UserCode } from '../../user-code/code.js';
import { type OwnCode, ownCodeIn } from '../../user-code/code-file.js';
import { CodeEndedError, type CodePool } from '../../user-code/code-pool.js';
import type { CodeRunner } from '../../user-code/code-runner.js';
import { isLoaded, loadNamedModule } from '../../user-code/load-module.js';
import { threadWork } from '../../user-code/thread-work.js';
import { customDomain } from './evolution/domains/custom.js';
import type { Domain, DomainScore } from './evolution/domains/domain.js';
import type { DatasetExample } from './evolution/types.js';
import type { EvolveConfig } from './schema.js';

/** Field that names a user's scorer. */
const FIELD = 'domain.file';

interface OwnDomainLimits {
  /** Maximum milliseconds of scoring one output: 120,000. */
  scoringMs?: number;
  /** Maximum milliseconds of loading the file: 60,000. */
  loadingMs?: number;
}

/**
 * Creates the domain of a user's file, which runs in the caller's thread.
 * @param code version to load, even if the file has changed
 * @throws InvalidInputError
 */
export async function ownDomain(file: string, code?: UserCode): Promise<Domain> {
  const loaded = await loadNamedModule(file, FIELD, code);
  try {
    return customDomain(loaded);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new InvalidInputError(`${FIELD}: ${file}: ${error.message}`, FIELD);
  }
}

interface OutputToScore {
  file: string;
  code: UserCode;
  output: string;
  example: DatasetExample;
}

/** Loads a scorer, in a thread. @thread */
export async function loadScorer({ file, code }: Pick<OutputToScore, 'file' | 'code'>): Promise<void> {
  await loadNamedModule(file, FIELD, code);
}

/** Scores an output, in a thread. @thread */
export async function scoreInThread({ file, code, output, example }: OutputToScore): Promise<DomainScore> {
  const domain = await ownDomain(file, code);
  try {
    return plainScore(await domain.score(output, example));
  } catch (error) {
    throw new Error(messageWithPlace(error, file));
  }
}

const LOAD = threadWork(import.meta.url, loadScorer);
const SCORE = threadWork(import.meta.url, scoreInThread);

/** Returns a score that can be sent to another thread. */
function plainScore({ score, message, metrics }: DomainScore): DomainScore {
  return {
    score: plainValue(score) as number,
    message: typeof message === 'string' ? message : shownValue(message ?? ''),
    ...(metrics === undefined ? {} : { metrics: plainValue(metrics) as Record<string, number> }),
  };
}

/** Converts a value to one that can be cloned: functions become texts, and so do infinite numbers in an object. */
function plainValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return typeof value === 'function' ? String(value) : value;
  const json = JSON.stringify(value, (_, part) =>
    typeof part === 'bigint' || (typeof part === 'number' && !Number.isFinite(part)) ? String(part) : part,
  );
  return json === undefined ? undefined : JSON.parse(json);
}

/**
 * Creates the domain of a user's file, where users' code runs.
 * @param begunWith version to load, even if the file has changed
 * @throws InvalidInputError, also where loading the file does not end
 */
export function ownDomainIn(
  { pool }: CodeRunner,
  file: string,
  begunWith?: UserCode,
  limits: OwnDomainLimits = {},
): Promise<Domain> {
  return pool === null ? ownDomain(file, begunWith) : pooledDomain(pool, file, begunWith, limits);
}

/**
 * Creates the domain of a user's file, whose scorer runs in threads. An output that makes the scorer compute without
 * end, or use all memory, counts as 0: a program must not be able to win by making its scorer fail. A scorer that waits
 * without end, or ends its thread, has failed by itself, which is nobody's score.
 * @param begunWith version to load, even if the file has changed
 * @throws InvalidInputError, also where loading the file does not end
 */
async function pooledDomain(
  pool: CodePool,
  file: string,
  begunWith: UserCode | undefined,
  { scoringMs = 120_000, loadingMs = 60_000 }: OwnDomainLimits,
): Promise<Domain> {
  checkFile(FIELD, file, 'code', CODE_ENDINGS);
  const code = begunWith ?? codeNow([file]);
  // Called by the command, its worker and each of its contexts, often in one process.
  if (!isLoaded(file, code)) {
    const limits = { timeoutMs: loadingMs, alone: true };
    await pool.run(LOAD, { file, code }, limits).catch((error: unknown) => {
      if (!(error instanceof CodeEndedError)) throw error;
      const what = error.isLate ? `was not loaded within ${loadingMs / 1000} s` : error.trialFault;
      throw new InvalidInputError(`${FIELD}: ${file} ${what}`, FIELD);
    });
  }
  return {
    ...(await ownDomain(file, code)),
    score: async (output, example) => {
      // Only this thread knows the permissions.
      checkFile(FIELD, file, 'code', CODE_ENDINGS);
      const scored = pool.run(SCORE, { file, code, output, example }, { timeoutMs: scoringMs });
      return scored.catch((error: unknown) => {
        throw error instanceof CodeEndedError ? failureOf(error, scoringMs / 1000) : error;
      });
    },
  };
}

function failureOf({ how, message }: CodeEndedError, seconds: number): Error {
  switch (how) {
    case 'computed':
      return new GradingLimitError(`scoring computed for more than ${seconds} s`);
    case 'memory':
      return new GradingLimitError('scoring took more memory than a thread has');
    case 'waited':
      return new Error(`the scorer waited for more than ${seconds} s`);
    case 'ended':
      return new Error(`the scorer ended its thread: ${message}`);
  }
}

/** Returns the code of an evolution's own scorer. */
export function ownScorerOf({ domain }: Pick<EvolveConfig, 'domain'>): OwnCode {
  return ownCodeIn([domain.file]);
}

/** Returns the same with the prices of its models on this worker. */
export function ownScorerAndPrices(
  config: EvolveConfig,
  environment: WorkerDependencies['environment'],
): OwnCode {
  const models = Object.values(config.models).filter((model) => model !== null);
  return { ...ownScorerOf(config), values: pricesInUse(models, environment) };
}
