/**
 * Records the histories that tests/durable/replay.test.ts replays:
 *
 *     npm run build && npm run record-histories [-- SCENARIO…]
 *
 * Runs every scenario below on a real server and writes the histories of its workflows, each execution a file, to
 * `tests/histories/<version>/<scenario>/`. Histories of released versions stay: runs in flight have them. Record again
 * under a new version when a workflow changes, next to the `patched` that keeps the old ones replaying.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { RunProgress } from '../src/kinds/run/contracts.js';
import { writeSumsToAsk } from '../tests/support/asking-evolution.js';
import { startFakeProvider } from '../tests/support/fake-providers/fake-provider.js';
import { dynamicConfig, startServerFor } from '../tests/support/own-server.js';
import setUpTemporal from '../tests/support/temporal-setup.js';
import { sumsConfig, until, Workplace } from '../tests/support/workplace.js';
import { agentBehaviour, agentFiles, agentScenarios } from './agent-scenarios.js';
import { type Scenario, steered } from './scenario.js';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const FOLDER = resolve('tests/histories', version);

const HALVING = `
import { Environment } from 'reprise';
export class HalvingEnv extends Environment {
  async reset() { return { state: 2, obs: this.task.question }; }
  async step(state) {
    const done = state === 0;
    return { state: state - 1, obs: done ? null : this.task.question, done, info: {},
      feedback: { correct: done, target: '', message: String(state) } };
  }
}
`;

const OWN_AGENT = resolve('tests/support/own-agent.ts');

const reflexion = {
  type: 'reflexion_agent',
  history_k: 2,
  reflection_config: { mode: 'both', strategy: 'last_attempt_and_reflexion' },
};

function scenarios(baseUrl: string): Scenario[] {
  const slow = (name: string, more: Record<string, unknown> = {}) =>
    sumsConfig(baseUrl, 16, { name, runtime: { concurrency: 4 }, ...more });
  return [
    { name: 'one-call-a-sample', config: sumsConfig(baseUrl, 12, { runtime: { concurrency: 60 } }) },
    {
      name: 'bundled',
      // So many that they are not done before they are steered.
      config: sumsConfig(baseUrl, 600, { runtime: { concurrency: 40, grain: 'unit' } }),
      meanwhile: steered,
    },
    {
      name: 'bundled-limited',
      code: 3,
      config: sumsConfig(baseUrl, 60, {
        runtime: { concurrency: 40, grain: 'unit' },
        limits: { max_lm_calls: 50 },
      }),
    },
    {
      name: 'reflexion',
      config: sumsConfig(baseUrl, 6, {
        runtime: { num_trials: 3, early_stop_on_success: true },
        agent: reflexion,
      }),
    },
    {
      name: 'epochs',
      config: sumsConfig(baseUrl, 3, { runtime: { epochs: 2, num_trials: 2, concurrency: 3 } }),
    },
    {
      name: 'one-memory',
      config: sumsConfig(baseUrl, 6, {
        runtime: { memory_scope: 'run', num_trials: 2, carry_memory_across_trials: false },
        agent: { type: 'memory_agent' },
      }),
    },
    {
      name: 'own-environment',
      config: sumsConfig(baseUrl, 3, {
        dataset: { task_type: 'custom', env_class: 'HalvingEnv', env_file: 'halving.ts' },
        runtime: { num_trials: 2, max_steps_per_episode: 5 },
      }),
    },
    {
      name: 'own-agent',
      config: sumsConfig(baseUrl, 6, {
        runtime: { num_trials: 2, concurrency: 3 },
        agent: { type: 'own', file: OWN_AGENT },
      }),
    },
    { name: 'rate-limited', config: sumsConfig(baseUrl, 6, { lm: { requests_per_second: 20 } }) },
    {
      name: 'limit-reached',
      code: 3,
      config: sumsConfig(baseUrl, 12, { limits: { max_lm_calls: 7, max_wall_seconds: 600 } }),
    },
    {
      name: 'timed',
      config: slow('timed', { limits: { max_wall_seconds: 20 } }),
      meanwhile: async (id, client) => {
        const handle = client.workflow.getHandle(id);
        await handle.executeUpdate('pause');
        await sleep(2500);
        await handle.executeUpdate('resume');
      },
    },
    {
      name: 'limited',
      code: 3,
      config: sumsConfig(baseUrl, 100, { runtime: { concurrency: 60 }, limits: { max_lm_calls: 80 } }),
      meanwhile: async (id, client) => {
        const handle = client.workflow.getHandle(id);
        await handle.executeUpdate('pause');
        await handle.executeUpdate('setConcurrency', { args: [2] });
        await handle.executeUpdate('resume');
      },
    },
    {
      name: 'asked-again',
      config: sumsConfig(baseUrl, 40, {
        runtime: { concurrency: 30 },
        lm: { model: 'openai/halting-fake' },
        limits: { max_lm_calls: 1000 },
      }),
    },
    {
      name: 'unreachable',
      config: sumsConfig(baseUrl, 40, {
        runtime: { concurrency: 8 },
        lm: { model: 'openai/unreachable-fake', max_attempts: 2 },
        limits: { max_lm_calls: 1000 },
      }),
    },
    {
      name: 'limited-renewed',
      leastHistories: 3,
      config: sumsConfig(baseUrl, 40, {
        runtime: { num_trials: 2 },
        agent: reflexion,
        limits: { max_lm_calls: 1000, max_tokens: 1_000_000 },
      }),
    },
    {
      name: 'renewed-cancelled',
      code: 1,
      leastHistories: 3,
      config: sumsConfig(baseUrl, 400, { runtime: { concurrency: 2, grain: 'call' } }),
      meanwhile: async (id, client) => {
        const query = `WorkflowId = '${id}' AND ExecutionStatus = 'ContinuedAsNew'`;
        while ((await client.workflow.count(query)).count < 2) await sleep(100);
        await client.workflow.getHandle(id).cancel();
      },
    },
    {
      name: 'refused-and-failed',
      code: 1,
      config: sumsConfig(baseUrl, 6, { lm: { model: 'openai/refused' } }),
    },
    { name: 'errors', config: sumsConfig(baseUrl, 4, { lm: { model: 'openai/broken', max_attempts: 1 } }) },
    {
      name: 'sweep',
      config: {
        config: sumsConfig(baseUrl, 6),
        grid: { 'models.agent.temperature': [0, 0.5] },
        concurrency: 2,
      },
      command: ['sweep', 'sweep.yaml', '--name', 'sweep', '--json'],
    },
    { name: 'renewed', config: sumsConfig(baseUrl, 40, { runtime: { num_trials: 2 }, agent: reflexion }) },
    {
      name: 'controlled',
      code: 3,
      config: slow('controlled'),
      meanwhile: async (id, client) => {
        await steered(id, client);
        await client.workflow.getHandle(id).executeUpdate('stop');
      },
    },
    {
      name: 'steered-by-signals',
      code: 3,
      config: slow('steered-by-signals'),
      meanwhile: async (id, client) => {
        const handle = client.workflow.getHandle(id);
        await handle.signal('setConcurrency', 2);
        await handle.signal('setConcurrency', 'many');
        await handle.signal('report', 'garbage');
        await handle.signal('control', null);
        await handle.signal('pause');
        await sleep(500);
        await handle.signal('resume');
        await handle.signal('stop');
      },
    },
    {
      name: 'reset',
      leastHistories: 2,
      config: sumsConfig(baseUrl, 100, { runtime: { concurrency: 60 }, limits: { max_lm_calls: 1000 } }),
      meanwhile: async (id, client) => {
        const handle = client.workflow.getHandle(id);
        const answered = async () => (await handle.query<RunProgress>('progress')).spending.lm_calls;
        while ((await answered()) < 1) await sleep(50);
        const { events } = await handle.fetchHistory();
        const task = events?.find(({ workflowTaskCompletedEventAttributes: completed }) => completed);
        await client.workflowService.resetWorkflowExecution({
          namespace: 'default',
          workflowExecution: { workflowId: id },
          reason: 'a history with a reset',
          workflowTaskFinishEventId: task?.eventId,
          requestId: randomUUID(),
        });
      },
    },
    {
      name: 'cheatsheet',
      config: sumsConfig(baseUrl, 8, {
        runtime: { memory_scope: 'run' },
        agent: { type: 'dynamic_cheatsheet_agent', curator_sees_feedback: true },
      }),
    },
    {
      name: 'retrieval',
      config: sumsConfig(baseUrl, 40, {
        runtime: { memory_scope: 'run', num_trials: 2, carry_memory_across_trials: false },
        agent: { type: 'dynamic_cheatsheet_agent', mode: 'retrieval_synthesis' },
        memory: { _type: 'hybrid' },
      }),
    },
    {
      name: 'own-memories',
      config: sumsConfig(baseUrl, 5, {
        runtime: { num_trials: 2 },
        agent: { type: 'dynamic_cheatsheet_agent', use_retrieval: true },
        memory: { _type: 'hybrid' },
      }),
    },
    {
      name: 'programs',
      config: sumsConfig(baseUrl, 4, {
        lm: { model: 'openai/coder' },
        agent: { type: 'dynamic_cheatsheet_agent', mode: 'empty_sheet', use_code_execution: true },
        sandbox: 'process',
      }),
    },
    {
      name: 'evolve',
      command: [
        ...[
          'evolve',
          'configs/evolve_game24.yaml',
          '--experiment-name',
          'evolve',
          '--results-dir',
          'experiments',
        ],
        ...[
          'sandbox=process',
          'data.generate.valid=12',
          'data.generate.test=4',
          'evolution.num_validation_examples=6',
        ].flatMap((one) => ['--set', one]),
      ],
    },
    {
      name: 'cancelled',
      code: 1,
      config: slow('cancelled'),
      meanwhile: async (id, client) => void (await client.workflow.getHandle(id).cancel()),
    },
    {
      name: 'cancelled-limited',
      code: 1,
      config: slow('cancelled-limited', { limits: { max_lm_calls: 1000 } }),
      meanwhile: async (id, client) => void (await client.workflow.getHandle(id).cancel()),
    },
    ...agentScenarios(baseUrl),
  ];
}

async function record({ name: id, isRecorded, leastHistories = 1 }: Scenario, client: Client): Promise<void> {
  const folder = resolve(FOLDER, id);
  await mkdir(folder, { recursive: true });
  const query = `WorkflowId = '${id}' OR WorkflowId STARTS_WITH '${id}/'`;
  let count = 0;
  for await (const { workflowId, runId } of client.workflow.list({ query })) {
    if (isRecorded !== undefined && !isRecorded(workflowId)) continue;
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    const name = `${workflowId.replaceAll('/', '.')}.${count++}.json`;
    await writeFile(resolve(folder, name), `${historyToJSON(history)}\n`);
  }
  console.log(`${id}: ${count} histories`);
  if (count < leastHistories)
    throw new Error(`${id} shows too little: ${leastHistories} histories are expected`);
}

/** Scenarios to record anew; none: all of them. */
const wanted = process.argv.slice(2);
const place = await Workplace.make();
const provider = await startFakeProvider('openai', { latencyMs: 150 });
const PROGRAM = ['```python', 'print(6 * 7)', '```', 'EXECUTE CODE!'].join('\n');
/** Requests of a provider that is unreachable for a while. */
let refusals = 12;
// Two of three sums are wrong at first; some models have ways of their own.
provider.intercept = (request) => {
  const { model, lastUserText, number } = request;
  const behaviour = agentBehaviour(request);
  if (behaviour !== undefined) return behaviour;
  if (model === 'coder' && !lastUserText.startsWith('Continue')) return { kind: 'reply', text: PROGRAM };
  if (lastUserText.includes('<cheatsheet>')) {
    const sheet = `<cheatsheet>sheet ${number}</cheatsheet>`;
    return { kind: 'reply', text: number % 4 === 0 ? 'no sheet' : sheet };
  }
  if (model === 'refused') return { kind: 'status', status: 401, message: 'no such key' };
  if (model === 'unreachable-fake' && refusals-- > 0) return { kind: 'status', status: 503 };
  if (model === 'broken' && /is [12] \+/.test(lastUserText)) return { kind: 'status', status: 400 };
  return number % 3 === 0 ? undefined : { kind: 'reply', text: 'It is -1.' };
};
await setUpTemporal();
// It suggests to continue as new early, so that short histories hold it too.
const settings = {
  'limit.historyCount.suggestContinueAsNew': 300,
  'system.enableActivityEagerExecution': true,
};
const server = await startServerFor(place, dynamicConfig(settings));
try {
  if (wanted.length === 0) await rm(FOLDER, { recursive: true, force: true });
  await place.write('halving.ts', HALVING);
  await writeSumsToAsk(place);
  for (const [name, content] of Object.entries(agentFiles())) await place.write(name, content);
  await place.reprise(['setup']);
  const worker = place.start(['worker']);
  await until('the worker works', () => worker.output().includes('Working on'));
  const client = await place.client();
  await cp('configs', place.path('configs'), { recursive: true });
  for (const scenario of scenarios(provider.baseUrl)) {
    const { name, config, command, meanwhile, code: expected = 0 } = scenario;
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    if (config !== undefined) await place.write(`${name}.yaml`, config);
    const { calls } = provider.statistics;
    const run = place.start(command ?? ['run', `${name}.yaml`, '--name', name, '--json']);
    if (meanwhile !== undefined) {
      await until('calls arrive', () => provider.statistics.calls > calls + 3);
      await meanwhile(name, client);
    }
    const { code, stderr } = await run.done;
    if (code !== expected) throw new Error(`${name} ended with exit code ${code}: ${stderr.trim()}`);
    // Visibility lags behind by a moment.
    await sleep(1500);
    await record(scenario, client);
  }
} finally {
  await provider.close();
  await place.dispose();
  await server.stop();
}
