import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StoredCall } from '../../src/activities/call-store.js';
import type { CallRecord } from '../../src/contracts/language-model.js';
import type { ScaffoldRunRecord } from '../../src/kinds/evolve/activities/scaffold-runs.js';
import { findDocker, mustSkipDocker } from '../support/docker.js';
import {
  evolveMetricsOf,
  examplesText,
  experimentOf,
  finished,
  madeAt,
  recordingOf,
  treeOf,
} from '../support/evolutions.js';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { type Running, readLines, readRecords, unfolded, untilIn, Workplace } from '../support/workplace.js';

const docker = await findDocker();

/** Of one execution. */
const MAX_CALLS = 4;

/** Asks for both halves at once, and then for their sum: 3 calls. */
const adder = (more: string) => ({
  'scaffold.py': `from concurrent.futures import ThreadPoolExecutor
from llm_executor import execute_llm

def add(pair):
    return int(execute_llm(f"What is {pair[0]} + {pair[1]}?"${more}))

def process_input(text):
    a, b, c, d = text.split()
    with ThreadPoolExecutor(2) as pool:
        halves = list(pool.map(add, [(a, b), (c, d)]))
    return str(add(halves))
`,
});

/** Six threads ask the same thing. It returns the first half only, which is wrong. */
const GREEDY = {
  'scaffold.py': `import sys
from concurrent.futures import ThreadPoolExecutor
from llm_executor import execute_llm

def process_input(text):
    a, b, _, _ = text.split()

    def ask(_):
        try:
            return execute_llm(f"What is {a} + {b}?")
        except RuntimeError as error:
            return f"refused: {error}"

    with ThreadPoolExecutor(6) as pool:
        replies = list(pool.map(ask, range(6)))
    for reply in sorted(replies):
        print(reply, file=sys.stderr)
    return min(replies)
`,
};

const SCAFFOLDS = { '0': adder(''), '1': GREEDY, '0-0': adder(', "Answer with a number alone."') };

/** Six validations and a training run in iteration 1, three validations at the end. */
const EXECUTIONS = 10;
const EXECUTOR_CALLS = 3 * 3 + 3 * MAX_CALLS + 3 + 3 * 3;

