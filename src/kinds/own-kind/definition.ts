import { z } from 'zod';
import { describeIssues } from '../../config/describe-issues.js';
import { InvalidInputError } from '../../config/errors.js';
import type { SchemaNode } from '../../config/json-schema.js';
import { CODE_ENDINGS, checkFile } from '../../config/named-files.js';
import type { Feedback, Task } from '../../contracts/environment.js';
import { isMapping } from '../../contracts/json.js';
import { nothingLost } from '../../contracts/kept-json.js';
import { messageWithPlace } from '../../contracts/place-of-error.js';
import { asError, runAtOnce, runUserCode, shownValue } from '../../contracts/run-user-code.js';
import { ComparisonUnavailableError } from '../../grading/grade.js';
import { createRandom } from '../../statistics/random.js';
import { codeNow, type UserCode } from '../../user-code/code.js';
import { CodeEndedError } from '../../user-code/code-pool.js';
import type { CodeRunner } from '../../user-code/code-runner.js';
import { loadNamedModule } from '../../user-code/load-module.js';
import {
  type Surroundings,
  surroundingsHere,
  type ThreadFunction,
  threadWork,
} from '../../user-code/thread-work.js';
import { type EnvironmentSource, environmentSource, playableHere } from '../run/environment-code.js';
import type { ExperimentKind, Question, Reply, Row } from './define.js';
import type { OwnKindConfig } from './schema.js';

/** Time limits, in milliseconds, for loading the file of a kind and for computing its figures. */
const LOADING_MS = 60_000;
const FIGURES_MS = 300_000;

/** Error of a kind's own code: it threw, returned no row, or did not end. */
export class KindError extends Error {
  override readonly name = 'KindError';
}

/** Code of a kind, with the config's settings and roles for it. */
interface KindSource {
  file: string;
  code: UserCode;
  settings: Record<string, unknown>;
  /** Roles that the config names a model for. */
  roles: string[];
}

/** Question of a kind's code, and the role that it is for. */
export interface RoleQuestion {
  role: string;
  question: Question;
}

interface SampleInput extends KindSource {
  task: Task;
  seed: number;
  environment: EnvironmentSource;
  /** Replies to the first questions. */
  replies: readonly Reply[];
}

/** Result of a kind's code on a sample: its row, or null if it waits for replies. */
interface Worked {
  /** Questions in the order in which they were asked, the answered ones included. */
  questions: RoleQuestion[];
  row: Row | null;
}

/** Runner of the code of a kind for one experiment. */
export interface KindCode {
  /** @returns the kind's name @throws InvalidInputError if file, models or settings are wrong */
  checked(): Promise<string>;
  /** @throws KindError, or ComparisonUnavailableError, after which a retry may succeed */
  work(task: Task, replies: readonly Reply[]): Promise<Worked>;
  /** @throws KindError */
  figures(rows: readonly Row[]): Promise<Record<string, number>>;
}

/**
 * Creates the runner of a config's kind, which uses threads if there is a pool.
 * @param begunWith code to load, whatever the files contain now
 */
export function kindCode(
  { pool, compare }: CodeRunner,
  config: OwnKindConfig,
  begunWith?: UserCode,
): KindCode {
  const { kind: file, settings, models, work_timeout_sec, seed } = config;
  let code = begunWith;
  const run = async <Input, Value>(
    work: ThreadFunction<KindSource & Input, Value>,
    input: Input,
    { timeoutMs, alone = false }: { timeoutMs: number; alone?: boolean },
  ): Promise<Value> => {
    // Only this thread knows the permissions.
    checkFile('kind', file, 'code', CODE_ENDINGS);
    code ??= codeNow([file]);
    const whole = { file, code, settings, roles: Object.keys(models), ...input };
    if (pool === null) {
      return work(whole, surroundingsHere(compare, timeoutMs));
    }
    return pool.run(threadWork(import.meta.url, work), whole, { timeoutMs, alone, compare });
  };
  return {
    checked: () =>
      run(describeKind, {}, { timeoutMs: LOADING_MS, alone: true }).catch((error: unknown) => {
        if (!(error instanceof CodeEndedError)) throw error;
        const what = error.isLate ? `was not loaded within ${LOADING_MS / 1000} s` : error.trialFault;
        throw new InvalidInputError(`kind: ${file} ${what}`, 'kind');
      }),
    work: (task, replies) => {
      const environment = environmentSource(config);
      const timeoutMs = work_timeout_sec * 1000;
      return run(workWithReplies, { task, seed, environment, replies }, { timeoutMs }).catch(
        (error: unknown) => {
          throw kindErrorOf(error, `longer than work_timeout_sec, ${work_timeout_sec} s`);
        },
      );
    },
    figures: (rows) =>
      run(figuresOf, { rows }, { timeoutMs: FIGURES_MS }).catch((error: unknown) => {
        throw kindErrorOf(error, `longer than ${FIGURES_MS / 1000} s for its figures`);
      }),
  };
}

