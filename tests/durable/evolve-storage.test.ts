import { cp } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Lineage } from '../../src/kinds/evolve/evolution/lineage.js';
import type { EvolveMetrics } from '../../src/kinds/evolve/results.js';
import type { ArtifactStore } from '../../src/storage/artifact-store.js';
import { openStore } from '../../src/storage/open.js';
import { evolveMetricsOf, experimentOf, finished, treeIn, treeOf } from '../support/evolutions.js';
import { findPython, mustSkipPython } from '../support/python.js';
import { findVersitygw, mustSkip, type S3Server, startS3Server } from '../support/s3-server.js';
import { untilIn, Workplace } from '../support/workplace.js';

const SETTINGS = [
  'sandbox=process',
  'data.generate.valid=12',
  'data.generate.test=4',
  'evolution.num_validation_examples=4',
];

const skip = mustSkip(await findVersitygw()) || mustSkipPython(await findPython());

describe.skipIf(skip)('an evolution with its results on a real S3 server', () => {
  let place: Workplace;
  let s3: S3Server;
  let results: ArtifactStore;
  let address: string;

  beforeAll(async () => {
    s3 = await startS3Server();
    place = await Workplace.make(s3.environment);
    await cp('configs', place.path('configs'), { recursive: true });
    address = `s3://${s3.bucket}/team`;
    results = openStore(address, { environment: s3.environment });
  });
  afterAll(async () => {
    await place?.dispose();
    await s3?.stop();
  });

  const start = (name: string, resultsDir: string) =>
    place.start([
      ...['evolve', 'configs/evolve_game24.yaml', '--experiment-name', name, '--results-dir', resultsDir],
      ...SETTINGS.flatMap((one) => ['--set', one]),
    ]);

  it('can be read while it continues, and comes to the same tree as in a folder', async () => {
    const running = start('on-s3', address);
    let experiment = '';
    await untilIn(running, 'iteration 1 is on S3', async () => {
      for await (const { key } of results.list('on-s3_')) {
        if (key.endsWith('/iterations/1/scoring.json')) experiment = key.slice(0, key.indexOf('/'));
      }
      return experiment !== '';
    });
    const store = results.within(experiment);
    expect(await store.exists('metrics.json')).toBe(false);
    const read = async (key: string): Promise<string> => {
      const text = await store.readText(key);
      if (text === null) throw new Error(`${key} is not there`);
      return text;
    };
    expect(Object.keys(JSON.parse(await read('iterations/1/scoring.json')).valid)).toEqual(['0', '1', '2']);
    expect(await read('iterations/1/logs/0/valid.log')).toMatch(/^=== example /);
    expect(await read('iterations/1/scaffolds/new/0-0/scaffold.py')).toContain('def process_input');
    expect(await read('iterations/0/scaffolds/new/0/llm_executor.py')).toContain('def execute_llm');

    const output = await finished(running);
    expect(output).toContain(`Artifacts: ${address}/${experiment}`);
    const metrics = JSON.parse(await read('metrics.json')) as EvolveMetrics;
    expect(metrics).toMatchObject({ status: 'done', experiment, best: { score: 1, test_score: 1 } });
    const { nodes } = JSON.parse(await read('lineage.json')) as Lineage;
    expect(nodes.map(({ id }) => id)).toContain('0-0-0-0');
    expect(await read('report.html')).toContain('</html>');

    await finished(start('in-folder', 'experiments'));
    const folder = await experimentOf(place, 'in-folder');
    const tree = await treeOf(folder);
    expect(await treeIn(store)).toEqual(tree);
    expect(Object.keys(tree)).toContain('best/scaffold.py');
    const { best, executions, lm_calls } = await evolveMetricsOf(folder);
    expect(metrics).toMatchObject({ best, executions, lm_calls });
  }, 240_000);
});
