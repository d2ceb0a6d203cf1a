import type { WorkerDependencies } from './dependencies.js';
import type { ModelCalls } from './model-calls.js';

/**
 * Trait of an activity that the engine needs to know.
 *
 * - `begins`: the first one of an experiment. An error of its store is a mistake in the config, and final.
 * - `ends`: the last one of an experiment, which gives up its folder.
 * - `asks`: it requests a model, and the reply may crash the worker. It checks itself whether a reply is stored, and
 * knows the cost of its requests.
 * - `risky`: it works with a row, a module or a database that may crash the worker.
 */
type Trait = 'begins' | 'ends' | 'asks' | 'risky';

export type Traits = Readonly<Record<string, Trait>>;

/** Activities of a kind, and the traits of those that have one. */
export interface KindActivities<Activities extends object = object> {
  activities: Activities;
  traits: { readonly [Name in keyof Activities]?: Trait };
}

export type CreateActivities = (dependencies: WorkerDependencies, models: ModelCalls) => KindActivities;
