import { expect, test } from 'vitest';
import type { RolloutRow } from '../../../src/kinds/agent-eval/contracts.js';
import { rolloutTrajectory } from '../../../src/kinds/agent-eval/trajectory.js';
import { rolloutRow } from '../../support/rollout-rows.js';
import { call } from '../../support/rows.js';

const ERROR = { type: 'timeout', message: 'late' };

test.each<[Partial<RolloutRow>, boolean]>([
  [{ ending: 'user_stop' }, false],
  [{ ending: 'goal' }, false],
  [{ ending: 'agent_done' }, false],
  [{ ending: 'max_turns' }, true],
  [{ ending: 'cut_off' }, true],
  [{ ending: 'user_fault', error: { type: 'user_fault', message: 'empty' } }, true],
  [{ ending: null, error: ERROR }, true],
  // The reward failed: the episode had ended, but nobody knows how well.
  [{ ending: 'agent_done', error: ERROR }, false],
])('of a rollout that ended so, the last step is done or truncated: %j', (fields, truncated) => {
  const steps = rolloutTrajectory(
    rolloutRow('a', 0, 1, fields),
    [call(), call({ ordinal: 1 })],
    7,
  )?.timesteps;
  expect(steps?.map((step) => [step.done, step.truncated])).toEqual([
    [false, false],
    [!truncated, truncated],
  ]);
});
