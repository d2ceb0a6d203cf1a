import { createHash } from 'node:crypto';
import { keepFirst } from '../../../activities/first-record.js';
import type { StepCost } from '../../../contracts/step-cost.js';
import type { CallResult } from '../../../sandboxes/sandbox.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { missingFile, readJson } from '../../../storage/stored-file.js';
import type { ScaffoldJob } from '../contracts.js';
import { scaffoldRunKey } from '../paths.js';

/** Complete record of one run of a scaffold on an example. A row of `executions.jsonl`. */
export interface ScaffoldRunRecord extends ScaffoldJob, Omit<StepCost, 'unrecorded'> {
  /** Hash of the scaffold's files, the input, the limits and the job; identifies the run across crashes. */
  key: string;
  score: number;
  /** Reason for the score. */
  message: string;
  /** Metrics of the scorer; absent where it has none. */
  metrics?: Readonly<Record<string, number>>;
  result: CallResult;
  /** ISO 8601, when the result arrived. */
  at: string;
}

/** Reports whether a program returned an output, which is scored. */
export function hasOutput(result: CallResult): result is CallResult & { output: string } {
  return result.status === 'ok' && result.output !== null;
}

function hash(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

function jobHash({ scaffold, iteration, type, example, draft }: ScaffoldJob): string {
  return hash([scaffold, iteration, type, example, ...(draft === undefined ? [] : [draft])]);
}

/** Returns the key of a run: a hash of the job and all that its result depends on. */
export function scaffoldRunKeyOf(job: ScaffoldJob, ...what: readonly unknown[]): string {
  return hash([jobHash(job), ...what]);
}

/** Runs of an experiment, one object each. A finished one is never repeated. */
export class ScaffoldRuns {
  constructor(private readonly store: ArtifactStore) {}

  /** Stores a run, unless the same one is stored. @returns the run that is kept. */
  save(record: ScaffoldRunRecord): Promise<ScaffoldRunRecord> {
    return keepFirst(this.store, scaffoldRunKey(jobHash(record)), { record, keyOf: ({ key }) => key });
  }

  at(job: ScaffoldJob): Promise<ScaffoldRunRecord | null> {
    return readJson<ScaffoldRunRecord>(this.store, scaffoldRunKey(jobHash(job)));
  }

  async find(job: ScaffoldJob, key: string): Promise<ScaffoldRunRecord | null> {
    const stored = await this.at(job);
    return stored?.key === key ? stored : null;
  }

  /** Reads a run. @throws where it was not made. */
  async get(job: ScaffoldJob): Promise<ScaffoldRunRecord> {
    const record = await this.at(job);
    if (record !== null) return record;
    throw missingFile(this.store, scaffoldRunKey(jobHash(job)));
  }
}