/** Converts an error to a KindError, if the kind's own code is at fault. */
function kindErrorOf(thrown: unknown, late: string): unknown {
  if (thrown instanceof InvalidInputError || thrown instanceof ComparisonUnavailableError) return thrown;
  if (!(thrown instanceof CodeEndedError)) return new KindError(asError(thrown).message);
  return new KindError(
    thrown.isLate ? `the kind’s code took ${late}` : `the kind’s code ${thrown.trialFault}`,
  );
}

/** Loads the kind that a file defines. @throws InvalidInputError */
async function kindIn({ file, code }: Pick<KindSource, 'file' | 'code'>): Promise<ExperimentKind> {
  const { default: kind } = await loadNamedModule(file, 'kind', code);
  const fault = faultOf(kind);
  if (fault === null) return kind as ExperimentKind;
  throw new InvalidInputError(
    `kind: the default export of ${file} ${fault}; make it with defineExperimentKind of reprise/kind`,
    'kind',
  );
}

function faultOf(kind: unknown): string | null {
  // Without a default export, `kind` is an object of the module's exports.
  if (!isMapping(kind) || !('name' in kind || 'work' in kind)) return 'is no kind of experiment';
  const { name, models, settings, work, figures } = kind;
  if (typeof name !== 'string' || name === '') return 'has no name';
  if (!Array.isArray(models) || models.length === 0 || models.some((role) => typeof role !== 'string'))
    return 'names no models, such as models: ["writer", "judge"]';
  if (typeof work !== 'function') return 'has no function work';
  if (figures !== undefined && typeof figures !== 'function') return 'has figures that are no function';
  const hasSchema =
    settings === undefined || typeof (settings as { safeParse?: unknown } | null)?.safeParse === 'function';
  return hasSchema ? null : 'has settings that are no schema of zod';
}

/** Parses the settings with the kind's schema. @throws InvalidInputError */
function settingsOf({ name, settings: schema }: ExperimentKind, given: KindSource['settings']): unknown {
  if (schema === undefined) {
    const [unknown] = Object.keys(given);
    if (unknown === undefined) return {};
    throw new InvalidInputError(`settings.${unknown}: ${name} has no settings`, `settings.${unknown}`);
  }
  const read = runAtOnce(() => schema.safeParse(given));
  if (read.success) return read.data;
  const fields = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as SchemaNode;
  const issues = describeIssues(read.error, given, fields).map(({ field, message }) => {
    const whole = ['settings', field].filter((part) => part !== '').join('.');
    return { field: whole, message: `${whole}: ${message}` };
  });
  throw new InvalidInputError(issues.map(({ message }) => message).join('\n'), issues[0]?.field);
}

/** Loads a kind and checks a config's models and settings for it, in a thread. @thread */
export async function describeKind({ roles, settings, ...source }: KindSource): Promise<string> {
  const kind = await kindIn(source);
  const all = kind.models.join(' and ');
  for (const role of kind.models) {
    if (roles.includes(role)) continue;
    throw new InvalidInputError(`models.${role}: is missing; ${kind.name} asks ${all}`, `models.${role}`);
  }
  for (const role of roles) {
    if (kind.models.includes(role)) continue;
    throw new InvalidInputError(`models.${role}: ${kind.name} asks ${all} only`, `models.${role}`);
  }
  settingsOf(kind, settings);
  return kind.name;
}

