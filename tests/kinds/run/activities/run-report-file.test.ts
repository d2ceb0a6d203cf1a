import { spawnSync } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createFinalizeRun } from '../../../../src/kinds/run/activities/finalize-run.js';
import { writePart } from '../../../../src/kinds/run/activities/part-file.js';
import type { RunPlan } from '../../../../src/kinds/run/contracts.js';
import { partKey } from '../../../../src/kinds/run/paths.js';
import { temporaryName } from '../../../../src/storage/atomic-write.js';
import { artifactKeys } from '../../../../src/storage/paths.js';
import { episodeLine, temporaryStore } from '../../../activities/support.js';
import { activitiesOf, preparedRun } from '../../../activities/worker-support.js';
import { parseSection } from '../../../reports/support.js';
import { configOf } from '../../../support/configs.js';
import { call, row } from '../../../support/rows.js';

test('a run that ends, however it ends, leaves a page with the figures of metrics.json and its samples', async () => {
  const store = await temporaryStore();
  const run = await preparedRun(
    store,
    configOf({ dataset: { items: ['a', 'b', 'c', 'd'].map((question) => ({ question, answer: 'gold' })) } }),
  );
  const outcomes = ['yes', 'no', 'timeout'];
  const lines = outcomes.map((outcome, index) => {
    const calls = [call({ sample_id: `s${index}` })];
    return episodeLine(index, 0, { row: row(`s${index}`, 0, outcome, {}, calls), calls });
  });
  await writePart(store, partKey('e', 0, 'w0'), lines);
  const { finalizeRun } = activitiesOf((runs, dependencies) => ({
    finalizeRun: createFinalizeRun(runs, dependencies),
  }));
  const plan = { run, experiment: 'mine', execution: 'e', samples_planned: 4, spent_wall_seconds: 0 };
  const metrics = await finalizeRun({
    plan: plan as RunPlan,
    status: 'stopped',
    message: null,
    started_at: 0,
    ended_at: 1000,
  });
  const written = ((await store.readText(artifactKeys.results)) ?? '').trim().split('\n');
  expect(written.map((line) => JSON.parse(line))).toMatchObject(
    outcomes.map((outcome, index) => ({
      id: `s${index}`,
      question: `question ${index}`,
      target: 'gold',
      error: outcome === 'timeout' ? { type: 'timeout' } : null,
    })),
  );
  const page = (await store.readText(artifactKeys.report)) ?? '';
  expect(page.trimEnd().endsWith('</html>')).toBe(true);
  const cells = (section: string, path: string) =>
    parseSection(page, section)
      .texts.filter((one) => one.path.slice(-2).join(' ') === path)
      .map(({ text }) => text);
  const names = cells('figures', 'th code');
  const figures = cells('figures', 'td code');
  const shown = (name: string) => figures[names.indexOf(name)];
  for (const name of ['accuracy', 'correct', 'errors', 'samples', 'lm_calls', 'cost_usd'] as const) {
    expect([name, shown(name)]).toEqual([name, String(metrics[name])]);
  }
  expect(cells('samples', 'td span')).toEqual(['success', 'failure', 'error']);
});

test('a run that is done leaves nothing that a worker which died had half-written', async () => {
  const store = await temporaryStore();
  const run = await preparedRun(store, configOf());
  const calls = [call({ sample_id: 's0' })];
  const lines = [episodeLine(0, 0, { row: row('s0', 0, 'yes', {}, calls), calls })];
  await writePart(store, partKey('e', 0, 'w0'), lines);
  const gone = spawnSync('true').pid;
  const folder = fileURLToPath(store.uri);
  const orphan = temporaryName().replace(`-${process.pid}-`, `-${gone}-`);
  await writeFile(join(folder, orphan), '');
  const { finalizeRun } = activitiesOf((runs, dependencies) => ({
    finalizeRun: createFinalizeRun(runs, dependencies),
  }));
  const plan = { run, experiment: 'mine', execution: 'e', samples_planned: 1, spent_wall_seconds: 0 };
  const end = { status: 'done' as const, message: null, started_at: 0, ended_at: 1000 };
  expect(await finalizeRun({ plan: plan as RunPlan, ...end })).toMatchObject({ status: 'done' });
  const left = await readdir(folder, { recursive: true });
  expect(left).toContain(artifactKeys.metrics);
  expect(left).not.toContain(orphan);
});
