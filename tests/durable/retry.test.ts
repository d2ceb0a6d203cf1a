import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { agentEvalIn, seatsConfig, seatsReply, writeSeats } from '../support/seats-bundle.js';
import { sumsConfig, untilIn, Workplace } from '../support/workplace.js';

const SAMPLES = 6;

describe('reprise retry', () => {
  let place: Workplace;
  let provider: FakeProvider;
  let seats: FakeProvider;

  beforeAll(async () => {
    place = await Workplace.make();
    provider = await startFakeProvider('openai');
    seats = await startFakeProvider('openai', { reply: seatsReply });
  });
  afterAll(async () => {
    await seats.close();
    await provider.close();
    await place.dispose();
  });

  it('asks the error rows of a finished run alone, in its folder, through an interruption, with the totals of all', async () => {
    await place.write('desk.yaml', sumsConfig(provider.baseUrl, SAMPLES, { name: 'desk' }));
    provider.intercept = ({ lastUserText }) => {
      if (/is [02] \+/.test(lastUserText)) return { kind: 'reply', text: '' };
      if (/is 1 \+/.test(lastUserText)) return { kind: 'status', status: 400, message: 'no such thing' };
      return undefined;
    };
    const first = await place.reprise(['run', 'desk.yaml', '--fail-on-error', '0.4']);
    expect(first.code).toBe(1);
    expect(first.stdout).toContain('2 EmptyReply: ');
    expect(first.stdout).toMatch(/1 bad_request: .*no such thing/);
    expect(first.stderr).toContain(
      '3 of 6 samples (50.0 %) could not be judged, more than --fail-on-error 0.4.',
    );
    expect(await place.metrics('desk')).toMatchObject({ status: 'done', errors: 3, correct: 3, lm_calls: 5 });

    provider.intercept = undefined;
    const wrong = await place.reprise(['retry', 'desk', '--type', 'timeout']);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain(
      "no error of the type 'timeout'; its errors are of: EmptyReply (2), bad_request (1)",
    );

    const before = provider.statistics.calls;
    const release = provider.hold();
    const interrupted = place.start(['retry', 'desk']);
    await untilIn(interrupted, 'it asks', () => provider.statistics.calls === before + 3);
    interrupted.process.kill('SIGINT');
    release();
    expect(await interrupted.done).toMatchObject({
      code: 130,
      stderr: expect.stringContaining('npx reprise retry desk continues desk'),
    });
    const { code, stderr } = await place.reprise(['retry', 'desk']);
    expect(code).toBe(0);
    expect(stderr).toContain('Asking 3 samples of desk again; all others stay as they are.');
    expect(provider.statistics.calls - before).toBe(3);
    // A provider that remembers by the key what it has answered is asked anew.
    expect(new Set(provider.requests.map(({ key }) => key)).size).toBe(provider.requests.length);
    const metrics = await place.metrics('desk');
    expect(metrics).toMatchObject({ status: 'done', samples: 6, errors: 0, correct: 6, lm_calls: 8 });
    expect(metrics.error_causes).toBeUndefined();
    const calls = await place.calls('desk');
    expect(calls.map(({ usage }) => usage?.input_tokens ?? 0).reduce((sum, tokens) => sum + tokens)).toBe(
      metrics.usage.input_tokens,
    );
    expect(calls.filter(({ text }) => text === '')).toHaveLength(2);
    const files = await readdir(place.path('results', 'desk'));
    for (const gone of ['parts', 'pending', 'set-aside', 'retry.json']) expect(files).not.toContain(gone);

    const nothing = await place.reprise(['retry', 'desk']);
    expect([nothing.code, nothing.stderr]).toEqual([
      0,
      expect.stringContaining('there is nothing to ask again'),
    ]);
  });

  it('continues with the rollouts of a finished evaluation that are errors, from where they came up', async () => {
    await writeSeats(place, 2, 'seats');
    const fields = { name: 'seats', rollouts: 2, concurrency: 4 };
    await place.write('seats.yaml', seatsConfig(seats.baseUrl, 'seats/task.jsonl', fields));
    let empty = 2;
    // In the middle: a tool has been called, and its result is told.
    seats.intercept = ({ body }) => {
      if (empty === 0 || body.messages.at(-1).role !== 'tool') return undefined;
      empty -= 1;
      return { kind: 'reply', text: '' };
    };
    const first = await place.reprise(['agent-eval', 'seats.yaml']);
    expect(first.code).toBe(0);
    const before = await agentEvalIn(place.path('results', 'seats'));
    expect(before.metrics.errors).toBe(2);
    const { calls } = seats.statistics;
    const { code, stderr } = await place.reprise(['retry', 'seats', '--type', 'EmptyReply']);
    expect([code, stderr]).toEqual([0, expect.stringContaining('Asking 2 rollouts of seats again')]);
    const after = await agentEvalIn(place.path('results', 'seats'));
    expect(after.metrics).toMatchObject({ status: 'done', rollouts: 4, errors: 0 });
    expect(seats.statistics.calls - calls).toBe(after.metrics.lm_calls - before.metrics.lm_calls);
    const kept = (rows: typeof before.rows) =>
      rows.filter(({ task_id, trial }) =>
        before.rows.some((row) => row.task_id === task_id && row.trial === trial && row.error === null),
      );
    expect(kept(after.rows)).toEqual(kept(before.rows));
    const files = await readdir(place.path('results', 'seats'));
    for (const gone of ['pending', 'set-aside', 'rollouts', 'retry.json']) expect(files).not.toContain(gone);
  });
});
