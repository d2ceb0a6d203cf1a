import { setImmediate as settled, setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { AgentTurns, type TurnOptions } from '../../src/agents/agent-turns.js';

function turnsWith(options: Partial<TurnOptions> = {}): { turns: AgentTurns; taken: number[] } {
  const taken: number[] = [];
  const interrupted = new Promise<never>(() => undefined);
  const onTurn = (number: number) => void taken.push(number);
  return { turns: new AgentTurns({ limitMs: 30, interrupted, ended: new Map(), onTurn, ...options }), taken };
}

const never = () => new Promise<never>(() => undefined);

test('a turn that waits for none of its calls is ended at the limit, and the next one is another', async () => {
  const { turns, taken } = turnsWith();
  const turn = turns.take(never);
  await expect(turn).rejects.toMatchObject({
    name: 'IdleAgent',
    message: 'the agent waited 0.03 s for none of its calls (agent.turn_timeout_sec)',
  });
  expect(await turns.take(async () => 'another')).toBe('another');
  expect(turns.atOnce(() => 'at once')).toBe('at once');
  expect(taken).toEqual([1, 2, 3]);
});

test('a turn may wait for its calls for as long as they take', async () => {
  const { turns } = turnsWith();
  const turn = turns.take(async () => {
    await turns.meanwhile(sleep(40));
    await turns.meanwhile(Promise.all([turns.meanwhile(sleep(20)), turns.meanwhile(sleep(40))]));
    return 'answered';
  });
  expect(await turn).toBe('answered');
});

test('what throws at once has had its turn, and what comes too late is nobody’s', async () => {
  const { turns } = turnsWith({ limitMs: 5 });
  const thrown = turns.take(() => {
    throw new RangeError('at once');
  });
  await expect(thrown).rejects.toThrow('at once');
  const late = turns.take(() => sleep(15).then(() => Promise.reject(new Error('too late'))));
  await expect(late).rejects.toThrow('waited');
  await sleep(20);
  await settled();
});

test('an interruption ends a turn', async () => {
  const interrupted = Promise.reject(new Error('stopped'));
  interrupted.catch(() => undefined);
  await expect(turnsWith({ interrupted }).turns.take(never)).rejects.toThrow('stopped');
});

test('a turn that has cost a thread has its error in its place', async () => {
  const error = { type: 'EndlessLoop', message: 'the agent computed for 60 s without a pause' };
  const { turns } = turnsWith({ ended: new Map([[2, error]]) });
  expect(await turns.take(async () => 1)).toBe(1);
  await expect(turns.take(async () => 2)).rejects.toMatchObject({
    name: 'EndlessLoop',
    message: error.message,
  });
  expect(await turns.take(async () => 3)).toBe(3);
});
