import { cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallRecord } from '../../src/contracts/language-model.js';
import type { ScaffoldRunRecord } from '../../src/kinds/evolve/activities/scaffold-runs.js';
import { createRandom, shuffled } from '../../src/statistics/random.js';
import { findDocker, mustSkipDocker } from '../support/docker.js';
import {
  experimentOf,
  finished,
  lineageOf,
  madeAt,
  evolveMetricsOf as metricsOf,
  treeOf,
} from '../support/evolutions.js';
import { IS_NIGHT } from '../support/nightly.js';
import { type Running, readLines, untilIn, Workplace } from '../support/workplace.js';

const CONFIG = 'configs/evolve_game24.yaml';
/** Fewer examples than the shipped config has, so that a test takes a minute. */
const SMALL = ['data.generate.valid=30', 'data.generate.test=0', 'evolution.num_validation_examples=8'];

/** One execution and one call after the other. */
const ALONE = 'evolution.concurrency=1';

/** How often each is killed −9 in the middle of one experiment. */
const WORKER_KILLS = IS_NIGHT ? 6 : 2;
const SERVER_KILLS = IS_NIGHT ? 4 : 2;

const docker = await findDocker();

describe.skipIf(mustSkipDocker(docker))('an evolution in Docker, on a real server', () => {
  const environment = 'missing' in docker ? {} : docker.environment;
  let place: Workplace;

  beforeAll(async () => {
    place = await Workplace.make(environment);
    await cp('configs', place.path('configs'), { recursive: true });
  });
  afterAll(() => place.dispose());

  const start = (name: string, ...set: string[]): Running =>
    place.start([
      'evolve',
      CONFIG,
      '--experiment-name',
      name,
      '--results-dir',
      'experiments',
      ...[...SMALL, ...set].flatMap((one) => ['--set', one]),
    ]);

  const folderOf = (name: string) => experimentOf(place, name);

  it('climbs from naive over greedy to full search, with the tree on disk', async () => {
    const output = await finished(start('calm', ALONE));
    expect(output).toMatch(/\[Iteration 1\] Evaluating scaffold 0: validation score 0\.\d+/);
    expect(output).toMatch(/Best scaffold: .*scaffold\.py/);
    const folder = await folderOf('calm');
    const logged = (await readLines<{ msg: string }>(join(folder, 'run.log'))).map(({ msg }) => msg);
    const told = output.split('\n').filter((line) => /^(\[|Best so far)/.test(line));
    expect(told.length).toBeGreaterThan(20);
    expect(logged).toEqual(expect.arrayContaining(told));
    const metrics = await metricsOf(folder);
    expect(metrics).toMatchObject({ status: 'done', kind: 'evolve', best: { score: 1 } });
    const best = metrics.best_by_iteration.filter((score) => score !== null);
    expect(best).toHaveLength(3);
    expect([...best].sort()).toEqual(best);
    expect(best[0]).toBeLessThan(1);
    const files = Object.keys(await treeOf(folder));
    for (const file of [
      'iterations/0/scaffolds/new/0/scaffold.py',
      'iterations/0/scaffolds/new/0/metadata.json',
      'iterations/0/scaffolds/new/0/llm_executor.py',
      'iterations/0/scaffolds/new/0/llm_interfaces.py',
      'iterations/0/scoring.json',
      'iterations/1/scaffolds/old/0/scaffold.py',
      'iterations/1/scaffolds/new/0-0/scaffold.py',
      'iterations/1/logs/0/train.json',
      'iterations/1/logs/0/train.log',
      'iterations/1/logs/0/valid.json',
      'iterations/1/logs/0/valid.log',
      'iterations/3/scoring.json',
      'best/scaffold.py',
      'lineage.json',
    ]) {
      expect(files, file).toContain(file);
    }
    expect((await readdir(join(folder, 'owners'))).sort()).toEqual(['000001-ended.json', '000001.json']);
    const lineage = await lineageOf(folder);
    expect(lineage.nodes.map(({ id }) => id)).toEqual([
      '0',
      '0-0',
      '0-0-0',
      '0-0-0-0',
      '1',
      '1-0',
      '1-0-0',
      '1-0-0-0',
      '2',
    ]);
    const report = await readFile(join(folder, 'report.html'), 'utf8');
    expect(report).toContain('0-0-0-0');
    expect((await readLines<object>(join(folder, 'trajectories.jsonl'))).length).toBe(9);
  });

  it('shows the scaffolder no validation example and no validation score', async () => {
    const folder = await folderOf('calm');
    const calls = await readLines<CallRecord>(join(folder, 'calls.jsonl'));
    const inputs = (await readLines<{ id: string; input: string }>(join(folder, 'data/valid.jsonl'))).map(
      ({ input }) => input,
    );
    expect(calls.length).toBe(9);
    expect(inputs.length).toBe(30);
    for (const { messages } of calls) {
      const text = messages.map(({ content }) => content).join('\n');
      for (const input of inputs) expect(text).not.toContain(input);
      expect(text.toLowerCase()).not.toContain('validation');
    }
  });

  it('the same seed gives the same tree, whatever the concurrency', async () => {
    await finished(start('eight', 'evolution.concurrency=8'));
    expect(await treeOf(await folderOf('eight'))).toEqual(await treeOf(await folderOf('calm')));
  }, 400_000);

  it('killed −9 at random points, worker and server, it ends with the same tree and repeats nothing that had ended', async () => {
    const seed = Math.floor(Math.random() * 2 ** 32);
    console.info(`the kills are drawn with the seed ${seed}`);
    const random = createRandom(seed);
    const calm = await metricsOf(await folderOf('calm'));
    const total = calm.executions + calm.lm_calls;
    const victims = shuffled(
      [...Array(WORKER_KILLS).fill('worker'), ...Array(SERVER_KILLS).fill('server')] as const,
      random,
    );
    const recorded = async (): Promise<number> => {
      const names = await readdir(place.path('experiments'), { recursive: true }).catch(() => []);
      return names.filter((name) => /^killed_[^/]*\/(runs|pending)\/.*\.json$/.test(name)).length;
    };
    let running = start('killed');
    let made: Record<string, string> = {};
    for (const [index, victim] of victims.entries()) {
      // One in each part of the work. The end is left, so that the last one does not come too late.
      const target = Math.ceil((0.8 * total * (index + 1 - random())) / victims.length);
      await untilIn(
        running,
        `record ${target} is made`,
        // A command that has only just begun is at work before it dies, too.
        async () =>
          /(Started|Continuing|Attached to) killed/.test(running.output()) && (await recorded()) >= target,
        120_000,
      );
      if (victim === 'server') {
        await place.killServer();
      } else {
        await place.kill(running);
        expect((await running.done).signal).toBe('SIGKILL');
      }
      // What was written down first counts: made again, it would take the place of its own record.
      made = { ...(await madeAt(await folderOf('killed'))), ...made };
      if (victim === 'worker') running = start('killed');
    }
    await finished(running);
    const folder = await folderOf('killed');
    expect(Object.keys(made).length).toBeGreaterThan(total / 2);
    expect(await madeAt(folder)).toMatchObject(made);
    expect(await treeOf(folder)).toEqual(await treeOf(await folderOf('calm')));
    expect(await metricsOf(folder)).toMatchObject({
      executions: calm.executions,
      lm_calls: calm.lm_calls,
      best: calm.best,
    });
    const runs = await readLines<ScaffoldRunRecord>(join(folder, 'executions.jsonl'));
    const places = runs.map(({ scaffold, iteration, type, example }) =>
      [scaffold, iteration, type, example].join(' '),
    );
    expect(new Set(places).size).toBe(calm.executions);
  }, 500_000);

  it('is extended by asking for more iterations, and pays only for those', async () => {
    const before = await metricsOf(await folderOf('calm'));
    await finished(start('calm', ALONE, 'evolution.num_iterations=4'));
    const folder = await folderOf('calm');
    const after = await metricsOf(folder);
    expect(after).toMatchObject({ status: 'done', num_iterations: 4, iterations: 5 });
    expect(after.lm_calls).toBe(before.lm_calls + 2);
    expect(Object.keys(await treeOf(folder))).toContain('iterations/4/scoring.json');
  }, 300_000);
});
