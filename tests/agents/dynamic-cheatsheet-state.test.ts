import { describe, expect, test } from 'vitest';
import { CheatsheetBench, ended, type Step, sheet } from './cheatsheet-bench.js';

const MODES = ['cumulative', 'retrieval_synthesis', 'dynamic_retrieval', 'full_history', 'empty_sheet'];
const steps: Step[] = [{ obs: 'Guess a number.' }, { obs: 'Higher.' }, { obs: 'Lower.', correct: true }];

function bench(mode: string): CheatsheetBench {
  return new CheatsheetBench({
    agent: { mode, use_code_execution: true, history_k: 2 },
    memory: { _type: 'hybrid' },
    say: ({ purpose }, number) => {
      if (purpose !== 'act') return number % 4 === 0 ? 'no sheet' : sheet(`notes ${number}`);
      return number % 2 === 0 ? '```python\nprint(1)\n```\nEXECUTE CODE!' : `guess ${number}`;
    },
    run: (_code, number) => ended(number % 2 === 0 ? { status: 'error', stderr: 'bad' } : { stdout: 'ok' }),
  });
}

/** Two episodes; with `handOvers` another agent and memory take over between every two steps. */
async function play(one: CheatsheetBench, handOvers: boolean): Promise<Record<string, number>[]> {
  const counts: Record<string, number>[] = [];
  for (const sample of ['s1', 's2']) {
    await one.agent.reset({ sample_id: sample, trial: 0, num_trials: 1 });
    for (const number of steps.keys()) {
      await one.step(sample, number, steps);
      if (handOvers) await one.handOver();
    }
    await one.agent.endEpisode();
    counts.push({ ...one.counts });
  }
  return counts;
}

describe.each(MODES)('mode %s', (mode) => {
  test('handed over between any two steps asks, remembers and counts the same', async () => {
    const [whole, handedOver] = [bench(mode), bench(mode)];
    const counts = await play(whole, false);
    expect(await play(handedOver, true)).toEqual(counts);
    expect(handedOver.requests).toEqual(whole.requests);
    expect(handedOver.saved).toEqual(whole.saved);
    expect(handedOver.memory.snapshot()).toEqual(whole.memory.snapshot());
    expect(whole.requests.length).toBeGreaterThan(6);
  });

  test('remembers every step with its origin, whatever is shown of it', async () => {
    const one = bench(mode);
    await play(one, false);
    const experiences = one.journal.entries().filter(({ _type }) => _type === 'experience');
    expect(experiences).toMatchObject(
      ['s1', 's2'].flatMap((sample_id) => steps.map(({ obs }) => ({ sample_id, trial: 0, obs }))),
    );
  });
});

test('with a memory that has no experiences the sheet alone is remembered', async () => {
  const one = new CheatsheetBench({ say: () => sheet('notes') });
  await one.episode('s1', 0, {}, {});
  expect(one.journal.entries()).toEqual([
    { _type: 'cheatsheet', content: 'notes', sample_id: 's1', trial: 0 },
  ]);
  expect(one.saved).toEqual({
    _type: 'cheatsheet',
    cheatsheet: 'notes',
    versions: [{ version: 1, sample_id: 's1', trial: 0, content: 'notes' }],
  });
});

test('one run’s memory, loaded into the next, is used by it', async () => {
  const first = bench('cumulative');
  await play(first, false);
  const options = { agent: { mode: 'cumulative', use_retrieval: true }, loaded: first.saved };
  const second = new CheatsheetBench(options);
  await second.episode('s9', 0, { obs: 'Guess a number.' });
  expect(second.prompts('act')[0]).toContain(first.sheet);
  expect(first.sheet).not.toBe('');
  expect(second.prompts('act')[0]).toContain('guess');
});
