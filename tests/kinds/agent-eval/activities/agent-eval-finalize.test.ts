import { basename, dirname, join } from 'node:path';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { expect, test } from 'vitest';
import { CallStore } from '../../../../src/activities/call-store.js';
import type { CallRecord } from '../../../../src/contracts/language-model.js';
import { defineReward, goalHolds, z } from '../../../../src/kinds/agent-eval/bundles/index.js';
import type { RolloutRow } from '../../../../src/kinds/agent-eval/contracts.js';
import type { AgentEvalMetrics } from '../../../../src/kinds/agent-eval/results.js';
import { agentEvalView } from '../../../../src/kinds/agent-eval/view.js';
import { readRewardRow } from '../../../../src/statistics/reward-rows.js';
import { artifactKeys } from '../../../../src/storage/paths.js';
import { trajectoryJsonSchema } from '../../../../src/trajectories/json-schema.js';
import type { TrajectoryData } from '../../../../src/trajectories/schema.js';
import { Trajectory } from '../../../../src/trajectories/trajectory.js';
import { deskWorld, says } from '../../../activities/agent-eval-support.js';
import { visibleText } from '../../../reports/support.js';
import { userFile } from '../../../support/user-file.js';

const END = { message: null, started_at: 0, ended_at: 1000 };

test('an evaluation leaves a row, a trajectory and the calls of every rollout, and figures made from them', async () => {
  const users = ['', 'Is it paid?', '###STOP###', '', '', ''];
  const world = deskWorld({
    user: () => says(users.shift() ?? ''),
    reward: defineReward(async ({ db, row }) => ({
      score: (await goalHolds(db, row.end_goal_sql ?? '')) ? 1 : 0,
    })),
    row: { n_rollouts: 3 },
  });
  await world.prepared();
  const worker = world.worker();
  await world.play([worker]);
  await world.play([worker], { rollout: 1 });
  const error = { type: 'timeout', message: 'no answer' };
  await worker().endRollout(world.ended({ rollout: 2, error }));

  const metrics = await world
    .worker()()
    .finalizeAgentEval({ plan: world.plan(), status: 'stopped', ...END });
  expect(metrics).toMatchObject({
    kind: 'agent-eval',
    status: 'stopped',
    rows: 1,
    rollouts_planned: 3,
    rollouts: 1,
    errors: 1,
    errors_by_type: { timeout: 1 },
    user_faults: { empty: 1, role_swap: 0, early_stop: 0 },
    endings: { user_stop: 1, user_fault: 1 },
    mean_reward: 1,
    mean_reward_stderr: null,
    mean_reward_interval: null,
    pass_at_k: [1, null, null],
    by_row: { 'desk.001': { rollouts: 1, mean_reward: 1, successes: 1 } },
    agent_turns: 7,
    tool_calls: 4,
    lm_calls: 13,
    by_role: { agent: { lm_calls: 7 }, user: { lm_calls: 6 } },
    usage: { input_tokens: 78, output_tokens: 52 },
    wall_seconds: 1,
  });
  expect(JSON.parse(world.text(artifactKeys.metrics))).toEqual(metrics);

  const rows = world.lines<RolloutRow>(artifactKeys.results);
  expect(rows.map(({ trial, status, reward }) => [trial, status, reward])).toEqual([
    [0, 'done', 1],
    [1, 'user_fault', null],
    [2, 'error', null],
  ]);
  expect(rows.map((row) => readRewardRow(row).reward)).toEqual([1, null, null]);
  const calls = world.lines<CallRecord>(artifactKeys.calls);
  // Two calls of one millisecond may stand in either order.
  expect(calls.map(({ trial, purpose, ordinal }) => `${trial} ${purpose} ${ordinal}`).sort()).toEqual([
    ...['0 agent 0', '0 agent 1', '0 agent 2', '0 agent 3', '0 user 0', '0 user 1', '0 user 3'],
    ...['1 agent 0', '1 agent 1', '1 agent 2', '1 user 0', '1 user 1', '1 user 2'],
  ]);
  const times = calls.map(({ trial, at }) => `${trial} ${at}`);
  expect(times).toEqual([...times].sort());
  const trajectories = world.lines<TrajectoryData>(artifactKeys.trajectories);
  expect(trajectories.map(({ episode_id }) => episode_id)).toEqual(['desk.001/0', 'desk.001/1']);
  const published = z.fromJSONSchema(JSON.parse(JSON.stringify(trajectoryJsonSchema())));
  for (const line of trajectories) expect(published.safeParse(line).success).toBe(true);
  const [first, second] = trajectories.map((line) => Trajectory.parse(line));
  expect(first?.timesteps.map(({ reward, done }) => [reward, done])).toEqual([
    [0, false],
    [0, false],
    [0, false],
    [1, true],
  ]);
  expect(first?.timesteps[0]?.available_tool_schemas?.map((tool) => tool.function)).toMatchObject([
    { name: 'book' },
    { name: 'pay' },
  ]);
  expect(second?.timesteps.at(-1)).toMatchObject({ done: false, truncated: true });
  expect(second?.error_info).toMatchObject({ error_type: 'user_fault' });
});