describe.skipIf(mustSkipDocker(docker))('an evolution of scaffolds that have a model', () => {
  const environment = 'missing' in docker ? {} : docker.environment;
  let place: Workplace;
  let provider: FakeProvider;

  beforeAll(async () => {
    place = await Workplace.make(environment);
    provider = await startFakeProvider('openai', { latencyMs: 200 });
    await place.write('evolve.yaml', {
      task_prompt: 'The input is four whole numbers. Return their sum.',
      domain: 'numeric',
      data: { train: 'train.jsonl', valid: 'valid.jsonl' },
      evolution: {
        num_iterations: 1,
        initial_scaffolds: 2,
        scaffolds_per_iter: 1,
        num_validation_examples: 3,
        concurrency: 2,
      },
      models: {
        scaffolder: { provider: 'replay', recording: 'replies.jsonl' },
        executor: { model: 'openai/fake', base_url: provider.baseUrl },
      },
      executor: { max_lm_calls_per_execution: MAX_CALLS },
      timeout_sec: 60,
      sandbox: { type: 'docker', memory_mb: 128, pids: 32 },
    });
    await place.write('replies.jsonl', recordingOf(SCAFFOLDS));
    const example = (id: string, ...numbers: number[]) => ({
      id,
      input: numbers.join(' '),
      target: numbers.reduce((sum, number) => sum + number, 0),
    });
    await place.write('train.jsonl', examplesText([example('t', 1, 2, 3, 4)]));
    const valid = [10, 20, 30].map((number) => example(`v${number}`, number, number + 1, 7, 8));
    await place.write('valid.jsonl', examplesText(valid));
  });
  afterAll(async () => {
    await provider?.close();
    await place?.dispose();
  });

  const start = (name: string): Running => place.start(['evolve', 'evolve.yaml', '--experiment-name', name]);

  it('answers several threads at once, counts each call, and refuses those beyond its limit', async () => {
    await finished(start('calm'));
    const folder = await experimentOf(place, 'calm');
    expect(provider.statistics).toMatchObject({
      calls: EXECUTOR_CALLS,
      finished: EXECUTOR_CALLS,
      repeated: 0,
      distinctKeys: EXECUTOR_CALLS,
    });
    // More than one of each execution that is in progress.
    expect(provider.statistics.maxInFlight).toBeGreaterThan(2);
    expect(await evolveMetricsOf(folder)).toMatchObject({
      status: 'done',
      executor_model: 'openai/fake',
      best: { id: '0-0', score: 1 },
      executions: EXECUTIONS,
      executions_failed: 0,
      lm_calls: EXECUTOR_CALLS + Object.keys(SCAFFOLDS).length,
      lm_calls_repeated: 0,
    });
    expect(JSON.parse(await readFile(join(folder, 'iterations/1/scoring.json'), 'utf8'))).toEqual({
      train: { 0: 1 },
      valid: { 0: 1, 1: 0 },
    });
    const runs = await readLines<ScaffoldRunRecord>(join(folder, 'executions.jsonl'));
    const calls = await readLines<CallRecord>(join(folder, 'calls.jsonl'));
    for (const { scaffold, iteration, type, example, lm_calls, result } of runs) {
      const name = `${scaffold}/${iteration}/${type}/${example}/`;
      const own = calls.filter(({ sample_id }) => sample_id.startsWith(name));
      expect([name, own.length, lm_calls]).toEqual(
        scaffold === '1' ? [name, MAX_CALLS, MAX_CALLS] : [name, 3, 3],
      );
      expect(result.stderr.match(/refused: no call is left/g) ?? []).toHaveLength(scaffold === '1' ? 2 : 0);
    }
    const systems = provider.requests.filter(({ body }) => body.messages[0].role === 'system');
    expect(systems.map(({ body }) => body.messages[0].content)).toEqual(
      Array(9).fill('Answer with a number alone.'),
    );
  }, 180_000);

  it('repeats no answered call when its worker is killed −9 in the middle', async () => {
    const before = provider.statistics;
    let hanging = 0;
    provider.intercept = ({ number }) => {
      if (number <= before.calls + 10) return undefined;
      hanging += 1;
      return { kind: 'hang', when: 'before_headers' };
    };
    const running = start('killed');
    /** Replies of the executor that are written down. */
    const kept = async (): Promise<number> => {
      const names = await readdir(place.path('experiments')).catch(() => []);
      const name = names.find((one) => one.startsWith('killed_'));
      if (name === undefined) return 0;
      const calls = await readRecords<StoredCall>(place.path('experiments', name, 'pending'));
      return [...calls.values()].filter(({ record }) => record.purpose === 'executor').length;
    };
    await untilIn(
      running,
      'every call hangs that is in progress, and every reply is written down',
      async () => {
        const { inFlight, finished: answered } = provider.statistics;
        return hanging > 0 && inFlight === hanging && (await kept()) === answered - before.finished;
      },
    );
    await place.kill(running);
    provider.intercept = undefined;
    const folder = await experimentOf(place, 'killed');
    const made = await madeAt(folder);
    await finished(start('killed'));

    expect(provider.statistics.repeated).toBe(before.repeated);
    expect(provider.statistics.calls).toBe(before.calls + EXECUTOR_CALLS + hanging);
    expect(await madeAt(folder)).toMatchObject(made);
    expect(await treeOf(folder)).toEqual(await treeOf(await experimentOf(place, 'calm')));
    const calls = await readLines<CallRecord>(join(folder, 'calls.jsonl'));
    for (const { sample_id, purpose } of calls) {
      if (purpose !== 'executor') continue;
      const run = sample_id.slice(0, sample_id.lastIndexOf('/'));
      expect(calls.filter((call) => call.sample_id.startsWith(run)).length).toBeLessThanOrEqual(MAX_CALLS);
    }
    const { executions, lm_calls } = await evolveMetricsOf(folder);
    expect({ executions, lm_calls }).toEqual({
      executions: EXECUTIONS,
      lm_calls: EXECUTOR_CALLS + Object.keys(SCAFFOLDS).length,
    });
  }, 180_000);

  it('scores nothing while the model is unreachable, and comes to the same once it is back', async () => {
    provider.intercept = () => ({ kind: 'status', status: 500 });
    const outage = place.start([
      'evolve',
      'evolve.yaml',
      '--experiment-name',
      'outage',
      '--set',
      'models.executor.max_attempts=1',
    ]);
    const { code, stdout } = await outage.done;
    const folder = await experimentOf(place, 'outage');
    expect(code).toBe(1);
    expect(unfolded(stdout)).toMatch(
      /scaffold . has no result on valid example .*nor has the scaffold before it/,
    );
    expect(await evolveMetricsOf(folder)).toMatchObject({ status: 'failed', executions: 0, best: null });

    provider.intercept = undefined;
    await finished(start('outage'));
    expect(await treeOf(folder)).toEqual(await treeOf(await experimentOf(place, 'calm')));
  }, 180_000);
});
