import { describe, expect, test, vi } from 'vitest';
import type { ResultRow } from '../../../../src/contracts/results.js';
import { rescore } from '../../../../src/kinds/run/activities/rescore.js';
import { writeTasks } from '../../../../src/kinds/run/activities/task-reader.js';
import { expandEpisode } from '../../../../src/kinds/run/activities/write-part.js';
import type { CompactEpisode } from '../../../../src/kinds/run/contracts.js';
import { rescoredKeys } from '../../../../src/kinds/run/paths.js';
import { resultRow } from '../../../../src/statistics/result-row.js';
import { artifactKeys } from '../../../../src/storage/paths.js';
import { keys, runContext, temporaryStore } from '../../../activities/support.js';
import { configOf } from '../../../support/configs.js';
import { call, episode, row, step } from '../../../support/rows.js';

/** A run of a number-guessing game whose secret is 42. */
async function guessing() {
  const store = await temporaryStore();
  const config = configOf({ dataset: { items: [{}], task_type: 'custom', env_class: 'NumberGuessingEnv' } });
  const run = runContext(store, config, 1);
  const task = { index: 0, id: 's1', question: 'Find it.', target: '42', metadata: {} };
  await writeTasks(
    store,
    (async function* () {
      yield task;
    })(),
  );
  const playable = run.playable(task);
  const judged = async (guesses: number, guess: string) => {
    const answer = await playable.step({ guesses }, guess);
    if ('error' in answer) throw new Error(answer.error.message);
    return answer;
  };
  /** An answered act call; with `answered`, the environment's answer lies beside it. */
  const save = async (ordinal: number, text: string, guesses: number, answered: boolean) => {
    const answer = await judged(guesses, text);
    await run.calls.save({ record: call({ ordinal, text }), answer: answered ? answer : null });
  };
  return { run, save, judged };
}

describe('an episode from its compact form', () => {
  const compact = (fields: Partial<CompactEpisode>): CompactEpisode => ({
    index: 0,
    id: 's1',
    trial: 0,
    steps: [],
    calls: [],
    reward: 0,
    at: 1000,
    took: 500,
    ...fields,
  });

  test('counts a call as often repeated as the attempt knew that answered it', async () => {
    const { run, save } = await guessing();
    await save(0, '42', 0, true);
    const { calls } = await expandEpisode(run, compact({ steps: [0], calls: [['act', 0, 0, 2]], reward: 1 }));
    expect(calls).toMatchObject([{ text: '42', repeated: 2, attempts: 3 }]);
    const maybe = await expandEpisode(run, compact({ steps: [0], calls: [['act', 0, 0, 0, 2]], reward: 1 }));
    expect(maybe.calls).toMatchObject([{ repeated: 0, maybe_repeated: 2, attempts: 3 }]);
  });

  test.each([true, false])('has the steps that its calls hold (answers kept: %s)', async (answered) => {
    const { run, save } = await guessing();
    await save(0, '10', 0, answered);
    await save(1, '42', 1, answered);
    const given = compact({
      steps: [0, 1],
      calls: [
        ['act', 0, 0],
        ['act', 1, 1],
      ],
      reward: 1,
    });
    const { episode: made, calls } = await expandEpisode(run, given);
    expect(made).toMatchObject({
      sample_id: 's1',
      reward: 1,
      error: null,
      warnings: [],
      started_at: 1000,
      ended_at: 1500,
    });
    expect(
      made.steps.map(({ obs, action, reward, done, act }) => [obs.split('\n')[0], action, reward, done, act]),
    ).toEqual([
      ['Find it.', '10', 0, false, 0],
      ['Higher. 6 guesses left.', '42', 1, true, 1],
    ]);
    expect(calls.map(({ text, step: at }) => [text, at])).toEqual([
      ['10', 0],
      ['42', 1],
    ]);
  });

  test('takes steps that are written out as they are, also among others', async () => {
    const { run, save, judged } = await guessing();
    await save(1, '42', 1, true);
    const { feedback, obs } = await judged(0, '7');
    const written = { obs: 'seen', action: '7', feedback, reward: 0, done: false };
    const { episode: made } = await expandEpisode(
      run,
      compact({ steps: [written, 1], calls: [['act', 1, 1]] }),
    );
    expect(made.steps[0]).toEqual(written);
    expect(made.steps[1]).toMatchObject({ obs, action: '42', done: true });
  });

  test('names a failed call without a record for it', async () => {
    const { run } = await guessing();
    const error = { type: 'timeout', message: 'no answer in time' };
    const { episode: made, calls } = await expandEpisode(run, compact({ calls: [['act', 0, 0]], error }));
    expect(made).toMatchObject({ error, steps: [], calls: [{ purpose: 'act', ordinal: 0, step: 0 }] });
    expect(calls).toEqual([]);
  });

  test('a step whose record is gone is an error that names it', async () => {
    const { run } = await guessing();
    const given = compact({ steps: [0], calls: [['act', 0, 0]] });
    await expect(expandEpisode(run, given)).rejects.toThrow('the record of s1, trial 0, act 0 is missing');
  });
});

