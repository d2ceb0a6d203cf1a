import type { WorkerDependencies } from './dependencies.js';
import type { ModelCalls } from './model-calls.js';

/**
 * What the engine has to know of an activity.
 *
 * - `begins`: an experiment begins with it. What its store refuses there is a mistake in its config, and final.
 * - `ends`: the last one of an experiment, which gives its folder up.
 * - `asks`: it asks a model, whose reply may end the worker. It looks itself whether a reply is there, and knows what its
 *   requests have cost.
 * - `risky`: it works with a row, a module or a database that may end the worker.
 */
type Trait = 'begins' | 'ends' | 'asks' | 'risky';

export type Traits = Readonly<Record<string, Trait>>;

/** The activities of a kind, and the traits of those that have one. */
export interface KindActivities<Activities extends object = object> {
  activities: Activities;
  traits: { readonly [Name in keyof Activities]?: Trait };
}

export type CreateActivities = (dependencies: WorkerDependencies, models: ModelCalls) => KindActivities;
