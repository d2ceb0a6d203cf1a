import { createHash } from 'node:crypto';
import type { CallIdentity } from '../../../contracts/language-model.js';
import type { RolloutName, RolloutPlace, RolloutTask } from '../contracts.js';
import { USER_ATTEMPTS } from '../rollouts/rollout.js';

/**
 * Computes a rollout's UUID (version 8 of RFC 9562) from the names of experiment and row and its number, so that every
 * worker and attempt gets the same.
 */
export function rolloutId(experiment: string, row: string, rollout: number): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([experiment, row, rollout]))
    .digest();
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x80, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = hash.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** A rollout within its evaluation. */
export type NamedRollout = Pick<RolloutName, 'row' | 'rollout'>;

/** Lists all rollouts, row by row, in the order of the plan. */
export function everyRollout(tasks: readonly Pick<RolloutTask, 'row' | 'n_rollouts'>[]): NamedRollout[] {
  return tasks.flatMap(({ row, n_rollouts }) =>
    Array.from({ length: n_rollouts }, (_, rollout) => ({ row, rollout })),
  );
}

/** Identifies the call for the agent's reply of this number, from 0. */
export function agentCall({ row, rollout }: NamedRollout, reply: number): CallIdentity {
  return { sample_id: row, trial: rollout, purpose: 'agent', ordinal: reply };
}

/** Identifies an attempt at the user's message of this number; each attempt is a call of its own. */
export function userCall(
  { row, rollout }: NamedRollout,
  { user_turns, user_faults }: Pick<RolloutPlace, 'user_turns' | 'user_faults'>,
): CallIdentity {
  const ordinal = user_turns * USER_ATTEMPTS + user_faults;
  return { sample_id: row, trial: rollout, purpose: 'user', ordinal };
}
