import { readFileSync } from 'node:fs';
import { InvalidInputError } from '../../../config/errors.js';
import { CODE_ENDINGS, checkFile } from '../../../config/named-files.js';
import { isMapping, type Json, type JsonObject } from '../../../contracts/json.js';
import { nothingLost } from '../../../contracts/kept-json.js';
import { messageWithPlace } from '../../../contracts/place-of-error.js';
import { runUserCode, shownValue } from '../../../contracts/run-user-code.js';
import type { FunctionSandbox } from '../../../sandboxes/sandbox.js';
import { codeNow, type UserCode } from '../../../user-code/code.js';
import { CodeEndedError } from '../../../user-code/code-pool.js';
import type { CodeRunner } from '../../../user-code/code-runner.js';
import { type Exports, loadNamedModule } from '../../../user-code/load-module.js';
import { threadWork } from '../../../user-code/thread-work.js';
import type { RunConfig } from '../schema.js';
import type { ScorerOf } from './schema.js';
import { type Score, type ScoreValue, UnscoredError } from './score.js';

type CodeScorer = ScorerOf<'code'>;

/** Sample that a user's scorer is given: the row's task, what its environment said of the answer, and the options. */
export type ScoredSample = JsonObject;

/** Returns the files of users' scorers. */
export function scorerFiles(scorers: RunConfig['scorers'] = {}): string[] {
  return Object.values(scorers).flatMap((scorer) => (scorer.type === 'code' ? [scorer.file] : []));
}

/** Reports whether a user's scorer is a Python file, which runs in the sandbox. */
export const isPython = ({ file }: Pick<CodeScorer, 'file'>) => file.endsWith('.py');

const fieldOf = (name: string) => `scorers.${name}.file`;

interface OwnScoring {
  name: string;
  file: string;
  code: UserCode;
  answer: string;
  sample: ScoredSample;
}

type Scorer = (answer: string, sample: ScoredSample) => unknown;

/** Returns the function of a file: `score`, or the default export. @throws InvalidInputError if there is none. */
function scorerIn(exports: Exports, name: string, file: string): Scorer {
  const found = exports.score ?? exports.default;
  if (typeof found === 'function') return found as Scorer;
  const field = fieldOf(name);
  throw new InvalidInputError(`${field}: ${file} exports no function score(answer, sample)`, field);
}

/** Loads a user's scorer. @thread */
export async function loadOwnScorer({
  name,
  file,
  code,
}: Pick<OwnScoring, 'name' | 'file' | 'code'>): Promise<void> {
  scorerIn(await loadNamedModule(file, fieldOf(name), code), name, file);
}

/** Scores an answer; returns JSON, as files need it. @thread */
export async function scoreByOwn({ name, file, code, answer, sample }: OwnScoring): Promise<Json> {
  const score = scorerIn(await loadNamedModule(file, fieldOf(name), code), name, file);
  try {
    const value = await runUserCode(async () => score(answer, sample));
    return plain(value);
  } catch (error) {
    throw new Error(messageWithPlace(error, file));
  }
}

const LOAD = threadWork(import.meta.url, loadOwnScorer);
const SCORE = threadWork(import.meta.url, scoreByOwn);

/** Converts a value to one that can be stored; what is no JSON becomes a text, which is no score. */
function plain(value: unknown): Json {
  if (value === undefined) return null;
  const text = JSON.stringify(value, (key, part) =>
    typeof part === 'bigint' || (typeof part === 'number' && !Number.isFinite(part))
      ? String(part)
      : nothingLost(key, part),
  ) as string | undefined;
  return text === undefined ? shownValue(value) : (JSON.parse(text) as Json);
}

const PART = /^[A-Za-z][\w-]{0,63}$/;
const isValue = (value: unknown): value is ScoreValue =>
  value === null || typeof value === 'boolean' || (typeof value === 'number' && value >= 0 && value <= 1);

/** Checks what a user's function returned. @throws UnscoredError */
function checkedScore(value: Json): Score {
  if (isValue(value)) return value;
  if (isMapping(value) && Object.entries(value).every(([name, one]) => PART.test(name) && isValue(one)))
    return value as Record<string, ScoreValue>;
  throw new UnscoredError(
    `score returned ${shownValue(value)}; a score is true, false, a number from 0 to 1, null, or several of them by name`,
  );
}