test('a reply that another worker was given as well is counted so, also by one that remembers it otherwise', async () => {
  const world = deskWorld({ row: { n_rollouts: 1 } });
  await world.prepared();
  const worker = world.worker();
  await world.play([worker]);
  const stored = JSON.parse(world.text(world.keys('pending/')[0] as string));
  await new CallStore(world.store).save({ ...stored, record: { ...stored.record, repeated: 1 } });
  const end = { plan: world.plan(), status: 'stopped' as const, ...END };
  expect(await worker().finalizeAgentEval(end)).toMatchObject({ lm_calls: 4, lm_calls_repeated: 1 });
});

test('a tool call that the server left as text is counted in the row, and warned of', async () => {
  const text = '<tool_call>{"name": "book", "arguments": {"flight": 1}}</tool_call>';
  const world = deskWorld({ agent: () => says(text), row: { n_rollouts: 1, sim_user_prompt: null } });
  await world.prepared();
  const worker = world.worker();
  await world.play([worker]);
  const metrics = await worker().finalizeAgentEval({ plan: world.plan(), status: 'done', ...END });
  expect(metrics.figure_warnings).toEqual([expect.stringContaining('a tool call as text')]);
  expect(world.lines<RolloutRow>(artifactKeys.results)).toMatchObject([{ reward: 0, tool_calls_as_text: 1 }]);
});

test('a tool that was edited is told of at the end, where nobody has kept what it was', async () => {
  const world = deskWorld({ row: { n_rollouts: 1 } });
  await world.prepared();
  const worker = world.worker();
  await world.play([worker]);
  const tools = await userFile('tools.ts', 'export const price = 2;\n');
  const noted = { modules: { [tools]: 'its hash before' }, folders: [dirname(tools)], changes: [] };
  await world.store.write('code.json', JSON.stringify(noted));
  const { code_changes } = await worker().finalizeAgentEval({
    plan: world.plan(),
    status: 'stopped',
    ...END,
  });
  const modules = [join(basename(dirname(tools)), 'tools.ts')];
  expect(code_changes).toEqual([{ at: expect.any(String), rollouts: 1, modules }]);
});

test('the page of a rollout shows what each of its tool calls wrote', async () => {
  const world = deskWorld({ row: { n_rollouts: 1 } });
  await world.prepared();
  const worker = world.worker();
  await world.play([worker]);
  await worker().finalizeAgentEval({ plan: world.plan(), status: 'done', ...END });
  const row = JSON.parse(world.text(artifactKeys.results).split('\n')[0] as string);
  const unit = { store: world.store, id: 'desk.001', trial: 0, row, calls: [], executions: [] };
  const sections = (await agentEvalView.unitSections?.({ ...unit, hrefOf: () => '' })) ?? [];
  const text = (id: string) =>
    visibleText(`<!doctype html>${renderToString(sections.find((one) => one.id === id)?.content as VNode)}`);
  expect(text('database')).toMatch(/^bookings.*\+ after[0-9A-F]{8}11seats.*− before12\+ after11$/);
  expect(text('writes')).toMatch(
    /^Tool call 1: book.*\+ after[0-9A-F]{8}10seats.*Tool call 2: pay\w*bookings.*− before[0-9A-F]{8}10\+ after[0-9A-F]{8}11$/,
  );
});

test('what only an unfinished evaluation needs is removed once it is done; a second attempt changes nothing', async () => {
  const world = deskWorld({ row: { n_rollouts: 1 } });
  await world.prepared();
  const worker = world.worker();
  await world.play([worker]);
  const stopped = { plan: world.plan(), status: 'stopped' as const, ...END };
  await worker().finalizeAgentEval(stopped);
  expect(world.keys('pending/')).toHaveLength(4);

  const metrics: AgentEvalMetrics = await worker().finalizeAgentEval({
    ...stopped,
    status: 'done',
    ended_at: 2000,
  });
  const left = world.keys('').filter((key) => !key.endsWith('.jsonl'));
  const isOnTheWay = (key: string) => key.startsWith('tool-calls/');
  expect(left.filter(isOnTheWay)).not.toEqual([]);
  const others = left.filter((key) => !isOnTheWay(key));
  expect(others.map((key) => key.replace(/roll_[0-9a-f-]{36}/, 'roll_uuid'))).toEqual([
    'code.json',
    'config.yaml',
    'metrics.json',
    'report.html',
    'rows/desk.001.json',
    'run.log',
    'runs/desk.001/base.db',
    'runs/desk.001/roll_uuid.db',
    'view/index.json.gz',
  ]);
  expect(
    await world
      .worker()()
      .finalizeAgentEval({ ...stopped, status: 'failed' }),
  ).toEqual(metrics);
});

test('an evaluation that an outage took a rollout from is incomplete, and keeps what continues with it', async () => {
  const world = deskWorld({ row: { n_rollouts: 2 } });
  await world.prepared();
  const worker = world.worker();
  await world.play([worker]);
  await worker().endRollout(world.ended({ rollout: 1, error: { type: 'overloaded', message: 'no answer' } }));
  const end = { plan: world.plan(), status: 'done' as const, ...END };
  expect(await worker().finalizeAgentEval(end)).toMatchObject({
    status: 'incomplete',
    status_message: '1 rollout is missing (1 overloaded): the same command continues with what is missing',
    rollouts: 1,
  });
  expect(world.keys('pending/')).toHaveLength(4);
});