/**
 * Runs a kind's code on a sample, in a thread, until it ends or waits for a missing reply. Then it is dropped, and run
 * again from its beginning when there are more replies.
 * @thread
 */
export async function workWithReplies(
  { task, seed, environment, replies, settings, ...source }: SampleInput,
  { compare }: Surroundings,
): Promise<Worked> {
  const kind = await kindIn(source);
  const questions: RoleQuestion[] = [];
  let waits = () => {};
  const waiting = new Promise<null>((resolve) => {
    // By then, concurrent questions have been asked too.
    waits = () => setImmediate(() => resolve(null));
  });
  const ask = (role: string, asked: string | Question): Promise<Reply> => {
    const question = questionOf(role, asked, kind);
    const reply = replies[questions.length];
    questions.push({ role, question });
    if (reply !== undefined) return Promise.resolve(structuredClone(reply));
    waits();
    return new Promise(() => {});
  };
  const grade = async (answer: string): Promise<Feedback> => {
    const playable = playableHere(environment, task, compare, source.code);
    const begun = await playable.begin();
    const step = 'error' in begun ? begun : await playable.step(begun.state, answer);
    if ('error' in step) throw new Error(step.error.message);
    return step.feedback;
  };
  const random = createRandom(`${seed}/${task.id}`);
  const given = { sample: structuredClone(task), settings: settingsOf(kind, settings), ask, grade, random };
  try {
    const working = runUserCode(async () => ({ row: await kind.work(given) }));
    const ended = await Promise.race([working, waiting]);
    return { questions, row: ended === null ? null : rowOf(ended.row) };
  } catch (error) {
    if (error instanceof ComparisonUnavailableError) throw error;
    throw new Error(messageWithPlace(error, source.file));
  }
}

/** Computes a kind's figures, in a thread. @thread */
export async function figuresOf({
  rows,
  settings,
  ...source
}: KindSource & { rows: readonly Row[] }): Promise<Record<string, number>> {
  const kind = await kindIn(source);
  try {
    const figures = (await runUserCode(() => kind.figures?.(rows, settingsOf(kind, settings)))) ?? {};
    for (const [name, figure] of Object.entries(figures)) {
      if (!Number.isFinite(figure)) throw new Error(`figures: ${name} is ${shownValue(figure)}, no number`);
    }
    return { ...figures };
  } catch (error) {
    throw new Error(messageWithPlace(error, source.file));
  }
}

/** Converts a question to plain data. @throws Error that says what is wrong with it */
function questionOf(role: string, asked: string | Question, { name, models }: ExperimentKind): Question {
  if (!models.includes(role)) {
    throw new Error(`${name} asks ${shownValue(role)}, which is none of its models (${models.join(', ')})`);
  }
  const whole = typeof asked === 'string' ? { messages: [{ role: 'user', content: asked }] } : asked;
  const { messages, parameters, tools } = JSON.parse(JSON.stringify(whole ?? {})) as Partial<Question>;
  const areMessages =
    Array.isArray(messages) &&
    messages.length > 0 &&
    messages.every(({ content }) => typeof content === 'string');
  if (!areMessages) {
    throw new Error(`ask takes a text, or {messages: [{role, content}, …]}, and not ${shownValue(asked)}`);
  }
  return {
    messages,
    ...(parameters === undefined ? {} : { parameters }),
    ...(tools === undefined ? {} : { tools }),
  };
}

/** Converts the result of `work` to a row to store. @throws Error that says what is wrong with it */
function rowOf(answered: unknown): Row {
  const row: unknown = isMapping(answered) ? JSON.parse(JSON.stringify(answered, nothingLost)) : null;
  const scores = isMapping(answered) ? (answered.scores ?? {}) : null;
  if (!isMapping(row) || !isMapping(scores)) {
    throw new Error(
      `work answers with ${shownValue(answered)}, and not with a row such as {answer, scores: {correct: true}}`,
    );
  }
  for (const [name, score] of Object.entries(scores)) {
    if (typeof score === 'boolean' || Number.isFinite(score)) continue;
    throw new Error(`the score ${name} is ${shownValue(score)}, and neither a number nor true or false`);
  }
  return row as Row;
}