/** Program around a user's Python function. */
const AROUND = `import json
import scorer

def run(text):
    given = json.loads(text)
    return json.dumps(scorer.score(given["answer"], given["sample"]))
`;

/** Runs users' scorers: TypeScript in threads, Python in the sandbox. */
export class OwnScorers {
  constructor(
    private readonly runner: CodeRunner,
    private readonly sandbox: (type: RunConfig['sandbox']['type']) => Promise<FunctionSandbox>,
    private readonly limits: RunConfig['sandbox'],
    /** Version of the files to load; undefined: as they are at the first answer. */
    private code?: UserCode,
  ) {}

  /** @throws UnscoredError if the function fails, takes too long, or returns no score. */
  async score(name: string, scorer: CodeScorer, answer: string, sample: ScoredSample): Promise<Score> {
    const { file, options } = scorer;
    const given = { answer, sample: { ...sample, options } };
    return checkedScore(
      await (isPython({ file }) ? this.inSandbox(scorer, name, given) : this.inThread(name, scorer, given)),
    );
  }

  private codeOf(file: string): UserCode {
    if (this.code?.texts.has(file) !== true) this.code = codeNow([file]);
    return this.code;
  }

  private async inThread(
    name: string,
    { file, timeout_sec }: CodeScorer,
    given: Pick<OwnScoring, 'answer' | 'sample'>,
  ): Promise<Json> {
    checkFile(fieldOf(name), file, 'code', CODE_ENDINGS);
    const { pool, compare } = this.runner;
    const input: OwnScoring = { name, file, code: this.codeOf(file), ...given };
    const timeoutMs = timeout_sec * 1000;
    try {
      if (pool === null) return await scoreByOwn(input);
      return await pool.run(SCORE, input, { timeoutMs, compare });
    } catch (error) {
      if (error instanceof InvalidInputError) throw error;
      const isLate = error instanceof CodeEndedError && error.isLate;
      throw new UnscoredError(
        isLate ? `score took more than ${timeout_sec} s` : `score failed: ${(error as Error).message}`,
      );
    }
  }

  private async inSandbox(
    { file, timeout_sec }: CodeScorer,
    name: string,
    given: Pick<OwnScoring, 'answer' | 'sample'>,
  ): Promise<Json> {
    checkFile(fieldOf(name), file, 'code', ['.py']);
    const { type, ...limits } = this.limits;
    const source = this.codeOf(file).texts.get(file) ?? readFileSync(file, 'utf8');
    const program = {
      files: { 'scorer.py': source, 'around.py': AROUND },
      module: 'around',
      function: 'run',
      input: JSON.stringify(given),
    };
    const sandbox = await this.sandbox(type);
    const { status, output, stderr } = await sandbox.call(program, {
      limits: { ...limits, timeout_sec },
      respond: null,
      resources: () => ({ calls: 0, usd: 0 }),
    });
    if (status === 'ok' && output !== null) return JSON.parse(output) as Json;
    if (status === 'timeout') throw new UnscoredError(`score took more than ${timeout_sec} s`);
    throw new UnscoredError(`score failed (${status}): ${stderr.trim().split('\n').at(-1) ?? ''}`);
  }
}

/** Checks users' scorers before anything is paid. @throws InvalidInputError that names the field. */
export async function checkOwnScorers(
  { pool }: CodeRunner,
  { scorers }: Pick<RunConfig, 'scorers'>,
): Promise<void> {
  for (const [name, scorer] of Object.entries(scorers)) {
    if (scorer.type !== 'code' || isPython(scorer)) continue;
    const { file } = scorer;
    checkFile(fieldOf(name), file, 'code', CODE_ENDINGS);
    const input = { name, file, code: codeNow([file]) };
    if (pool === null) {
      await loadOwnScorer(input);
      continue;
    }
    await pool
      .run(LOAD, input, { timeoutMs: scorer.timeout_sec * 1000, alone: true })
      .catch((error: unknown) => {
        if (!(error instanceof CodeEndedError)) throw error;
        const field = fieldOf(name);
        const what = error.isLate ? `was not loaded within ${scorer.timeout_sec} s` : error.trialFault;
        throw new InvalidInputError(`${field}: ${file} ${what}`, field);
      });
  }
}
