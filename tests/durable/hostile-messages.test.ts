import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAsked, isGrant, isUnreachableNotice } from '../../src/contracts/incoming.js';
import { SIGNALS, UPDATES } from '../../src/contracts/names.js';
import { isRolloutControl, isRolloutReport } from '../../src/kinds/agent-eval/workflow/messages.js';
import { isIterationReport } from '../../src/kinds/evolve/workflow/messages.js';
import { askingEvolution, askingProgram, writeSumsToAsk } from '../support/asking-evolution.js';
import { evolveMetricsOf, experimentOf } from '../support/evolutions.js';
import type { FakeReply, RecordedRequest } from '../support/fake-providers/behaviours.js';
import { addNumbers, type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { expectInvalidInput } from '../support/invalid-input.js';
import { IS_NIGHT } from '../support/nightly.js';
import { agentEvalIn, seatsConfig, seatsReply, writeSeats } from '../support/seats-bundle.js';
import { sumsConfig, until, Workplace } from '../support/workplace.js';

const SAMPLES = 120;
const CONCURRENCY = 26;
const ROWS = 4;
/** Messages of each name to each workflow. */
const MESSAGES = IS_NIGHT ? 24 : 6;
const SEED = Number(process.env.REPRISE_SEED ?? Math.floor(Math.random() * 2 ** 31));

const CHILD = { workflow_id: 'sums', first: 'a', run: 'b' };
const SPENT = { lm_calls: 1, tokens: 1, cost_usd: null };
const TOTALS = { lm_calls: 1, usage: { input_tokens: 1, output_tokens: 1 }, cost_usd: null };

/** Messages of which each field matters: one of them is spoiled. */
const WHOLE: [check: (value: unknown) => boolean, message: object][] = [
  [
    isRolloutReport,
    {
      from: CHILD,
      rollout: 'seats/seat.000/0',
      budget: { spent: SPENT, granted: 1, returned: 0, requested: 1 },
    },
  ],
  [
    isIterationReport,
    { from: CHILD, lines: [], nodes: [], totals: { ...TOTALS, executions: 1, executions_failed: 0 } },
  ],
  [isAsked, { paused: false, stopping: false, exhausted: null, concurrency: 1 }],
  [isRolloutControl, { paused: false, exhausted: false }],
  [isUnreachableNotice, { what: 'openai/fake', message: null }],
];

const spoiled = fc
  .tuple(fc.constantFrom(...WHOLE), fc.nat(), fc.constantFrom({ a: 1 }, [[]], 'x', -1.5))
  .map(([[, whole], number, value]) => {
    const fields = Object.keys(whole);
    return { ...whole, [fields[number % fields.length] as string]: value };
  });

/** Whether no workflow can read it, whichever message it is sent as. */
const isUnreadable = (value: unknown): boolean => !WHOLE.some(([check]) => check(value)) && !isGrant(value);

const anything = fc
  .oneof(fc.jsonValue(), spoiled, fc.constantFrom(null, '"garbage"', [], 1e308, -1, 0.5))
  .filter(isUnreadable);

const reply = (request: RecordedRequest): string | FakeReply => {
  if (request.model === 'clerk' || request.model === 'customer') return seatsReply(request);
  return request.model === 'writer' ? askingProgram(scaffolds++) : addNumbers(request);
};
let scaffolds = 0;

describe(`what anybody may send to a workflow (REPRISE_SEED=${SEED})`, () => {
  let place: Workplace;
  let provider: FakeProvider;
  let client: Client;

  beforeAll(async () => {
    place = await Workplace.make();
    provider = await startFakeProvider('openai', { reply });
    await place.dev();
    client = await place.client();
    await writeSeats(place, ROWS, 'seats');
    await writeSumsToAsk(place);
    await place.write(
      'sums.yaml',
      sumsConfig(provider.baseUrl, SAMPLES, {
        runtime: { concurrency: CONCURRENCY },
        limits: { max_lm_calls: 1000 },
      }),
    );
    await place.write(
      'seats.yaml',
      seatsConfig(provider.baseUrl, 'seats/task.jsonl', { limits: { max_lm_calls: 1000 } }),
    );
    await place.write('asking.yaml', askingEvolution(provider.baseUrl, ['writer', 'asker']));
  });

  afterAll(async () => {
    await provider.close();
    await place.dispose();
  });

  async function open(): Promise<string[]> {
    const found: string[] = [];
    for await (const { workflowId } of client.workflow.list({ query: 'ExecutionStatus = "Running"' }))
      found.push(workflowId);
    return found;
  }

  /** As any client may send it, also in an encoding that nobody knows. */
  function signal(workflowId: string, signalName: string, [data, encoding]: readonly [string, string]) {
    return client.workflowService.signalWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId },
      signalName,
      input: { payloads: [{ metadata: { encoding: Buffer.from(encoding) }, data: Buffer.from(data) }] },
      requestId: randomUUID(),
    });
  }

  async function sendGarbage(workflowId: string, values: unknown[]): Promise<void> {
    const names = [...Object.values(SIGNALS), UPDATES.setConcurrency, 'nobody-knows-this'];
    const raw = [
      ['not JSON', 'json/plain'],
      ['what', 'no/such-encoding'],
      ['{}', 'json/protobuf'],
    ] as const;
    for (const name of names) {
      const encoded = values.map((value) => [JSON.stringify(value), 'json/plain'] as const);
      for (const payload of [...encoded, ...raw]) await signal(workflowId, name, payload);
    }
  }

  it('spoils messages that workflows read', () => {
    for (const [check, message] of WHOLE) expect(check(message), JSON.stringify(message)).toBe(true);
  });

  it('is dropped where it cannot be read, and nothing comes of it', async () => {
    const send = provider.hold();
    const commands = [
      ['run', 'sums.yaml'],
      ['agent-eval', 'seats.yaml'],
      ['evolve', 'asking.yaml', '--experiment-name', 'asking'],
    ];
    const running = commands.map((command) => place.start(command));
    const children = [/^sums$/, /^seats\/.+\/0$/, /\/iteration-0$/];
    const all = async () => {
      const ids = await open();
      return children.every((child) => ids.some((id) => child.test(id)));
    };
    await until('they are at work', all);
    const ids = await open();
    const garbage = fc.sample(anything, { seed: SEED, numRuns: MESSAGES * ids.length });
    await Promise.all(
      ids.map(async (id, index) => {
        await sendGarbage(id, garbage.slice(index * MESSAGES, (index + 1) * MESSAGES)).catch((error) => {
          // It may have ended meanwhile.
          if (!/already completed|not found/.test((error as Error).message)) throw error;
        });
      }),
    );
    const handle = client.workflow.getHandle('sums');
    for (const wrong of ['many', null, {}, 0, -3, 1.5, 1e9])
      await expect(handle.executeUpdate(UPDATES.setConcurrency, { args: [wrong] })).rejects.toThrow();
    send();
    for (const { done } of running) {
      const { code, stdout, stderr } = await done;
      expect(code, stdout + stderr).toBe(0);
    }
    expect(await place.metrics('sums')).toMatchObject({
      status: 'done',
      correct: SAMPLES,
      lm_calls: SAMPLES,
      lm_calls_repeated: 0,
    });
    const { metrics } = await agentEvalIn(place.path('results', 'seats'));
    expect(metrics).toMatchObject({ status: 'done', rollouts: 2 * ROWS, errors: 0 });
    const evolved = await evolveMetricsOf(await experimentOf(place, 'asking'));
    expect(evolved).toMatchObject({ status: 'done', best: { score: 1 } });
  }, 240_000);

  it.each(['rollout', 'iteration'])('a %s that is started alone fails at once', async (type) => {
    const id = `alone-${type}`;
    await place.startWorkflow(type, id, '--input', '{"plan": 1}');
    const { stdout } = await place.temporal('workflow', 'result', '--workflow-id', id);
    expectInvalidInput(JSON.parse(stdout), new RegExp(`${type} is a part of`));
  });

  it.each(['run', 'agent-eval', 'evolve', 'judge'])('a second input of %s is refused', async (type) => {
    const id = `two-${type}`;
    await place.startWorkflow(type, id, '--input', '{}', '--input', '{"plan": "x", "asked": 1}');
    const { stdout } = await place.temporal('workflow', 'result', '--workflow-id', id);
    expectInvalidInput(JSON.parse(stdout), /takes one input/);
  });
});
