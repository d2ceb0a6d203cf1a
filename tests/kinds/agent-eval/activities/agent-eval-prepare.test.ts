import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { describe, expect, test } from 'vitest';
import type { WorkerDependencies } from '../../../../src/activities/dependencies.js';
import { withFailures } from '../../../../src/activities/failures.js';
import { AgentEvalContexts } from '../../../../src/kinds/agent-eval/activities/agent-eval-context.js';
import { createPrepareAgentEval } from '../../../../src/kinds/agent-eval/activities/prepare-agent-eval.js';
import type { StoredRow } from '../../../../src/kinds/agent-eval/bundle-code.js';
import type { AgentEvalPlan, RolloutRow } from '../../../../src/kinds/agent-eval/contracts.js';
import { bundleRowKey, rolloutResultKey } from '../../../../src/kinds/agent-eval/paths.js';
import { noRolloutTotals } from '../../../../src/kinds/agent-eval/rollouts/totals.js';
import { ownStarts } from '../../../../src/language-models/pace.js';
import { localCode } from '../../../../src/user-code/code-runner.js';
import { MemoryStore } from '../../../support/memory-store.js';
import { bundleFolder, flightBundle, REWARD, ROW, SEED, TOOLS } from '../bundles/support.js';

const LM = { provider: 'simulated' };
const { now: _now, oracle: _oracle, ...FREE_ROW } = ROW;
const DAY = Date.parse('2026-03-02T09:00:00Z');

/** A worker over a store in memory; each run is an execution of its own. */
function world() {
  const store = new MemoryStore();
  const log = { level: 'info', info: () => undefined, warn: () => undefined };
  const dependencies = {
    openStore: () => store,
    namespaceId: async () => 'here',
    environment: {},
    notify: () => undefined,
    grantStarts: (_model: string, rate: number) => ownStarts(rate),
    maxConcurrentCalls: 4,
    runLogs: { for: () => log, flush: async () => undefined },
    knownSearchAttributes: async () => [],
    userCode: localCode(),
  } as unknown as WorkerDependencies;
  const contexts = new AgentEvalContexts(dependencies);
  const { prepare } = withFailures({ prepare: createPrepareAgentEval(contexts, dependencies) }, dependencies);
  let executions = 0;
  const prepared = (datasets: string[], more: Record<string, unknown> = {}, day = DAY) => {
    const config = { datasets, models: { agent: LM, user: LM }, output: { results_dir: '/r' }, ...more };
    const workflowExecution = { workflowId: 'desk', runId: `execution-${++executions}` };
    const environment = new MockActivityEnvironment(
      { workflowExecution, scheduledTimestampMs: day },
      { logger: new DefaultLogger('ERROR', () => undefined) },
    );
    return environment.run(prepare, config as never) as Promise<AgentEvalPlan>;
  };
  const stored = async (folder: string, id: string) =>
    JSON.parse((await store.readText(`${folder}/${bundleRowKey(id)}`)) ?? 'null') as StoredRow;
  const finish = (folder: string, row: string, rollout: number, fields: Partial<RolloutRow>) => {
    const result = { execution: 'e', row: { ...noRolloutTotals(), task_id: row, trial: rollout, ...fields } };
    return store.write(`${folder}/${rolloutResultKey(row, rollout)}`, JSON.stringify(result));
  };
  return { prepared, stored, finish, store };
}

