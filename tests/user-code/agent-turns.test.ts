import { setImmediate as settled } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { AgentTurns, IdleAgentError, type IdleTurn } from '../../src/user-code/agents/agent-turns.js';

function promised() {
  let resolve: (value: string) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<string>((...both) => {
    [resolve, reject] = both;
  });
  return { promise, resolve, reject };
}

test('an agent is idle while it has a turn and nothing is in progress', async () => {
  const idle = new Set<IdleTurn>();
  const turns = new AgentTurns(idle);
  const [call, second] = [promised(), promised()];
  const before = turns.meanwhile(call.promise);
  expect(idle.size).toBe(0);
  const end = promised();
  const turn = turns.take(() => end.promise);
  expect(idle.size).toBe(0);
  const beside = turns.meanwhile(second.promise);
  call.resolve('answered');
  expect(await before).toBe('answered');
  expect(idle.size).toBe(0);
  second.reject(new Error('refused'));
  await expect(beside).rejects.toThrow('refused');
  expect(idle.size).toBe(1);
  end.resolve('done');
  expect(await turn).toBe('done');
  expect(idle.size).toBe(0);
});

test('a turn that is ended throws, and what its agent does later is nobody’s', async () => {
  const idle = new Set<IdleTurn>();
  const turns = new AgentTurns(idle);
  const never = promised();
  const turn = turns.take(() => never.promise);
  const [one] = [...idle];
  one?.end(new IdleAgentError('enough'));
  // At once: who looks next finds another.
  expect(idle.size).toBe(0);
  await expect(turn).rejects.toThrow(IdleAgentError);
  expect(idle.size).toBe(0);
  never.reject(new Error('too late'));
  await settled();
  expect(await turns.take(async () => 'another')).toBe('another');
});

test('who was idle, worked and is idle again has begun anew', async () => {
  const idle = new Set<IdleTurn>();
  const turns = new AgentTurns(idle);
  const [end, call] = [promised(), promised()];
  const turn = turns.take(() => end.promise);
  const [first] = [...idle];
  const called = turns.meanwhile(call.promise);
  expect(idle.size).toBe(0);
  call.resolve('');
  await called;
  expect(idle.size).toBe(1);
  expect(first !== undefined && idle.has(first)).toBe(false);
  end.resolve('');
  await turn;
});

test('the agents of a run are told apart, and what throws at once has had its turn', async () => {
  const idle = new Set<IdleTurn>();
  const [left, right] = [new AgentTurns(idle), new AgentTurns(idle)];
  const turn = left.take(() => new Promise(() => undefined));
  turn.catch(() => undefined);
  const thrown = right.take(() => {
    throw new RangeError('at once');
  });
  await expect(thrown).rejects.toThrow('at once');
  expect(idle.size).toBe(1);
});