describe('rescoring a row that could not be judged', () => {
  const unjudged = (action: string, taken: string[] = []) =>
    resultRow(
      episode({
        steps: taken.map((one) => ({ ...step(false), action: one })),
        error: { type: 'GradingLimit', message: 'took too long' },
        unjudged: action,
      }),
      [],
    );

  async function rescored(row: ResultRow) {
    const { run } = await guessing();
    await run.store.write(artifactKeys.results, `${JSON.stringify(row)}\n`);
    await run.store.write(artifactKeys.metrics, JSON.stringify({ lm_calls: 1 }));
    const { changed, metrics } = await rescore(run);
    const text = (await run.store.readText(rescoredKeys.results)) ?? '';
    return { changed, metrics, row: JSON.parse(text) as ResultRow };
  }

  test('judges it, after the steps that were taken', async () => {
    const { changed, metrics, row } = await rescored(unjudged('42', ['10']));
    expect(changed).toEqual([{ id: 's1', trial: 0, before: null, after: true, message: 'Found.' }]);
    expect(metrics).toMatchObject({ errors: 0, correct: 1 });
    expect(row).toMatchObject({ action: '42', steps: 2, reward: 1, error: null });
    expect(row.step_records?.map(({ action, done }) => [action, done])).toEqual([
      ['10', false],
      ['42', true],
    ]);
    expect(row.unjudged).toBeUndefined();
  });

  test('leaves it an error where the episode would continue', async () => {
    const before = unjudged('10');
    const { changed, metrics, row } = await rescored(before);
    expect(changed).toEqual([]);
    expect(metrics).toMatchObject({ errors: 1 });
    expect(row).toEqual(before);
  });
});

test('rescoring grades the recorded answers again and leaves the originals', async () => {
  const { run, judged } = await guessing();
  const { feedback } = await judged(0, '42');
  const wrongly = { ...feedback, correct: false };
  const rows = [
    resultRow(episode({ steps: [{ ...step(false), action: '42', feedback: wrongly }] }), []),
    row('s1', 1, 'timeout'),
  ];
  await run.store.write(artifactKeys.results, rows.map((one) => `${JSON.stringify(one)}\n`).join(''));
  await run.store.write(artifactKeys.metrics, JSON.stringify({ lm_calls: 9, cost_usd: 3, accuracy: 0 }));
  const originals = await run.store.readText(artifactKeys.results);
  const { changed, metrics, before } = await rescore(run);
  expect(changed).toEqual([{ id: 's1', trial: 0, before: false, after: true, message: 'Found.' }]);
  expect(before.accuracy).toBe(0);
  expect(metrics).toMatchObject({ lm_calls: 9, cost_usd: 3, episodes: 2, errors: 1 });
  expect(await run.store.readText(artifactKeys.results)).toBe(originals);
  expect(await keys(run.store, 'rescored/')).toEqual(Object.values(rescoredKeys).toSorted());
});

test('rescoring lists the figures by other fields, and keeps none of rows as they were', async () => {
  const { run } = await guessing();
  const answered = (action: string) =>
    resultRow(episode({ steps: [{ ...step(false), action, feedback: { ...step(false).feedback } }] }), []);
  const rows = [
    { ...answered('42'), metadata: { level: 1, passage: 'a' } },
    { ...answered('7'), trial: 1, metadata: { level: 1, passage: 'a' } },
  ];
  await run.store.write(artifactKeys.results, rows.map((one) => `${JSON.stringify(one)}\n`).join(''));
  const before = {
    lm_calls: 9,
    by: { old: {} },
    scores: { old: {} },
    first_warning: 'old',
    adaptations: { a: 1 },
  };
  await run.store.write(artifactKeys.metrics, JSON.stringify(before));
  const { metrics } = await rescore(run, { by: ['level', 'guesses'], cluster: 'passage' });
  expect(metrics).toMatchObject({ clustered_by: 'passage', adaptations: { a: 1 } });
  // The environment reports the number of guesses, which is then no score.
  expect(Object.keys(metrics.by ?? {})).toEqual(['level', 'guesses']);
  expect(metrics).not.toHaveProperty('scores');
  expect(metrics).not.toHaveProperty('first_warning');
  expect((await rescore(run)).metrics.scores).toHaveProperty('guesses');
});

test('a store that refuses before it has read a row leaves none open', async () => {
  const { run } = await guessing();
  await run.store.write(artifactKeys.results, `${JSON.stringify(row('s1', 0, 'timeout'))}\n`);
  await run.store.write(artifactKeys.metrics, JSON.stringify({ lm_calls: 1 }));
  const openRead = vi.spyOn(run.store, 'openRead');
  vi.spyOn(run.store, 'writeStream').mockRejectedValue(new Error('read only'));
  await expect(rescore(run)).rejects.toThrow('read only');
  expect(openRead.mock.calls.flat()).not.toContain(artifactKeys.results);
});
