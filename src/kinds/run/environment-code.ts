import { InvalidInputError } from '../../config/errors.js';
import { CODE_ENDINGS, checkFile } from '../../config/named-files.js';
import type { BegunEpisode, StepAnswer, Task } from '../../contracts/environment.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import type { EpisodeError } from '../../contracts/results.js';
import { runAtOnce } from '../../contracts/run-user-code.js';
import {
  askedTask,
  inConversation,
  type ShownExample,
  withExamples,
} from '../../environments/conversation.js';
import type {
  EnvironmentClass,
  EnvironmentOptions,
  EnvironmentServices,
} from '../../environments/environment.js';
import {
  BUILT_IN_ENVIRONMENTS,
  builtInEnvironment,
  environmentName,
  isEnvironmentClass,
} from '../../environments/registry.js';
import type { SymbolicComparer } from '../../grading/grade.js';
import { codeNow, type UserCode } from '../../user-code/code.js';
import { CodeEndedError, type CodePool } from '../../user-code/code-pool.js';
import type { CodeRunner } from '../../user-code/code-runner.js';
import { loadNamedModule } from '../../user-code/load-module.js';
import { type Surroundings, threadWork } from '../../user-code/thread-work.js';
import type { RunConfig } from './schema.js';
import { beginEpisode, type MadeEnvironment, takeStep } from './take-step.js';

/** Default of `dataset.env_timeout_sec`: seconds for a reset or a step of a user's environment. */
const ENVIRONMENT_TIMEOUT_SEC = 120;

/** Class of a run's environments, and its settings. */
export interface EnvironmentSource {
  /** Name of the class. */
  name: string;
  /** Absolute path, if the class is a user's. */
  file: string | undefined;
  settings: EnvironmentOptions;
  /** Template of examples that stand in the question's text; absent: they are turns. */
  examples_template?: string | undefined;
  /** Timeout of a reset or a step of a user's class, in milliseconds. */
  timeoutMs: number;
}

/** Returns the source of the environments of a config. */
export function environmentSource({ dataset }: Pick<RunConfig, 'dataset'>): EnvironmentSource {
  const { env_file, env_timeout_sec = ENVIRONMENT_TIMEOUT_SEC, env_options, instruction_template } = dataset;
  return {
    name: environmentName(dataset),
    file: env_file,
    settings: {
      options: env_options as JsonObject,
      ...(instruction_template === undefined ? {} : { instruction_template }),
    },
    examples_template: dataset.few_shot?.template,
    timeoutMs: env_timeout_sec * 1000,
  };
}

/** Environment of a sample, wherever its code runs. */
export interface Playable {
  /** Resets the environment. @throws InvalidInputError if the class cannot be loaded here. */
  begin(): Promise<BegunEpisode | { error: EpisodeError }>;
  /**
   * Takes a step.
   * @throws ComparisonUnavailableError, which a retry may fix; InvalidInputError if the class cannot be loaded here.
   */
  step(state: Json, action: string): Promise<StepAnswer>;
}

/** Runner of the environments of one run. */
export interface EnvironmentCode {
  playable(source: EnvironmentSource, task: Task): Playable;
  /**
   * Yields the tasks, each checked by its environment; the class is loaded before the first task is read.
   * @throws InvalidInputError if the class cannot be loaded, or if an environment cannot be made or refuses its task.
   */
  checked(source: EnvironmentSource, tasks: AsyncIterable<Task>): AsyncIterable<Task>;
}

/** Config field that names the file of a user's class. */
const FIELD = 'dataset.env_file';
/** Tasks that a thread checks at once. */
const BATCH = 500;
/** Services for checks, which compare nothing. */
const NO_SERVICES: EnvironmentServices = { compareSymbolically: async () => undefined };

/**
 * Finds the environment class of a config: a built-in one, or an export of the user's file.
 * @param code version of the file to load, even if it has changed since
 * @throws InvalidInputError
 */
