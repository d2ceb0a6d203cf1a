import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Workplace } from '../support/workplace.js';

/** Takes the maths library minutes. */
const ENDLESS = `\\boxed{${'|x-'.repeat(36)}1${'|'.repeat(36)}}`;
const SAMPLES = 50;

/** `(x+a)(x+2)(x+3)(x-b)`, and its coefficients from the highest power on. */
function product(index: number): { factors: string; coefficients: number[] } {
  const roots = [-(index % 10) - 1, -2, -3, (index % 7) + 4];
  let coefficients = [1];
  for (const root of roots) {
    const before = coefficients;
    coefficients = before.concat(0).map((value, at) => value - root * (before[at - 1] ?? 0));
  }
  const factors = roots.map((root) => (root < 0 ? `(x+${-root})` : `(x-${root})`)).join('');
  return { factors, coefficients };
}

const expanded = (coefficients: number[]) =>
  coefficients.map((value, at) => `${value < 0 ? '' : '+'}${value}x^{${4 - at}}`).join('');

/** Every tenth is wrong by one; every 47th cannot be judged. */
const samples = Array.from({ length: SAMPLES }, (_, index) => {
  const { factors, coefficients } = product(index);
  const answer = expanded(index % 10 === 5 ? [...coefficients.slice(0, 4), 1] : coefficients);
  return {
    id: `s${index}`,
    question: `expand ${index}`,
    answer,
    reply: index % 47 === 0 ? ENDLESS : factors,
  };
});
const expected = samples.map(({ id, reply }, index) => [
  id,
  reply === ENDLESS ? 'GradingLimit' : index % 10 !== 5,
]);

let place: Workplace;
const busy: ChildProcess[] = [];

beforeAll(async () => {
  place = await Workplace.make();
  const calls = samples.map(({ id, reply }) => ({
    sample_id: id,
    trial: 0,
    purpose: 'act',
    ordinal: 0,
    text: reply,
  }));
  await place.write('calls.jsonl', calls.map((call) => `${JSON.stringify(call)}\n`).join(''));
});
afterAll(async () => {
  for (const child of busy) child.kill('SIGKILL');
  await place.dispose();
});

async function verdicts(name: string, concurrency: number) {
  await place.write(`${name}.yaml`, {
    name,
    dataset: {
      items: samples.map(({ reply: _reply, ...item }) => item),
      task_type: 'numeric',
      input_field: 'question',
      target_field: 'answer',
      id_field: 'id',
    },
    agent: { type: 'history_agent', history_k: 0 },
    lm: { provider: 'replay', recording: 'calls.jsonl' },
    runtime: { memory_scope: 'sample', concurrency },
    output: { results_dir: 'results' },
  });
  const { code, stderr } = await place.reprise(['run', `${name}.yaml`]);
  expect(code, stderr).toBe(0);
  const rows = await place.rows(name);
  return rows.map(({ id, error, feedback }) => [id, error?.type ?? feedback?.correct]);
}

test('verdicts are the same one after another, all at once, and on a machine without a free processor', async () => {
  expect(await verdicts('alone', 1)).toEqual(expected);
  for (let count = 0; count < availableParallelism(); count += 1) {
    busy.push(spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
  }
  expect(await verdicts('crowded', 500)).toEqual(expected);
});