describe('an evaluation is prepared', () => {
  test('with its rows, their rules and a present time that stays', async () => {
    const { prepared, stored, store } = world();
    const folder = flightBundle([FREE_ROW, { ...FREE_ROW, id: 'b', n_rollouts: 1, stop_at_goal: true }]);
    const plan = await prepared([folder]);
    expect(plan).toMatchObject({
      experiment: 'desk',
      agent_model: 'simulated/simulated',
      user_model: 'simulated/simulated',
      human: false,
      simulated: true,
      finished: [],
      rows: [
        {
          row: 'flight.booking.001',
          n_rollouts: 4,
          rules: { max_turns: 30, has_user: true, user_begins: false, stops_at_goal: false },
        },
        { row: 'b', n_rollouts: 1, rules: { stops_at_goal: true } },
      ],
    });
    const { row, folder: from } = await stored('desk', 'b');
    expect([row.now, from]).toEqual(['2026-03-02T09:00:00.000Z', folder]);
    expect(row.seed_sql).toContain("(1, '2026-03-03', 90)");

    // A day later: the same evaluation continues, and means the same days.
    const again = await prepared([folder], {}, DAY + 86_400_000);
    expect(again.experiment).toBe('desk');
    expect((await stored('desk', 'b')).row.now).toBe('2026-03-02T09:00:00.000Z');
    expect(await store.readText('desk/config.yaml')).toContain('now: 2026-03-02T09:00:00.000Z');
  });

  test('with what an earlier execution finished; an error is tried again', async () => {
    const { prepared, finish } = world();
    const folder = flightBundle([ROW]);
    await prepared([folder]);
    const id = ROW.id;
    await finish('desk', id, 0, { status: 'done', reward: 0.5, lm_calls: 3 });
    await finish('desk', id, 1, { status: 'error', reward: null, lm_calls: 9 });
    await finish('desk', id, 2, { status: 'user_fault', reward: null, lm_calls: 1 });
    const { finished, kept } = await prepared([folder]);
    expect(finished).toEqual([`${id}/0`, `${id}/2`]);
    expect(kept).toMatchObject({ rollouts: 1, reward: 0.5, errors: 0, user_faults: 1, lm_calls: 4 });
  });

  test('in a folder that its execution owns', async () => {
    const { prepared, store } = world();
    const { experiment } = await prepared([flightBundle([FREE_ROW])]);
    const owner = await store.readText(`${experiment}/owners/000001.json`);
    expect(JSON.parse(owner ?? '')).toMatchObject({ execution: 'execution-1', workflow_id: 'desk' });
  });

  test('with a note of tools and rewards that changed since, once for each change', async () => {
    const { prepared, finish, store } = world();
    const folder = flightBundle([ROW]);
    const changes = async () => JSON.parse((await store.readText('desk/code.json')) ?? '').changes;
    await prepared([folder]);
    await prepared([folder]);
    expect(await changes()).toEqual([]);

    await finish('desk', ROW.id, 0, { status: 'done', reward: 0.5 });
    const path = join(folder, 'reward.ts');
    writeFileSync(path, `${readFileSync(path, 'utf8')}\n// mended\n`);
    const day = DAY + 86_400_000;
    const noted = [
      { at: '2026-03-03T09:00:00.000Z', rollouts: 1, modules: [join(basename(folder), 'reward.ts')] },
    ];
    await prepared([folder], {}, day);
    expect(await changes()).toEqual(noted);
    await prepared([folder], {}, day + 1);
    expect(await changes()).toEqual(noted);
  });

  test('with a note of tools that lie in a folder of the bundle', async () => {
    const { prepared, store } = world();
    const folder = bundleFolder({
      'desk/task.jsonl': [{ ...ROW, seed_sql: SEED, toolset: 'desk.shared.tools' }],
      'desk/reward.ts': REWARD,
      'desk/shared/tools.ts': TOOLS,
    });
    await prepared([join(folder, 'desk')]);
    writeFileSync(join(folder, 'desk/shared/tools.ts'), `${TOOLS}\n// mended\n`);
    await prepared([join(folder, 'desk')]);
    const { changes } = JSON.parse((await store.readText('desk/code.json')) ?? '');
    expect(changes).toMatchObject([{ modules: ['desk/shared/tools.ts'] }]);
  });

  test.each<[string, Record<string, unknown>, object, Record<string, string>]>([
    ['one that is done', {}, {}, { 'desk/metrics.json': '{"status":"done"}' }],
    ['one of another config', { seed: 7 }, {}, {}],
    ['one at another present time', { now: '2026-05-01' }, {}, {}],
    ['one of other rows', {}, { max_turns: 3 }, {}],
    ['a run of another kind', {}, {}, { 'desk/config.yaml': 'dataset: {}\n' }],
  ])('beside %s', async (_what, config, row, files) => {
    const { prepared, store } = world();
    const folder = flightBundle([ROW]);
    await prepared([folder]);
    for (const [key, content] of Object.entries(files)) await store.write(key, content);
    writeFileSync(join(folder, 'task.jsonl'), JSON.stringify({ ...ROW, ...row }));
    expect((await prepared([folder], config)).experiment).toBe('desk-2');
  });

  test('with a person, with nobody, and with some of the rows', async () => {
    const { prepared } = world();
    const { sim_user_prompt: _prompt, ...alone } = ROW;
    const folder = flightBundle([ROW, { ...alone, id: 'alone' }]);
    expect(await prepared([folder], { models: { agent: LM, user: 'human' } })).toMatchObject({
      human: true,
      user_model: 'human',
    });
    const plan = await prepared([folder], {
      models: { agent: LM, user: null },
      rows: ['alone'],
      rollouts: 2,
    });
    expect(plan).toMatchObject({ human: false, user_model: null });
    expect(plan.rows).toMatchObject([{ row: 'alone', n_rollouts: 2, rules: { has_user: false } }]);
    expect((await prepared([folder], { max_rows: 1 })).rows).toMatchObject([{ row: ROW.id }]);
    expect((await prepared([folder], { rows: ['alone', ROW.id], max_rows: 1 })).rows).toMatchObject([
      { row: 'alone' },
    ]);
  });
});

