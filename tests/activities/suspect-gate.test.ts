import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SuspectGate } from '../../src/activities/with-suspects.js';

/** Who comes to a gate, in their order: names of suspects begin with `s`, with `s!` where one has died alone. */
function gateOf(hold?: number) {
  const gate = new SuspectGate(hold);
  const inside: string[] = [];
  const places = new Map<string, () => void>();
  const enter = (name: string) => {
    const { turn, leave } = gate.enter(name.startsWith('s'), name.startsWith('s!'));
    places.set(name, leave);
    if (turn === null) inside.push(name);
    else void turn.then(() => inside.push(name));
  };
  const leave = async (name: string) => {
    places.get(name)?.();
    await sleep(0);
  };
  return { inside, enter, leave };
}

test('who is not suspected begins at once', () => {
  const { inside, enter } = gateOf();
  for (const name of ['a', 'b', 'c']) enter(name);
  expect(inside).toEqual(['a', 'b', 'c']);
});

test('a suspect waits for who is in, and runs alone; suspects go first', async () => {
  const { inside, enter, leave } = gateOf();
  for (const name of ['a', 's1', 'b', 's2']) enter(name);
  expect(inside).toEqual(['a']);
  await leave('a');
  expect(inside).toEqual(['a', 's1']);
  await leave('s1');
  expect(inside).toEqual(['a', 's1', 's2']);
  enter('c');
  await leave('s2');
  expect(inside).toEqual(['a', 's1', 's2', 'b', 'c']);
});

test('of suspects the first is one whose worker died while it was alone', async () => {
  const { inside, enter, leave } = gateOf();
  for (const name of ['a', 's1', 's!', 's2']) enter(name);
  for (const name of ['a', 's!', 's1']) await leave(name);
  expect(inside).toEqual(['a', 's!', 's1', 's2']);
});

test('one that gives up its place while it waits keeps nobody', async () => {
  const { inside, enter, leave } = gateOf();
  for (const name of ['a', 's1', 'b']) enter(name);
  await leave('s1');
  expect(inside).toEqual(['a', 'b']);
});

test('nobody is waited for without end', async () => {
  const { inside, enter } = gateOf(20);
  for (const name of ['a', 's1', 's2', 'b']) enter(name);
  await expect.poll(() => inside).toEqual(['a', 's1', 's2', 'b']);
});
