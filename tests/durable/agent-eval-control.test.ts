import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  AgentEvalProgress,
  AgentEvalResult,
  RolloutProgress,
} from '../../src/kinds/agent-eval/results.js';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { expectInvalidInput } from '../support/invalid-input.js';
import {
  agentEvalIn,
  notesIn,
  seatRow,
  seatsConfig,
  seatsReply,
  writeSeats,
} from '../support/seats-bundle.js';
import { until, Workplace } from '../support/workplace.js';

const ROWS = 16;
/** Milliseconds of a slow model. */
const LATENCY = 400;

describe('an evaluation in progress', () => {
  let place: Workplace;
  let provider: FakeProvider;

  beforeAll(async () => {
    place = await Workplace.make();
    place.environment.SEATS_LOG = place.path('tools.log');
    provider = await startFakeProvider('openai', { reply: seatsReply });
    await writeSeats(place, ROWS, 'seats');
    await place.dev();
  });

  afterAll(async () => {
    await provider.close();
    await place.dispose();
  });

  const written = (name: string, more: Record<string, unknown> = {}) =>
    place.write(`${name}.yaml`, seatsConfig(provider.baseUrl, 'seats/task.jsonl', { name, ...more }));
  const ended = (name: string) => agentEvalIn(place.path('results', name));
  const firstRows = (count: number) => Array.from({ length: count }, (_, index) => seatRow(index));

  it('pauses, continues with more rollouts at once, stops, and is continued without a call made twice', async () => {
    await written('controlled', { concurrency: 2 });
    provider.latencyMs = LATENCY;
    const { calls } = provider.statistics;
    const begun = await place.reprise(['agent-eval', 'controlled.yaml', '--detach', '--json']);
    expect(begun.code, begun.stderr).toBe(0);
    expect(JSON.parse(begun.stdout)).toMatchObject({ id: 'controlled', how: 'started' });
    await until('calls arrive', () => provider.statistics.calls > calls + 2);
    const handle = (await place.client()).workflow.getHandle('controlled');

    const paused = await place.reprise(['pause', 'controlled']);
    expect(paused).toMatchObject({
      code: 0,
      stdout: 'controlled is paused; continue with: reprise resume controlled\n',
    });
    // Between two waves of calls nothing is in flight either, so it has to stay so.
    let seen = { calls: -1, since: 0 };
    await until('no call arrives for three seconds', () => {
      const { calls: now, inFlight } = provider.statistics;
      if (now !== seen.calls || inFlight > 0) seen = { calls: now, since: Date.now() };
      return Date.now() - seen.since > 3000;
    });
    const { calls: callsInPause, maxInFlight } = provider.statistics;
    expect(maxInFlight).toBe(2);
    expect(await handle.query<AgentEvalProgress>('progress')).toMatchObject({
      phase: 'paused',
      units: { noun: 'rollout', planned: 2 * ROWS },
      concurrency: 2,
    });
    const { stdout } = await place.reprise(['status', 'controlled']);
    expect(stdout).toMatch(/status +│ paused /);
    expect(stdout).toMatch(/agent +│ openai\/clerk .*\n.*user +│ openai\/customer /);
    const listed = JSON.parse((await place.reprise(['status', '--json'])).stdout) as object[];
    expect(listed).toContainEqual(
      expect.objectContaining({ id: 'controlled', kind: 'agent-eval', status: 'running', phase: 'paused' }),
    );
    expect(provider.statistics.calls).toBe(callsInPause);

    const wider = await place.reprise(['set-concurrency', 'controlled', '6']);
    expect(wider).toMatchObject({ code: 0, stdout: 'controlled runs 6 rollouts at once\n' });
    expect((await place.reprise(['resume', 'controlled'])).code).toBe(0);
    await until('six calls are in flight at once', () => provider.statistics.maxInFlight === 6);
    const stopping = await place.reprise(['stop', 'controlled']);
    expect(stopping.stdout).toContain('rollouts in flight are finished first');
    provider.latencyMs = 0;
    const { metrics: stopped } = (await handle.result()) as AgentEvalResult;
    expect(provider.statistics.maxInFlight).toBe(6);
    expect(stopped).toMatchObject({ status: 'stopped', rollouts_planned: 2 * ROWS, errors: 0 });
    expect(stopped.rollouts).toBeGreaterThan(0);
    expect(stopped.rollouts).toBeLessThan(2 * ROWS);
    expect(provider.statistics.calls - calls).toBe(stopped.lm_calls);
    expect((await ended('controlled')).rows).toHaveLength(stopped.rollouts);

    const again = await place.reprise(['agent-eval', 'controlled.yaml']);
    expect(again.stderr).toContain('Continuing controlled');
    expect(again.code).toBe(0);
    const { metrics } = await ended('controlled');
    expect(metrics).toMatchObject({ status: 'done', rollouts: 2 * ROWS, errors: 0, lm_calls_repeated: 0 });
    expect(provider.statistics.calls - calls).toBe(metrics.lm_calls);
    const over = await place.reprise(['pause', 'controlled']);
    expect(over.code).toBe(2);
    expect(over.stderr).toContain("the run 'controlled' has ended");
  });

  it.each(['call', 'unit'])(
    'stands still at a limit, and continues with a higher one, by %s',
    async (grain) => {
      const rows = firstRows(6);
      const name = `limited-${grain}`;
      await written(name, { rows, rollouts: 1, concurrency: 1, grain });
      const { calls, repeated } = provider.statistics;
      const notesBefore = (await notesIn(place.path('tools.log'))).length;
      const first = await place.reprise(['agent-eval', `${name}.yaml`, '--set', 'limits.max_lm_calls=15']);
      expect(first.code, first.stderr).toBe(3);
      expect(first.stdout).toContain('limits.max_lm_calls: 15 of 15 calls are made');
      const limited = (await ended(name)).metrics;
      expect(limited).toMatchObject({ status: 'limit_reached', lm_calls: 15, rollouts: 2, errors: 0 });
      expect(provider.statistics.calls - calls).toBe(15);

      const second = await place.reprise(['agent-eval', `${name}.yaml`, '--set', 'limits.max_lm_calls=1000']);
      expect(second.stderr).toContain(`Continuing ${name}`);
      expect(second.code).toBe(0);
      const { metrics } = await ended(name);
      expect(metrics).toMatchObject({ status: 'done', rollouts: rows.length, lm_calls_repeated: 0 });
      expect(provider.statistics.calls - calls).toBe(metrics.lm_calls);
      expect(provider.statistics.repeated).toBe(repeated);
      const made = (await notesIn(place.path('tools.log'))).slice(notesBefore);
      expect(made).toHaveLength(metrics.tool_calls - metrics.tool_calls_failed);
    },
  );

  it('waits for a person who is the user', async () => {
    const id = `human/${seatRow(0)}/0`;
    await written('human');
    const { calls } = provider.statistics;
    const words = ['--model-role', 'user=human', '--row', seatRow(0), '--rollouts', '1'];
    const running = place.start(['agent-eval', 'human.yaml', ...words]);
    await until('it says how to answer', () => running.output().includes('npx reprise reply human'));
    const waiting = (said: string) =>
      until(`it is listed with ${said}`, async () => {
        const { stdout } = await place.reprise(['reply', 'human']);
        return stdout.includes(`${id}\n`) && stdout.includes(said);
      });
    await waiting('Shall I charge your card?');
    const answered = await place.reprise(['reply', 'human', 'Yes, please charge it.']);
    expect(answered, answered.stderr).toMatchObject({ code: 0, stdout: `${id} continues\n` });
    await waiting('Your card is charged.');
    expect((await place.reprise(['reply', id, 'Thank you. ###STOP###'])).code).toBe(0);
    const { code, stderr } = await running.done;
    expect(code, stderr).toBe(0);
    const { metrics, rows } = await ended('human');
    // What a person says is no call of a model.
    expect(metrics).toMatchObject({ status: 'done', user_model: 'human', lm_calls: 4, mean_reward: 1 });
    expect(provider.statistics.calls - calls).toBe(4);
    expect(rows).toMatchObject([{ ending: 'user_stop', user_turns: 2, agent_turns: 4, reward: 1 }]);
    const late = await place.reprise(['reply', 'human', 'Hello?']);
    expect(late.code).toBe(2);
    expect(late.stderr).toContain("'human' has ended (completed)");
  });

  async function startedByHand(id: string, ...input: string[]) {
    const started = await place.startWorkflow('agent-eval', id, ...input);
    expect(started.code, started.stderr).toBe(0);
    return JSON.parse((await place.temporal('workflow', 'result', '--workflow-id', id)).stdout);
  }

  it('is started by the Temporal CLI with a config’s path', async () => {
    await written('desk', { name: undefined, rows: firstRows(4) });
    const input = JSON.stringify({ config_path: 'desk.yaml', set: ['rollouts=1'] });
    const { status, result } = await startedByHand('by-path', '--input', input);
    expect(status).toBe('COMPLETED');
    // Of four rows one is not paid for.
    expect(result.metrics).toMatchObject({
      name: 'desk',
      experiment: 'by-path',
      rollouts: 4,
      mean_reward: 0.75,
    });
    // Read by a client: the CLI prints an empty array as null.
    const { workflow } = await place.client();
    const { metrics } = (await workflow.getHandle('by-path').result()) as AgentEvalResult;
    expect((await ended('by-path')).metrics).toEqual(metrics);
    const rollout = workflow.getHandle(`by-path/${seatRow(0)}/0`);
    expect(await rollout.query<RolloutProgress>('progress')).toMatchObject({
      row: seatRow(0),
      rollout: 0,
      waiting: false,
      place: { agent_turns: 4, user_turns: 2, at: { version: 2 } },
    });
  });

  it('is started by the Temporal CLI with the config itself', async () => {
    const config = seatsConfig(provider.baseUrl, 'seats/task.jsonl', { rows: firstRows(2), rollouts: 1 });
    await place.write('desk.json', JSON.stringify(config));
    const { result } = await startedByHand('by-file', '--input-file', 'desk.json');
    expect(result.metrics).toMatchObject({
      name: 'seats',
      experiment: 'by-file',
      status: 'done',
      rollouts: 2,
    });
  });

  it.each([
    ['{"config_path": "missing.yaml"}', /missing\.yaml/],
    ['{"config_path": "desk.yaml", "sett": []}', /sett: unknown field beside config_path/],
    ['{"config_path": "desk.yaml", "set": ["rows=[nobody]"]}', /rows: there is no row 'nobody'/],
    ['[1]', /the input of agent-eval/],
  ])('fails at once and for good with bad input: %s', async (input, message) => {
    const id = `bad-${randomUUID()}`;
    expectInvalidInput(await startedByHand(id, '--input', input), message);
  });
});
