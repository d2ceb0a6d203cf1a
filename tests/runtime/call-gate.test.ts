import { expect, it } from 'vitest';
import { CallGate } from '../../src/runtime/call-gate.js';
import { newShardBudget } from '../../src/runtime/shard-budget.js';

const allotted = (lm_calls: number) => ({ lm_calls, tokens: null, nanodollars: null });

function gateWith(lm_calls: number) {
  const spent = { lm_calls: 0, tokens: 0, nanodollars: 0 };
  const gate = new CallGate(
    newShardBudget(allotted(lm_calls)),
    () => ({ ...spent }),
    () => undefined,
  );
  return { gate, spent };
}

/** Who has been answered so far, and what. */
function askedOf(gate: CallGate, count: number): (boolean | null)[] {
  const answers: (boolean | null)[] = Array.from({ length: count }, () => null);
  for (const at of answers.keys()) {
    void gate.take().then((begins) => {
      answers[at] = begins;
    });
  }
  return answers;
}

it('lets calls begin in the order in which they came, as far as there is room', async () => {
  const { gate, spent } = gateWith(2);
  const answers = askedOf(gate, 4);
  await Promise.resolve();
  expect(answers).toEqual([true, true, null, null]);
  spent.lm_calls += 1;
  gate.ended();
  await Promise.resolve();
  expect(answers).toEqual([true, true, null, null]);
  gate.hear(allotted(3));
  await Promise.resolve();
  expect(answers).toEqual([true, true, true, null]);
});

it('gives the place of a call that was never answered to the next one', async () => {
  const { gate } = gateWith(1);
  const answers = askedOf(gate, 2);
  gate.ended();
  await Promise.resolve();
  expect(answers).toEqual([true, true]);
});

it('refuses those who wait, and whoever comes, once it is closed', async () => {
  const { gate } = gateWith(0);
  const answers = askedOf(gate, 2);
  gate.close();
  await Promise.resolve();
  expect(answers).toEqual([false, false]);
  expect(await gate.take()).toBe(false);
});
