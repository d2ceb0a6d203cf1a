import { InvalidInputError } from '../config/errors.js';
import type { RunConfig } from '../config/schema.js';
import type { StepAnswer } from '../contracts/activities.js';
import type { ResetOutcome, Task } from '../contracts/environment.js';
import type { Json, JsonObject } from '../contracts/json.js';
import type { EpisodeError } from '../contracts/results.js';
import { runAtOnce } from '../contracts/run-user-code.js';
import type {
  EnvironmentClass,
  EnvironmentOptions,
  EnvironmentServices,
} from '../environments/environment.js';
import { environmentName } from '../environments/registry.js';
import type { SymbolicComparer } from '../grading/grade.js';
import type { CodeTexts } from '../user-code/code-texts.js';
import { beginEpisode, type MadeEnvironment, takeStep } from './take-step.js';
import { environmentClass } from './user-modules.js';

/** Seconds that a reset or a step of one's own environment may take where `dataset.env_timeout_sec` is left out. */
export const ENVIRONMENT_TIMEOUT_SEC = 120;

/** Which class a run's environments are of. */
export interface EnvironmentSource {
  /** Of the class. */
  name: string;
  /** Absolute, where the class is the user's own. */
  file: string | undefined;
  settings: EnvironmentOptions;
  /** Milliseconds that a reset or a step of an own class may take. */
  timeoutMs: number;
}

/** What a config says of its environments. */
export function environmentSource({ dataset }: Pick<RunConfig, 'dataset'>): EnvironmentSource {
  const { env_file, env_timeout_sec = ENVIRONMENT_TIMEOUT_SEC, env_options, instruction_template } = dataset;
  return {
    name: environmentName(dataset),
    file: env_file,
    settings: {
      options: env_options as JsonObject,
      ...(instruction_template === undefined ? {} : { instruction_template }),
    },
    timeoutMs: env_timeout_sec * 1000,
  };
}

/** A sample's environment, wherever its code runs. */
export interface Playable {
  /** @throws InvalidInputError where the class cannot be loaded here. */
  begin(): Promise<ResetOutcome | { error: EpisodeError }>;
  /** @throws ComparisonUnavailableError, which a retry may mend; InvalidInputError where the class cannot be loaded here. */
  step(state: Json, action: string): Promise<StepAnswer>;
}

/** Runs the environments of one run. */
export interface EnvironmentCode {
  playable(source: EnvironmentSource, task: Task): Playable;
  /**
   * The tasks as they come, each checked by its environment; the class is loaded before the first one is asked for.
   * @throws InvalidInputError where the class cannot be loaded, or where an environment cannot be made or refuses its task.
   */
  checked(source: EnvironmentSource, tasks: AsyncIterable<Task>): AsyncIterable<Task>;
}

/** Checking compares nothing. */
const NO_SERVICES: EnvironmentServices = { compareSymbolically: async () => undefined };

/** Loads the class of one run, once, from the texts where they are given. @throws InvalidInputError */
export type LoadClass = (source: Pick<EnvironmentSource, 'name' | 'file'>) => Promise<EnvironmentClass>;

export function loadingOnce(texts?: CodeTexts): LoadClass {
  let loading: Promise<EnvironmentClass> | undefined;
  return ({ name, file }) => {
    loading ??= environmentClass(name, file, texts).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

/** A sample's environment whose code runs where it is called. */
export function playableHere(
  load: LoadClass,
  { source, task }: { source: EnvironmentSource; task: Task },
  compareSymbolically: SymbolicComparer,
): Playable {
  const made = async (): Promise<MadeEnvironment> => {
    const type = await load(source);
    return { make: () => new type(task, source.settings, { compareSymbolically }), file: source.file };
  };
  return {
    begin: async () => beginEpisode(await made()),
    step: async (state, action) => takeStep(await made(), state, action),
  };
}

/** Loads the class and checks tasks where it is called. @throws InvalidInputError that names the sample. */
export async function checkHere(
  load: LoadClass,
  source: EnvironmentSource,
  tasks: readonly Task[],
): Promise<void> {
  const type = await load(source);
  for (const task of tasks) {
    try {
      runAtOnce(() => new type(task, source.settings, NO_SERVICES).validate?.());
    } catch (error) {
      throw new InvalidInputError(`${(error as Error).message} (sample ${task.id})`, 'dataset');
    }
  }
}

/** Runs environments where it is called. */
export function localEnvironmentCode(compareSymbolically: SymbolicComparer): EnvironmentCode {
  const load = loadingOnce();
  return {
    playable: (source, task) => playableHere(load, { source, task }, compareSymbolically),
    checked: async function* (source, tasks) {
      await checkHere(load, source, []);
      for await (const task of tasks) {
        await checkHere(load, source, [task]);
        yield task;
      }
    },
  };
}