export async function environmentClass(
  { name, file }: Pick<EnvironmentSource, 'name' | 'file'>,
  code?: UserCode,
): Promise<EnvironmentClass> {
  if (file === undefined) {
    const found = builtInEnvironment(name);
    if (found !== undefined) return found;
    throw new InvalidInputError(
      `dataset.env_class: '${name}' is no built-in environment (${BUILT_IN_ENVIRONMENTS.join(', ')}); for your own, name its file in dataset.env_file`,
      'dataset.env_class',
    );
  }
  const exported = await loadNamedModule(file, FIELD, code);
  const found = exported[name];
  if (isEnvironmentClass(found)) return found;
  const classes = Object.keys(exported).filter((key) => isEnvironmentClass(exported[key]));
  const there = classes.length === 0 ? 'no environment class' : classes.join(', ');
  throw new InvalidInputError(
    `dataset.env_class: ${file} exports no environment class '${name}' (it exports ${there}); a class has the methods reset and step`,
    'dataset.env_class',
  );
}

/** Reset or step of an environment. */
interface EnvironmentMove {
  source: EnvironmentSource;
  task: Task;
  code: UserCode | undefined;
  /** Action, and the state in which it is taken; null for a reset. */
  taken: { state: Json; action: string } | null;
}

/** Resets or steps an environment; returns JSON, as files and histories need it. @thread */
export async function play(
  { source, task, code, taken }: EnvironmentMove,
  { compare }: Surroundings,
): Promise<Json> {
  const environment = playableHere(source, task, compare, code);
  const answer = taken === null ? environment.begin() : environment.step(taken.state, taken.action);
  return JSON.parse(JSON.stringify(await answer)) as Json;
}

/** Loads the class and checks tasks. @thread */
export function validate({
  source,
  tasks,
}: {
  source: EnvironmentSource;
  tasks: readonly Task[];
}): Promise<void> {
  return checkHere(source, tasks);
}

const PLAY = threadWork(import.meta.url, play);
const VALIDATE = threadWork(import.meta.url, validate);

/** Returns a sample's environment that runs in the calling thread. */
export function playableHere(
  source: EnvironmentSource,
  task: Task,
  compareSymbolically: SymbolicComparer,
  code?: UserCode,
): Playable {
  const made = async (one: Task, settings = source.settings): Promise<MadeEnvironment> => {
    const type = await environmentClass(source, code);
    const asked = askedTask(one);
    return { make: () => new type(asked, settings, { compareSymbolically }), file: source.file };
  };
  const begin = async (one: Task, settings?: EnvironmentOptions) => {
    const begun = await beginEpisode(await made(one, settings));
    return 'error' in begun ? begun : inConversation(one, begun);
  };
  return {
    begin: async () => {
      const begun = await begin(task);
      if ('error' in begun) return begun;
      const { examples_template: template, settings } = source;
      // As turns, examples are asked as the question is; a template has its own words.
      const { instruction_template: _none, ...bare } = settings;
      const examples: ShownExample[] = [];
      for (const example of task.examples ?? []) {
        const shown = await begin(example.task, template === undefined ? settings : bare);
        if ('error' in shown) return shown;
        examples.push({ begun: shown, answer: example.answer });
      }
      return withExamples(begun, examples, template);
    },
    step: async (state, action) => takeStep(await made(task), state, action),
  };
}

/** Loads the class and checks tasks in the calling thread. @throws InvalidInputError that names the sample. */
async function checkHere(source: EnvironmentSource, tasks: readonly Task[]): Promise<void> {
  const type = await environmentClass(source);
  const checkedExamples = new Set<Task>();
  const check = (task: Task, name: string) => {
    try {
      runAtOnce(() => new type(askedTask(task), source.settings, NO_SERVICES).validate?.());
    } catch (error) {
      throw new InvalidInputError(`${(error as Error).message} (${name} ${task.id})`, 'dataset');
    }
  };
  for (const task of tasks) {
    check(task, 'sample');
    for (const { task: example } of task.examples ?? []) {
      if (!checkedExamples.has(example)) check(example, 'example');
      checkedExamples.add(example);
    }
  }
}

