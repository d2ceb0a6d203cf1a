import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { stringify } from 'yaml';
import type { WorkerDependencies } from '../../src/activities/dependencies.js';
import { withFailures } from '../../src/activities/failures.js';
import { ModelCalls } from '../../src/activities/model-calls.js';
import { runReference } from '../../src/contracts/experiment.js';
import type { GenerateReply, GenerateRequest, ToolCall } from '../../src/contracts/language-model.js';
import { AgentEvalContexts } from '../../src/kinds/agent-eval/activities/agent-eval-context.js';
import { createAgentTurn } from '../../src/kinds/agent-eval/activities/agent-turn.js';
import { createBeginRollout } from '../../src/kinds/agent-eval/activities/begin-rollout.js';
import { createEndRollout } from '../../src/kinds/agent-eval/activities/end-rollout.js';
import { createFinalizeAgentEval } from '../../src/kinds/agent-eval/activities/finalize-agent-eval.js';
import { RolloutCalls } from '../../src/kinds/agent-eval/activities/rollout-calls.js';
import { createToolCall } from '../../src/kinds/agent-eval/activities/tool-call.js';
import { createUserTurn } from '../../src/kinds/agent-eval/activities/user-turn.js';
import { type BundleCode, judgeRow, runTool } from '../../src/kinds/agent-eval/bundle-code.js';
import type { BundleRow } from '../../src/kinds/agent-eval/bundles/contracts.js';
import {
  defineReward,
  goalHolds,
  type Reward,
  ToolRegistry,
  z,
} from '../../src/kinds/agent-eval/bundles/index.js';
import type {
  AgentEvalActivities,
  AgentEvalPlan,
  EndRolloutInput,
  RolloutOutcome,
  RolloutPlace,
  RolloutTotals,
} from '../../src/kinds/agent-eval/contracts.js';
import { bundleRowKey } from '../../src/kinds/agent-eval/paths.js';
import { firstPlace, Rollout } from '../../src/kinds/agent-eval/rollouts/rollout.js';
import { rolloutRules } from '../../src/kinds/agent-eval/rollouts/rules.js';
import { noRolloutTotals } from '../../src/kinds/agent-eval/rollouts/totals.js';
import { type AgentEvalConfig, agentEvalConfigSchema } from '../../src/kinds/agent-eval/schema.js';
import { ownStarts } from '../../src/language-models/pace.js';
import { readingReplies } from '../../src/replies/read-reply.js';
import { addStep } from '../../src/runtime/step-cost.js';
import { artifactKeys } from '../../src/storage/paths.js';
import { MemoryStore, type MemoryStoreOptions } from '../support/memory-store.js';

export const USAGE = { input_tokens: 6, output_tokens: 4 };

/** A desk with two seats, one of which is booked and paid at the end. */
export const ROW: BundleRow = {
  id: 'desk.001',
  seed_sql: `CREATE TABLE seats (flight INTEGER PRIMARY KEY, free INTEGER CHECK (free >= 0));
    CREATE TABLE bookings (id TEXT PRIMARY KEY, flight REFERENCES seats(flight), paid INTEGER DEFAULT 0);
    INSERT INTO seats VALUES (1, 2);`,
  end_goal_sql: 'SELECT COUNT(*) = 1 FROM bookings WHERE paid',
  initial_messages: [
    { role: 'system', content: 'the policy' },
    { role: 'user', content: 'A seat on flight 1, please.' },
  ],
  sim_user_prompt: 'You are Alice.',
  toolset: './tools.ts',
  n_rollouts: 2,
  max_turns: 10,
  stop_at_goal: false,
  tools_allowed: null,
  metadata: {},
  oracle: null,
  now: '2026-03-02T09:00:00.000Z',
};

/** The desk's tools; `ran` counts the calls that reached them. */
export function deskTools(): { registry: ToolRegistry; ran: string[] } {
  const ran: string[] = [];
  const registry = new ToolRegistry('desk');
  const flight = z.object({ flight: z.int() });
  registry.tool('book', { description: 'Book a seat.', parameters: flight }, async (given, { db }) => {
    ran.push('book');
    const id = await db.fetchValue<string>('SELECT hex(randomblob(4))');
    await db.execute('UPDATE seats SET free = free - 1 WHERE flight = :flight', given);
    await db.execute('INSERT INTO bookings (id, flight) VALUES (:id, :flight)', { ...given, id });
    return { id };
  });
  registry.tool(
    'pay',
    { description: 'Pay.', parameters: z.object({ id: z.string() }) },
    async ({ id }, { db }) => {
      ran.push('pay');
      const { changes } = await db.execute('UPDATE bookings SET paid = 1 WHERE id = :id', { id });
      if (changes === 0) throw new Error(`there is no booking ${id}`);
      return 'paid';
    },
  );
  return { registry, ran };
}

