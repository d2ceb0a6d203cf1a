import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInProcess } from '../../src/in-process/index.js';
import { config, FakeModel, solve, sums } from './support.js';

const SAMPLES = 600;

type StopWhen = { interval?: number; against?: string; score?: string };

/** A run over shuffled sums that ends once enough is known. */
function deciding(stop_when: StopWhen, sections: Record<string, Record<string, unknown>> = {}) {
  const { dataset, runtime, ...rest } = sections;
  return config(
    {
      dataset: { shuffle: true, ...dataset },
      runtime: { memory_scope: 'sample', concurrency: 20, ...runtime },
      limits: { stop_when },
      ...rest,
    },
    SAMPLES,
  );
}

/** A model that is right but for every so many samples. */
const rightBut = (every: number) =>
  new FakeModel((request) => {
    const number = Number(request.call.sample_id.slice(1));
    return number % every === 0 ? '-1' : solve(request);
  });

/** Writes the results of a run of these samples that was right as often. */
async function before(every: number, ids = sums(SAMPLES).map(({ id }) => id)): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'reprise-before-'));
  const rows = ids.map((id, index) => {
    const correct = (index + 1) % every !== 0;
    return { id, trial: 0, error: null, reward: Number(correct), feedback: { correct } };
  });
  await writeFile(join(folder, 'results.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return folder;
}

test('a run ends once its accuracy is known well enough', async () => {
  const { metrics } = await runInProcess(deciding({ interval: 0.1 }), { languageModel: rightBut(4) });
  const { status, status_message, samples, known } = metrics;
  expect(status).toBe('decided');
  expect(samples).toBeLessThan(SAMPLES);
  const [low, high] = known?.interval ?? [];
  expect((Number(high) - Number(low)) / 2).toBeLessThanOrEqual(0.1);
  expect(known).toMatchObject({ score: 'correct', estimate: expect.closeTo(0.75, 1) });
  expect(status_message).toMatch(
    /^limits\.stop_when\.interval: correct is 7\d\.\d % \[\d\d\.\d, \d\d\.\d\] after \d+ samples in order$/,
  );
});

test('a comparison ends once it is sure which is better, and not where both are alike', async () => {
  const sure = await runInProcess(deciding({ against: await before(2) }), { languageModel: rightBut(10) });
  expect(sure.metrics.status).toBe('decided');
  expect(sure.metrics.status_message).toMatch(/^limits\.stop_when\.against: correct is \+\d\d\.\d points/);
  expect(sure.metrics.known?.interval[0]).toBeGreaterThan(0);

  const alike = await runInProcess(deciding({ against: await before(3) }), { languageModel: rightBut(3) });
  expect(alike.metrics).toMatchObject({ status: 'done', samples: SAMPLES, known: { estimate: 0 } });
});

test('a sample that is not finished holds up those after it in order', async () => {
  const model = rightBut(4);
  const { rows } = await runInProcess(deciding({ interval: 0.1 }), { languageModel: model });
  const third = rows[2]?.id;
  const held: FakeModel['generate'] = async (request) => {
    // For as long as others are asked.
    while (request.call.sample_id === third && model.asked.length < rows.length + SAMPLES - 1)
      await new Promise((resolve) => setTimeout(resolve, 5));
    return model.generate(request);
  };
  const { metrics } = await runInProcess(deciding({ interval: 0.1 }), { languageModel: { generate: held } });
  expect(metrics).toMatchObject({ status: 'done', samples: SAMPLES, known: { samples: SAMPLES } });
});

test('a run ends with what is wrong where samples cannot be paired', async () => {
  const folder = await before(2, ['other']);
  const { metrics } = await runInProcess(deciding({ against: folder }), { languageModel: rightBut(4) });
  expect(metrics).toMatchObject({
    status: 'failed',
    status_message: expect.stringContaining(`is in ${folder}; samples are paired by their ids`),
  });
  expect(metrics.known).toBeUndefined();
});

test.each([
  [{}, {}, 'limits.stop_when: give interval, against or both'],
  [{ interval: 0.1 }, { dataset: { shuffle: false } }, 'limits.stop_when: the first rows of a file'],
  [{ interval: 0.1 }, { runtime: { memory_scope: 'run' } }, 'limits.stop_when: samples share one memory'],
  [{ interval: 0.1 }, { runtime: { epochs: 2 } }, 'limits.stop_when: the epochs of a sample'],
  [
    { interval: 0.1 },
    { dataset: { meta_fields: ['passage'] }, metrics: { cluster: 'passage' } },
    'limits.stop_when: the rows of a cluster',
  ],
  [{ against: '/no/such/folder' }, {}, 'limits.stop_when.against: '],
  [{ interval: 0.7 }, {}, 'limits.stop_when.interval: '],
])('%o with %o is refused', (stopWhen, sections, message) => {
  expect(() => deciding(stopWhen, sections)).toThrow(message);
});

test('a folder without results is refused before anything is asked', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'reprise-before-'));
  const model = rightBut(2);
  await expect(runInProcess(deciding({ against: folder }), { languageModel: model })).rejects.toThrow(
    `limits.stop_when.against: ${folder} has no results.jsonl`,
  );
  expect(model.asked).toEqual([]);
});
