import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ScaffoldRunRecord } from '../../src/kinds/evolve/activities/scaffold-runs.js';
import { DECEITS, ESCAPES, EXHAUSTION } from '../sandboxes/hostile/cases.js';
import { hostileScaffold, printedByScaffold, RETURNED } from '../sandboxes/hostile/scaffolds.js';
import { LIMITS } from '../sandboxes/limits.js';
import { containersOfProcess, dockerClient, findDocker, mustSkipDocker } from '../support/docker.js';
import {
  evolveMetricsOf,
  examplesText,
  experimentOf,
  finished,
  lineageOf,
  recordingOf,
} from '../support/evolutions.js';
import { readLines, until, Workplace } from '../support/workplace.js';

const found = await findDocker();
const SECRET = 'sk-this-is-nobodys-business';

const BATTERY = [...EXHAUSTION, ...ESCAPES, ...DECEITS];
/** The last of the first scaffolds, so that it is run when the others have done what they can. */
const HONEST = String(BATTERY.length);

const SCAFFOLDS = {
  ...Object.fromEntries(BATTERY.map((hostile, index) => [index, hostileScaffold(hostile)])),
  [HONEST]: { 'scaffold.py': 'def process_input(text):\n    return str(int(text) * 2)' },
  [`${HONEST}-0`]: { 'scaffold.py': 'def process_input(text):\n    return str(int(text) + int(text))' },
};

/** Time for most of them; each that never ends takes all of it. */
const TIMEOUT_SEC = 5;

describe.skipIf(mustSkipDocker(found))('an evolution whose scaffolds are hostile but for one', () => {
  const environment = 'missing' in found ? {} : found.environment;
  const docker = dockerClient(environment);
  let place: Workplace;
  let server: Server;
  let connections = 0;

  beforeAll(async () => {
    // The worker has a key.
    place = await Workplace.make({ ...environment, REPRISE_TEST_API_KEY: SECRET });
    server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, resolve));
  });
  afterAll(async () => {
    server?.close();
    await place?.dispose();
  });

  it('ends well, with 0 for each of them and the right score for the honest one', async () => {
    const { port } = server.address() as { port: number };
    const { timeout_sec: _timeout, ...limits } = LIMITS;
    await place.write('evolve.yaml', {
      task_prompt: 'The input is a whole number. Return twice that number.',
      domain: 'numeric',
      data: { train: 'train.jsonl', valid: 'valid.jsonl' },
      evolution: {
        num_iterations: 1,
        initial_scaffolds: BATTERY.length + 1,
        scaffolds_per_iter: 1,
        num_validation_examples: 1,
        concurrency: 3,
      },
      models: { scaffolder: { provider: 'replay', recording: 'replies.jsonl' } },
      timeout_sec: TIMEOUT_SEC,
      // Some of them take all the processor time that they can get; what is left is for the worker and its server.
      sandbox: { type: 'docker', ...limits, cpus: 0.5 },
    });
    await place.write('replies.jsonl', recordingOf(SCAFFOLDS));
    await place.write('train.jsonl', examplesText([{ id: 't', input: '21', target: 42 }]));
    // Those that reach for the host are told a port of it that listens.
    const valid = examplesText([{ id: 'v', input: String(port), target: 2 * port }]);
    await place.write('valid.jsonl', valid);
    const running = place.start(['evolve', 'evolve.yaml', '--experiment-name', 'hostile']);
    const output = await finished(running);
    expect(output).toContain(`[Iteration 1] Evaluating scaffold ${HONEST}: validation score 1`);

    const folder = await experimentOf(place, 'hostile');
    expect(await evolveMetricsOf(folder)).toMatchObject({
      status: 'done',
      scaffolds: BATTERY.length + 2,
      scaffolds_failed: 0,
      scaffolds_duplicate: 0,
      best: { id: `${HONEST}-0`, score: 1 },
      best_by_iteration: [null, 1],
      executions: BATTERY.length + 3,
    });
    const { nodes } = await lineageOf(folder);
    const scores = nodes.map(({ id, valid: scored }) => [id, scored.map(({ score }) => score)]);
    expect(Object.fromEntries(scores)).toEqual({
      ...Object.fromEntries(BATTERY.map((_, index) => [index, [0]])),
      [HONEST]: [1],
      [`${HONEST}-0`]: [1],
    });

    const runs = await readLines<ScaffoldRunRecord>(join(folder, 'executions.jsonl'));
    for (const [index, hostile] of BATTERY.entries()) {
      const { result } = runs.find(({ scaffold }) => scaffold === String(index)) as ScaffoldRunRecord;
      expect([null, RETURNED], hostile.name).toContain(result.output);
      expect(printedByScaffold(hostile, result) + result.stderr, hostile.name).not.toContain('ESCAPED');
    }
    expect(JSON.stringify(runs)).not.toContain(SECRET);
    expect(connections).toBe(0);
    await until('no container is left', async () => (await containersOfProcess(docker, running)) === 0);
  }, 400_000);
});