async function* checked(
  tasks: AsyncIterable<Task>,
  size: number,
  check: (batch: readonly Task[]) => Promise<void>,
): AsyncGenerator<Task> {
  await check([]);
  let batch: Task[] = [];
  for await (const task of tasks) {
    batch.push(task);
    if (batch.length < size) continue;
    await check(batch);
    yield* batch;
    batch = [];
  }
  if (batch.length > 0) await check(batch);
  yield* batch;
}

/**
 * Creates the runner of one run's environments.
 * @param begunWith version of users' files to load, even if they have changed since
 */
export function environmentCode({ pool, compare }: CodeRunner, begunWith?: UserCode): EnvironmentCode {
  return pool === null ? localEnvironmentCode(compare) : pooledEnvironmentCode(pool, compare, begunWith);
}

/** Creates a runner in the calling thread. A user's file is loaded as it is at the first sample. */
function localEnvironmentCode(compareSymbolically: SymbolicComparer): EnvironmentCode {
  let code: UserCode | undefined;
  return {
    playable: (source, task) => {
      if (source.file !== undefined) code ??= codeNow([source.file]);
      return playableHere(source, task, compareSymbolically, code);
    },
    checked: (source, tasks) => checked(tasks, 1, (batch) => checkHere(source, batch)),
  };
}

/**
 * Creates a runner that runs users' environments in threads: one that computes endlessly, waits endlessly, takes all
 * memory or ends its process costs only its own sample an error row, and the worker nothing.
 * @param begunWith version of a user's files to load, even if they have changed since; default: as they are at the
 *   first sample
 */
function pooledEnvironmentCode(
  pool: CodePool,
  compare: SymbolicComparer,
  begunWith?: UserCode,
): EnvironmentCode {
  const local = localEnvironmentCode(compare);
  let code = begunWith;
  const move = async (made: Omit<EnvironmentMove, 'code'>, file: string): Promise<unknown> => {
    // Only this thread knows which files are permitted.
    checkFile(FIELD, file, 'code', CODE_ENDINGS);
    code ??= codeNow([file]);
    const { timeoutMs } = made.source;
    try {
      return await pool.run(PLAY, { ...made, code }, { timeoutMs, compare });
    } catch (error) {
      if (error instanceof CodeEndedError) return { error: rowError(error, made) };
      throw error;
    }
  };
  return {
    playable: (source, task) => {
      const { file } = source;
      if (file === undefined) return local.playable(source, task);
      return {
        begin: async () =>
          (await move({ source, task, taken: null }, file)) as Awaited<ReturnType<Playable['begin']>>,
        step: async (state, action) =>
          (await move({ source, task, taken: { state, action } }, file)) as StepAnswer,
      };
    },
    checked: (source, tasks) => {
      const { file, timeoutMs } = source;
      if (file === undefined) return local.checked(source, tasks);
      return checked(tasks, BATCH, async (batch) => {
        checkFile(FIELD, file, 'code', CODE_ENDINGS);
        await pool.run(VALIDATE, { source, tasks: batch }, { timeoutMs, alone: true }).catch((error) => {
          throw error instanceof CodeEndedError ? refusal(error, file, timeoutMs, batch) : error;
        });
      });
    },
  };
}

function rowError(error: CodeEndedError, { taken, source }: Omit<EnvironmentMove, 'code'>): EpisodeError {
  const what = taken === null ? 'reset' : 'step';
  if (!error.isLate)
    return { type: 'EnvironmentError', message: `${what} ended its thread: ${error.message}` };
  const seconds = source.timeoutMs / 1000;
  const message = `${what} took more than ${seconds} s (dataset.env_timeout_sec)`;
  return { type: 'EnvironmentTimeout', message };
}

function refusal(
  error: CodeEndedError,
  file: string,
  timeoutMs: number,
  tasks: readonly Task[],
): InvalidInputError {
  const late = () => {
    const [first, last] = [tasks[0], tasks.at(-1)];
    const what =
      first === undefined || last === undefined
        ? 'was not loaded'
        : `did not make and validate the environments of samples ${first.id} to ${last.id}`;
    return `${what} within ${timeoutMs / 1000} s (dataset.env_timeout_sec)`;
  };
  const what = error.isLate ? late() : error.trialFault;
  return new InvalidInputError(`${FIELD}: ${file} ${what}`, FIELD);
}
