import type { CreateActivities } from '../activities/traits.js';
import { AGENT_EVAL } from './agent-eval/index.js';
import { EVOLVE } from './evolve/index.js';
import { JUDGE } from './judge/index.js';
import type { CommandSpec, Kind, RegisteredKind } from './kind.js';
import { OWN_KIND } from './own-kind/index.js';
import { RUN } from './run/index.js';
import { SWEEP } from './sweep/index.js';

/** Kinds of experiment, in the order of the help. Their code is loaded on demand. */
export const KINDS: readonly RegisteredKind[] = [RUN, SWEEP, EVOLVE, AGENT_EVAL, JUDGE, OWN_KIND];

/** A kind with its command. */
export interface LoadedKind {
  kind: Kind;
  command: CommandSpec;
}

/** Finds a kind by its id, which is the type of its workflow; undefined: there is none. */
export function kindOf(id: string): RegisteredKind | undefined {
  return KINDS.find((one) => one.id === id);
}

/** Loads the activities of every kind. */
export function activitiesOfKinds(): Promise<CreateActivities[]> {
  return Promise.all(KINDS.map((kind) => kind.activities()));
}

/** Loads a kind. @throws Error if no kind has this id */
export async function loadKind(id: string): Promise<LoadedKind> {
  const found = kindOf(id);
  if (found === undefined) throw new Error(`there is no kind of experiment '${id}'`);
  const [kind, command] = await Promise.all([found.kind(), found.command()]);
  return { kind, command };
}