export const deskReward = defineReward(async ({ db, row, messages }) => {
  const done = await goalHolds(db, row.end_goal_sql ?? 'SELECT 0');
  const said = messages.filter(({ role }) => role === 'assistant').length;
  return { score: done ? 1 : 0, reason: `after ${said} replies`, metrics: { goal: { score: done ? 1 : 0 } } };
});

export const says = (text: string): GenerateReply => ({ text, finish_reason: 'stop', usage: USAGE });

export const calls = (...asked: [name: string, given: object][]): GenerateReply => ({
  text: '',
  tool_calls: asked.map(
    ([name, given], index): ToolCall => ({
      id: `c${index}`,
      name,
      arguments: JSON.stringify(given),
    }),
  ),
  finish_reason: 'tool_calls',
  usage: USAGE,
});

/** The id that the last tool call answered with. */
export function lastBooking({ messages }: GenerateRequest): string {
  const answer = messages.findLast(({ role }) => role === 'tool')?.content ?? '{}';
  return (JSON.parse(answer) as { id: string }).id;
}

/** An agent that books, pays and says so, by how often it has replied. */
export function deskAgent(request: GenerateRequest): GenerateReply {
  const replies = [
    () => calls(['book', { flight: 1 }]),
    () => calls(['pay', { id: lastBooking(request) }]),
    () => says('Your seat is paid.'),
  ];
  return (replies[request.call.ordinal] ?? (() => says('Goodbye.')))();
}

type Answer = (request: GenerateRequest) => GenerateReply | Promise<GenerateReply>;

/** All but the first one, which needs a bundle's files. */
type WorkerActivities = Omit<AgentEvalActivities, 'prepareAgentEval'>;

export interface WorldOptions {
  row?: Partial<BundleRow>;
  config?: Record<string, unknown>;
  agent?: Answer;
  user?: Answer;
  tools?: () => { registry: ToolRegistry; ran: string[] };
  reward?: Reward;
  onWrite?: MemoryStoreOptions['onWrite'];
  /** The experiment's folder. */
  uri?: string;
}

