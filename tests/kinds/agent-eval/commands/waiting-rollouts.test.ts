import { describe, expect, test } from 'vitest';
import { onlyWaiting, runOfRollout, waitingText } from '../../../../src/kinds/agent-eval/commands/reply.js';
import { refusal } from '../../../support/configs.js';

const first = { id: 'flight_task/flight.cancel.001/0', said: 'Shall I cancel it?\nIt is free.' };
const second = { id: 'flight_task/flight.cancel.001/1', said: null };

test('a rollout’s id names its run', () => {
  expect(runOfRollout(first.id)).toBe('flight_task');
});

describe('who is meant by the id of a run', () => {
  test('the only one that waits', () => {
    expect(onlyWaiting('flight_task', [first])).toBe(first);
  });

  test('nobody, where nobody waits', () => {
    expect(refusal(() => onlyWaiting('flight_task', [])).message).toContain(
      'no rollout of flight_task waits',
    );
  });

  test('one of several has to be named, and they are listed with what was said to them', () => {
    const { message } = refusal(() => onlyWaiting('flight_task', [first, second]));
    expect(message).toBe(
      [
        '2 rollouts of flight_task wait for a user; name one of them:',
        first.id,
        '  Shall I cancel it?',
        '  It is free.',
        second.id,
        '  (nothing was said yet: you begin)',
      ].join('\n'),
    );
    expect(message).toContain(waitingText([second]));
  });
});