describe('an evaluation is refused', () => {
  const SECOND = { 'task.jsonl': [{ ...ROW, toolset: './tools.ts', seed_sql: '' }] };

  test.each<[string, Record<string, unknown>, string]>([
    [
      'a row that there is not',
      { rows: ['flight.boking.001'] },
      "rows: there is no row 'flight.boking.001'; did you mean 'flight.booking.001'?",
    ],
    [
      'a user that nobody is',
      { models: { agent: LM, user: null } },
      'models.user: nobody answers in the rows with a sim_user_prompt (flight.booking.001); name a model, or human',
    ],
    ['a time that is none', { now: 'tomorrow' }, 'now: "tomorrow" is no time'],
    [
      'a model without a key',
      { models: { agent: { model: 'openai/gpt-x' } } },
      'models.agent.model: provider openai needs a key',
    ],
  ])('for %s', async (_what, config, message) => {
    const { prepared, store } = world();
    const failure = await prepared([flightBundle([ROW])], config).catch((error: unknown) => error);
    expect(failure).toMatchObject({ type: 'InvalidInput', nonRetryable: true });
    expect((failure as Error).message).toContain(message);
    expect(store.objects.size).toBe(0);
  });

  test('for a row of two datasets', async () => {
    const { prepared } = world();
    const [one, other] = [flightBundle([ROW]), flightBundle([ROW], SECOND)];
    await expect(prepared([one, other])).rejects.toThrow(
      `datasets: the row 'flight.booking.001' is in ${one}/task.jsonl and in ${other}/task.jsonl`,
    );
  });

  test('for tools that are named alike', async () => {
    const { prepared } = world();
    const folder = bundleFolder({
      'task.jsonl': [{ ...FREE_ROW, seed_sql: '' }],
      'reward.ts': `import { defineReward } from 'reprise/bundle';\nexport default defineReward(() => 0);\n`,
      'tools.ts': `import { ToolRegistry, z } from 'reprise/bundle';
export const tools = new ToolRegistry('alike');
for (const name of ['book_flight', 'bookFlight']) tools.tool(name, { description: 'd', parameters: z.object({}) }, () => 1);
`,
    });
    await expect(prepared([folder])).rejects.toThrow(
      'the tools book_flight and bookFlight of alike are named alike',
    );
  });
});
