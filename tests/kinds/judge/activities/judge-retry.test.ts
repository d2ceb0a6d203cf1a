import { describe, expect, test } from 'vitest';
import { heldIn } from '../../../../src/activities/folder-contents.js';
import { reopen } from '../../../../src/activities/reopen.js';
import { contentsOfJudgement, makeRoomInJudgement } from '../../../../src/kinds/judge/contents.js';
import type { JudgePlan } from '../../../../src/kinds/judge/contracts.js';
import { LanguageModelError } from '../../../../src/language-models/errors.js';
import { readRetry } from '../../../../src/storage/retry-marker.js';
import { experimentOf, judgeAll, judgeWorld } from '../../../activities/judge-support.js';
import { MemoryStore } from '../../../support/memory-store.js';
import { episode } from '../../../trajectories/support.js';
import { verdictText } from '../judging/support.js';

/** Three steps: one has a verdict, on one no reply is a verdict, and one is refused by the provider. */
const rows = ['good', 'bad', 'refused'].map((name) => episode(name, [1], { episode_id: name }));

function world() {
  const objects = experimentOf(...rows);
  let isMended = false;
  const judge = judgeWorld(objects, ({ call }) => {
    const name = call.sample_id.split('/')[0];
    if (isMended || name === 'good') return verdictText(5, 1);
    if (name === 'bad') return 'Five.';
    throw new LanguageModelError('bad_request', 'too long', { provider: 'fake' });
  });
  const storeOf = (plan: JudgePlan) =>
    new MemoryStore(objects, { uri: 's3://memory/results' }).within(judge.folder(plan));
  return { ...judge, storeOf, mend: () => (isMended = true) };
}

async function finished() {
  const judge = world();
  const plan = await judge.prepare();
  await judgeAll(judge, plan);
  const metrics = await judge.finalize(plan);
  expect(metrics).toMatchObject({ steps: 1, errors: 2, lm_calls: 4, malformed_replies: 3 });
  judge.mend();
  return { judge, plan, store: judge.storeOf(plan), asked: judge.asked.length };
}

describe('a judgement whose errors are asked again', () => {
  test('asks for the steps without a verdict, those with malformed ones from the beginning, and counts all', async () => {
    const { judge, store, asked } = await finished();
    await reopen(store, null, makeRoomInJudgement);
    const again = await judge.prepare({}, 'second');
    expect(again).toMatchObject({ spent: { lm_calls: 4, cost_usd: 2 }, stored: 1 });
    await judgeAll(judge, again);
    expect(judge.asked.slice(asked).map(({ call }) => call.sample_id)).toEqual(['bad/0', 'refused/0']);
    expect(await judge.finalize(again)).toMatchObject({
      status: 'done',
      steps: 3,
      errors: 0,
      lm_calls: 6,
      cost_usd: 3,
      malformed_replies: 3,
      episodes_judged: 3,
      episodes_succeeded: 3,
      success_rate: 1,
    });
    expect(judge.linesOf(again, 'calls.jsonl')).toHaveLength(6);
    expect(await readRetry(store)).toBeNull();
  });

  test('leaves errors of other types as they are', async () => {
    const { judge, store, asked } = await finished();
    await reopen(store, ['MalformedVerdict'], makeRoomInJudgement);
    const again = await judge.prepare({}, 'second');
    await judgeAll(judge, again);
    expect(judge.asked.slice(asked).map(({ call }) => call.sample_id)).toEqual(['bad/0']);
    expect(await judge.finalize(again)).toMatchObject({ steps: 2, errors_by_type: { bad_request: 1 } });
  });

  test('keeps malformed replies where errors of another type are asked again', async () => {
    const { judge, store, asked } = await finished();
    await reopen(store, ['bad_request'], makeRoomInJudgement);
    const again = await judge.prepare({}, 'second');
    expect(again).not.toHaveProperty('spent_set_aside');
    await judgeAll(judge, again);
    expect(judge.asked.slice(asked).map(({ call }) => call.sample_id)).toEqual(['refused/0']);
    expect(await judge.finalize(again)).toMatchObject({ steps: 2, errors_by_type: { MalformedVerdict: 1 } });
  });
});

test('the folder of a judgement that was cut off holds steps, errors apart, and answered calls', async () => {
  const judge = world();
  const plan = await judge.prepare();
  await judgeAll(judge, plan);
  expect(await heldIn(judge.storeOf(plan), contentsOfJudgement)).toEqual({
    steps: 1,
    errors: 1,
    answered_calls: 4,
  });
});
