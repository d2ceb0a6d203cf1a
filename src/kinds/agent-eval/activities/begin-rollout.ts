import { heartbeating } from '../../../activities/attempt-journal.js';
import { SqlError } from '../../../databases/sql-error.js';
import type { DatabaseVersion, RolloutName } from '../contracts.js';
import type { AgentEvalContexts } from './agent-eval-context.js';
import { ROLLOUT_ERRORS, rolloutError } from './rollout-failures.js';

/** Creates the activity that seeds the row's database, once for all of its rollouts. */
export function createBeginRollout(contexts: AgentEvalContexts) {
  return (input: RolloutName): Promise<DatabaseVersion> =>
    heartbeating(async () => {
      const { database } = await (await contexts.get(input.run)).rollout(input);
      try {
        return await database.begin();
      } catch (error) {
        if (!(error instanceof SqlError)) throw error;
        const line = error.line === null ? '' : `line ${error.line}: `;
        throw rolloutError(ROLLOUT_ERRORS.seed, `seed_sql of ${input.row}: ${line}${error.message}`);
      }
    });
}
