import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallRecord } from '../../src/contracts/language-model.js';
import type { ScaffoldRunRecord } from '../../src/kinds/evolve/activities/scaffold-runs.js';
import { LABEL, LABEL_VALUE } from '../../src/sandboxes/container-owner.js';
import {
  containersOfProcess,
  dockerClient,
  findDocker,
  findOwnDaemon,
  mustSkipDocker,
  type OwnDaemon,
  untilRemoved,
} from '../support/docker.js';
import {
  evolveMetricsOf,
  examplesText,
  experimentOf,
  finished,
  lineageOf,
  recordingOf,
  treeOf,
} from '../support/evolutions.js';
import { IS_NIGHT } from '../support/nightly.js';
import { type Running, readLines, until, untilIn, Workplace } from '../support/workplace.js';

const found = await findDocker();
const ownDaemon = await findOwnDaemon(found);

const double = (more: string) => ({ 'scaffold.py': `def process_input(text):\n${more}` });

/** By the command line of a process of its own, a container shows from outside that it is in the middle of this one. */
const SLOW = double(`    import subprocess
    subprocess.run(["sleep", "2"], check=True)
    return str(int(text) * 2)
`);

const FILLS_ITS_FOLDER = double(`    with open("notes", "wb", buffering=0) as notes:
        while True:
            notes.write(bytes(1 << 20))
`);

const SCAFFOLDS = {
  '0': SLOW,
  '1': FILLS_ITS_FOLDER,
  '2': double('    return str(int(text) * 2) if int(text) % 2 == 0 else "odd"\n'),
  '0-0': double('    return str(int(text) * 2)\n'),
  '1-0': double('    return str(int(text) + int(text))\n'),
  '2-0': double('    return str(int(text) << 1)\n'),
};

const CONFIG = {
  task_prompt: 'The input is a whole number. Return twice that number.',
  domain: 'numeric',
  data: { train: 'train.jsonl', valid: 'valid.jsonl' },
  evolution: {
    num_iterations: 1,
    initial_scaffolds: 3,
    scaffolds_per_iter: 3,
    num_validation_examples: 2,
    concurrency: 2,
  },
  models: { scaffolder: { provider: 'replay', recording: 'replies.jsonl' } },
  timeout_sec: 20,
  sandbox: { type: 'docker', memory_mb: 128, pids: 32, tmpfs_mb: 16 },
};

async function placeWithConfig(environment: Record<string, string>): Promise<Workplace> {
  const place = await Workplace.make(environment);
  await place.write('evolve.yaml', CONFIG);
  await place.write('replies.jsonl', recordingOf(SCAFFOLDS));
  await place.write('train.jsonl', examplesText([{ id: 't', input: '5', target: 10 }]));
  const valid = [3, 4].map((number) => ({ id: `v${number}`, input: String(number), target: 2 * number }));
  await place.write('valid.jsonl', examplesText(valid));
  return place;
}

const start = (place: Workplace, name: string): Running =>
  place.start(['evolve', 'evolve.yaml', '--experiment-name', name]);

/** Does `deed` to a container in which the slow scaffold sleeps; to the next such one, where it was over too soon. */
async function withSleeping(
  docker: Docker,
  running: Running,
  deed: (container: Docker.Container) => Promise<unknown>,
): Promise<void> {
  const label = [`${LABEL}=${LABEL_VALUE}`];
  await untilIn(running, 'the slow scaffold runs', async () => {
    for (const { Id } of await docker.listContainers({ filters: { label } })) {
      const container = docker.getContainer(Id);
      const top = await container.top().catch(() => null);
      const commands = (top?.Processes ?? []) as string[][];
      if (!commands.some((columns) => columns.join(' ').includes('sleep 2'))) continue;
      const done = await deed(container).then(
        () => true,
        (error: { statusCode?: number }) => {
          if (error.statusCode === GONE || error.statusCode === NOT_RUNNING) return false;
          throw error;
        },
      );
      if (done) return true;
    }
    return false;
  });
}

const GONE = 404;
const NOT_RUNNING = 409;

