import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { atNight } from '../support/nightly.js';
import { additions, sumsConfig, until, untilIn, Workplace } from '../support/workplace.js';

const LANES = 4;

describe('what a run was begun with', () => {
  let place: Workplace;
  let provider: FakeProvider;

  beforeAll(async () => {
    place = await Workplace.make();
    provider = await startFakeProvider('openai');
    await place.dev();
  });
  beforeEach(() => {
    provider.latencyMs = 0;
  });
  afterAll(async () => {
    await provider.close();
    await place.dispose();
  });

  const write = (name: string, samples: number, sections: object = {}) =>
    place.write(
      `${name}.yaml`,
      sumsConfig(provider.baseUrl, samples, {
        name,
        runtime: { concurrency: LANES, memory_scope: 'sample' },
        ...sections,
      }),
    );

  it('limits hold as it was begun, and another concurrency is applied: neither is ignored', async () => {
    await write('paced', 40, { limits: { max_lm_calls: 1000 } });
    const { calls } = provider.statistics;
    const release = provider.hold();
    const first = place.start(['run', 'paced.yaml']);
    await until('its lanes wait', () => provider.statistics.calls === calls + LANES);
    const limited = await place.reprise(['run', 'paced.yaml', '--set', 'limits.max_lm_calls=5']);
    expect(limited.code).toBe(2);
    expect(limited.stderr).toContain(
      'limits.max_lm_calls: paced is in progress with 1000, not 5, and continues so',
    );
    expect(limited.stderr).toContain('reprise stop paced');
    const wider = place.start(['run', 'paced.yaml', '--set', `runtime.concurrency=${2 * LANES}`]);
    await untilIn(wider, 'it is told', () =>
      wider.output().includes(`paced does ${2 * LANES} at once from now on.`),
    );
    await until('more lanes wait', () => provider.statistics.calls === calls + 2 * LANES);
    release();
    for (const { done } of [first, wider]) expect((await done).code).toBe(0);
    expect(await place.metrics('paced')).toMatchObject({ status: 'done', samples: 40 });
  });

  it('a config too large for a history is known again', async () => {
    const note = 'x'.repeat(80_000);
    await write('large', 8, { agent: { type: 'history_agent', system_prompt: note, history_k: 0 } });
    const { calls } = provider.statistics;
    const release = provider.hold();
    const first = place.start(['run', 'large.yaml']);
    await until('its lanes wait', () => provider.statistics.calls === calls + LANES);
    const other = await place.reprise(['run', 'large.yaml', '--set', 'lm.temperature=0.5']);
    expect(other.code).toBe(2);
    expect(other.stderr).toContain('is in progress with another config (lm.temperature differs)');
    const same = place.start(['run', 'large.yaml']);
    await untilIn(same, 'it is attached to', () => same.output().includes('Attached to large'));
    release();
    for (const { done } of [first, same]) expect((await done).code).toBe(0);
  });

  it('rows of an edited dataset are no part of it: it stays unfinished, and the command says so', async () => {
    const rows = (count: number, shift: number) =>
      additions(count)
        .map((row) => JSON.stringify({ ...row, id: `row-${Number(row.id.slice(4)) + shift}` }))
        .join('\n');
    await place.write('rows.jsonl', rows(20, 0));
    const dataset = { items: undefined, dataset_path: 'rows.jsonl' };
    await write('edited-rows', 20, { dataset });
    const stopped = await place.reprise(['run', 'edited-rows.yaml', '--set', 'limits.max_lm_calls=6']);
    expect(stopped.code).toBe(3);
    await place.write('rows.jsonl', rows(20, 5));
    const { code, stderr } = await place.reprise(['run', 'edited-rows.yaml']);
    expect(code).toBe(0);
    expect(stderr).toContain(
      'edited-rows is unfinished and stays so, since the content of the dataset differs',
    );
    expect(await place.metrics('edited-rows-2')).toMatchObject({ status: 'done', samples: 20, lm_calls: 20 });
    expect((await place.rows('edited-rows-2')).map(({ id }) => id)[0]).toBe('row-5');
    expect(await place.metrics('edited-rows')).toMatchObject({ status: 'limit_reached', samples: 6 });
    // With the rows as they were it continues.
    await place.write('rows.jsonl', rows(20, 0));
    const again = await place.reprise(['run', 'edited-rows.yaml']);
    expect(again.stderr).toContain('Continuing edited-rows');
    expect(await place.metrics('edited-rows')).toMatchObject({ status: 'done', samples: 20, lm_calls: 20 });
  });

  atNight('time without any worker is none that it works', async () => {
    const alone = await Workplace.make();
    try {
      const server = await alone.dev({ REPRISE_TASK_QUEUE: 'nobody' });
      provider.latencyMs = 500;
      await alone.write(
        'timed.yaml',
        sumsConfig(provider.baseUrl, 24, {
          name: 'timed',
          runtime: { concurrency: LANES, memory_scope: 'sample' },
          limits: { max_wall_seconds: 14 },
        }),
      );
      const first = alone.start(['run', 'timed.yaml']);
      const { calls } = provider.statistics;
      await until('it works', () => provider.statistics.calls >= calls + 2 * LANES);
      await alone.kill(first);
      await sleep(12_000);
      const { code, stderr } = await alone.reprise(['run', 'timed.yaml']);
      expect(code, stderr).toBe(0);
      const { status, wall_seconds, samples } = await alone.metrics('timed');
      expect({ status, samples }).toEqual({ status: 'done', samples: 24 });
      expect(wall_seconds).toBeLessThan(14);
      await alone.kill(server);
    } finally {
      await alone.dispose();
    }
  });
});