/** An evaluation in a store in memory, and as many workers over it as are asked for. */
export function deskWorld(options: WorldOptions = {}) {
  const objects = new Map<string, Uint8Array>();
  const { uri = 's3://bucket/results/desk', onWrite } = options;
  const store = new MemoryStore(objects, { uri, ...(onWrite === undefined ? {} : { onWrite }) });
  const row: BundleRow = { ...ROW, ...options.row };
  const lm = { provider: 'openai', model: 'fake', base_url: 'http://127.0.0.1:9/v1', max_attempts: 3 };
  const config: AgentEvalConfig = {
    ...agentEvalConfigSchema.parse({
      datasets: ['/desk'],
      ...options.config,
      models: { agent: lm, user: lm, ...(options.config as { models?: object } | undefined)?.models },
    }),
    name: 'desk',
  };
  const run = runReference(uri, 'execution-1');
  const name = { run, row: row.id, rollout: 0 };
  const { registry, ran } = (options.tools ?? deskTools)();
  const asked: GenerateRequest[] = [];
  const told: string[] = [];
  const answer = async (request: GenerateRequest): Promise<GenerateReply> => {
    asked.push(structuredClone(request));
    const { agent = deskAgent, user = () => says('Thanks! ###STOP###') } = options;
    return (request.call.purpose === 'agent' ? agent : user)(request);
  };
  const log = { level: 'info', info: () => undefined, warn: () => undefined };
  const logger = new DefaultLogger('ERROR', () => undefined);

  async function prepared(): Promise<void> {
    const plain = new MemoryStore(objects, { uri });
    await plain.write(artifactKeys.config, stringify(config));
    await plain.write(bundleRowKey(row.id), JSON.stringify({ row, folder: '/desk' }));
  }

  /** A process: its activities, each called in an attempt of its own. */
  function worker(): (attempt?: number) => WorkerActivities {
    const code: BundleCode = {
      tools: async (stored) => registry.toToolDefinitions(stored.row.tools_allowed),
      call: (stored, question, limits) => runTool(stored, question, limits, registry),
      judge: (stored, question) => judgeRow(stored, question, options.reward ?? deskReward),
    };
    const given = {
      openStore: () => store,
      environment: {},
      notify: (message: string) => told.push(message),
      notices: { listener: () => () => undefined },
      grantStarts: (_model: string, rate: number) => ownStarts(rate),
      maxConcurrentCalls: 4,
      runLogs: { for: () => log, flush: async () => undefined },
    } as unknown as WorkerDependencies;
    const contexts = new AgentEvalContexts(given, () => code);
    const open = contexts.get.bind(contexts);
    contexts.get = async (reference) => {
      const context = await open(reference);
      for (const model of [context.agent, context.user]) {
        if (model !== null)
          Object.assign(model, {
            languageModel: async () => ({ model: readingReplies({ generate: answer }) }),
          });
      }
      return context;
    };
    const asking = new RolloutCalls(new ModelCalls(given), given);
    const activities = withFailures(
      {
        beginRollout: createBeginRollout(contexts),
        agentTurn: createAgentTurn(contexts, asking),
        toolCall: createToolCall(contexts),
        userTurn: createUserTurn(contexts, asking),
        endRollout: createEndRollout(contexts),
        finalizeAgentEval: createFinalizeAgentEval(contexts, given),
      },
      given,
    );
    return (attempt = 1) => {
      const environment = new MockActivityEnvironment({ attempt }, { logger });
      const called = Object.entries(activities).map(([activity, work]) => [
        activity,
        (...input: unknown[]) => environment.run(work as (...input: unknown[]) => Promise<unknown>, ...input),
      ]);
      return Object.fromEntries(called) as WorkerActivities;
    };
  }

  /** What a workflow hands to the end of a rollout. */
  const ended = (fields: Partial<EndRolloutInput>): EndRolloutInput => ({
    ...name,
    outcome: null,
    error: null,
    totals: noRolloutTotals(),
    started_at: Date.parse(row.now),
    ended_at: Date.parse(row.now) + 5000,
    ...fields,
  });

  /** An activity as the server calls it: again, on the next worker, after whatever may pass. */
  async function insist<Value>(
    workers: readonly ReturnType<typeof worker>[],
    work: (activities: WorkerActivities) => Promise<Value>,
  ): Promise<Value> {
    for (let attempt = 1; ; attempt++) {
      const next = workers[attempt % workers.length] as ReturnType<typeof worker>;
      try {
        return await work(next(attempt));
      } catch (error) {
        if ((error as { nonRetryable?: boolean }).nonRetryable || attempt === 20) throw error;
      }
    }
  }

  /** Plays a whole rollout, as the workflow does. */
  async function play(
    workers: readonly ReturnType<typeof worker>[],
    { rollout = 0, said = [] }: { rollout?: number; said?: string[] } = {},
  ) {
    const named = { ...name, rollout };
    let totals: RolloutTotals = noRolloutTotals();
    const ports = {
      agent: async (place: RolloutPlace) => {
        const turn = await insist(workers, ({ agentTurn }) => agentTurn({ ...named, place }));
        totals = { ...addStep(totals, turn), agent_turns: totals.agent_turns + 1 };
        return turn;
      },
      tool: async (place: RolloutPlace, index: number) => {
        const checks_goal = row.stop_at_goal;
        const turn = await insist(workers, ({ toolCall }) =>
          toolCall({ ...named, place, index, checks_goal }),
        );
        const tool_calls_failed = totals.tool_calls_failed + Number(!turn.ok);
        totals = { ...totals, tool_calls: totals.tool_calls + 1, tool_calls_failed };
        return turn;
      },
      user: async (place: RolloutPlace) => {
        const words = said[place.user_turns] ?? null;
        const turn = await insist(workers, ({ userTurn }) => userTurn({ ...named, place, said: words }));
        totals = addStep(totals, turn);
        return turn;
      },
    };
    const at = await insist(workers, ({ beginRollout }) => beginRollout(named));
    const outcome = (await new Rollout(rolloutRules(row), ports, firstPlace(at)).run()) as RolloutOutcome;
    const input = ended({ rollout, outcome, totals });
    const result = await insist(workers, ({ endRollout }) => endRollout(input));
    return { outcome, totals, result, input };
  }

  const plan = (fields: Partial<AgentEvalPlan> = {}): AgentEvalPlan =>
    ({
      run,
      experiment: 'desk',
      agent_model: 'openai/fake',
      user_model: 'openai/fake',
      simulated: false,
      rows: [{ row: row.id, n_rollouts: row.n_rollouts, rules: rolloutRules(row) }],
      spent_wall_seconds: 0,
      ...fields,
    }) as AgentEvalPlan;

  const text = (key: string) => Buffer.from(objects.get(key) ?? []).toString();
  const lines = <Line>(key: string): Line[] =>
    text(key)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Line);
  const keys = (prefix: string) => [...objects.keys()].filter((key) => key.startsWith(prefix)).sort();
  return {
    prepared,
    worker,
    play,
    ended,
    plan,
    name,
    store,
    objects,
    row,
    config,
    ran,
    asked,
    told,
    text,
    lines,
    keys,
  };
}