describe.skipIf(mustSkipDocker(found))('an evolution whose programs and containers come to grief', () => {
  const environment = 'missing' in found ? {} : found.environment;
  const docker = dockerClient(environment);
  let place: Workplace;

  beforeAll(async () => {
    place = await placeWithConfig(environment);
  });
  afterAll(() => place?.dispose());

  it('scores a program that fills its folder 0, keeps its error for the next prompt, and spares the others', async () => {
    const running = start(place, 'calm');
    const output = await finished(running);
    expect(output).not.toContain('Waiting for the sandbox');
    expect(output).toContain('[Iteration 1] Evaluating scaffold 1: validation score 0');
    const folder = await experimentOf(place, 'calm');
    const scoring = async (name: string) => JSON.parse(await readFile(join(folder, name), 'utf8'));
    expect(await scoring('iterations/1/scoring.json')).toEqual({
      train: { 0: 1, 1: 0, 2: 0 },
      valid: { 0: 1, 1: 0, 2: 0.5 },
    });
    expect(await scoring('closing/scoring.json')).toEqual({
      train: {},
      valid: { '0-0': 1, '1-0': 1, '2-0': 1 },
    });
    expect(await evolveMetricsOf(folder)).toMatchObject({
      status: 'done',
      best: { score: 1 },
      executions: 15,
      executions_failed: 3,
      lm_calls: 6,
    });
    const runs = await readLines<ScaffoldRunRecord>(join(folder, 'executions.jsonl'));
    const failed = runs.filter(({ result }) => result.status !== 'ok');
    expect(failed.map(({ scaffold, type }) => `${scaffold} ${type}`)).toEqual([
      '1 train',
      '1 valid',
      '1 valid',
    ]);
    for (const { score, result } of failed) {
      expect({ score, status: result.status, output: result.output }).toEqual({
        score: 0,
        status: 'error',
        output: null,
      });
      expect(result.stderr).toContain('No space left on device');
    }
    expect(await readFile(join(folder, 'iterations/1/logs/1/valid.log'), 'utf8')).toContain(
      'No space left on device',
    );
    const calls = await readLines<CallRecord>(join(folder, 'calls.jsonl'));
    const shown = calls.filter(({ messages }) =>
      messages.some(({ content }) => content.includes('No space left on device')),
    );
    expect(shown.map(({ sample_id }) => sample_id)).toEqual(['1-0']);
    await until('no container is left', async () => (await containersOfProcess(docker, running)) === 0);
  }, 180_000);

  it('runs a program again whose container was killed, and scores it as if nothing had happened', async () => {
    const running = start(place, 'killed');
    await withSleeping(docker, running, (container) => container.kill());
    const output = await finished(running);
    expect(output).toMatch(/Waiting for the sandbox: .*from outside/);
    const [calm, killed] = [await experimentOf(place, 'calm'), await experimentOf(place, 'killed')];
    expect(await treeOf(killed)).toEqual(await treeOf(calm));
    expect(await evolveMetricsOf(killed)).toMatchObject({
      executions: 15,
      executions_failed: 3,
      lm_calls: 6,
    });
    await until('no container is left', async () => (await containersOfProcess(docker, running)) === 0);
  }, 180_000);

  const describeAtNight = IS_NIGHT ? describe.skipIf(mustSkipDocker(ownDaemon)) : () => undefined;
  describeAtNight('on a daemon of its own', () => {
    let daemon: OwnDaemon;
    let other: Workplace;

    beforeAll(async () => {
      if ('missing' in ownDaemon) throw new Error(ownDaemon.missing);
      daemon = await ownDaemon.start();
      other = await placeWithConfig(daemon.environment);
    });
    afterAll(async () => {
      await other?.dispose();
      await daemon?.remove();
    });

    it('outlives a restart of the daemon in the middle of a program, with the same scores', async () => {
      const running = start(other, 'restarted');
      await withSleeping(daemon.docker, running, () => daemon.restart());
      const output = await finished(running);
      expect(output).toContain('Waiting for the sandbox');
      const folder = await experimentOf(other, 'restarted');
      expect(await treeOf(folder)).toEqual(await treeOf(await experimentOf(place, 'calm')));
      const { nodes } = await lineageOf(folder);
      expect(nodes.filter(({ status }) => status !== 'validated')).toEqual([]);
      await untilRemoved(daemon.docker);
    }, 180_000);
  });
});
