import type { StepAnswer } from '../contracts/activities.js';
import type { ResetOutcome, Task } from '../contracts/environment.js';
import type { Json } from '../contracts/json.js';
import type { EpisodeError } from '../contracts/results.js';
import type { EnvironmentClass, EnvironmentOptions } from '../environments/environment.js';
import type { SymbolicComparer } from '../grading/grade.js';
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
}

/** Loads the class of one run, once. @throws InvalidInputError */
export type LoadClass = (source: Pick<EnvironmentSource, 'name' | 'file'>) => Promise<EnvironmentClass>;

export function loadingOnce(): LoadClass {
  let loading: Promise<EnvironmentClass> | undefined;
  return ({ name, file }) => {
    loading ??= environmentClass(name, file).catch((error: unknown) => {
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

/** Runs environments where it is called. */
export function localEnvironmentCode(compareSymbolically: SymbolicComparer): EnvironmentCode {
  const load = loadingOnce();
  return { playable: (source, task) => playableHere(load, { source, task }, compareSymbolically) };
}
