import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_TASK_QUEUE } from '../../src/contracts/names.js';
import { experimentInProcess } from '../../src/in-process/experiment.js';
import type { ArtifactStore } from '../../src/storage/artifact-store.js';
import { openStore } from '../../src/storage/open.js';
import { askingEvolution, askingProgram, writeSumsToAsk } from '../support/asking-evolution.js';
import { TWICE } from '../support/asking-twice.js';
import { treeIn } from '../support/evolutions.js';
import type { Behaviour, FakeReply, RecordedRequest } from '../support/fake-providers/behaviours.js';
import { addNumbers, type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { VERDICT, writeJudged } from '../support/judged-steps.js';
import { seatsConfig, seatsReply, writeSeats } from '../support/seats-bundle.js';
import { sumsConfig, Workplace } from '../support/workplace.js';

const DRAWS = 200;
/** Experiments at once on the server. */
const AT_ONCE = 12;
const SEED = Number(process.env.REPRISE_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** How a model fares: of so many prompts one is answered at its second request, and one not at all. */
interface Failures {
  late: number;
  never: number;
}

interface Drawn {
  kind: 'run' | 'agent-eval' | 'judge' | 'evolve' | 'own-kind';
  failures: Failures;
  sections: Record<string, unknown>;
}

const limits = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  fc.record({ max_lm_calls: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ max_tokens: fc.integer({ min: 20, max: 2000 }) }),
);
const failures = fc.record({ late: fc.constantFrom(0, 0, 5, 9), never: fc.constantFrom(0, 0, 0, 7) });
const grain = fc.constantFrom('call', 'unit');
const agent = fc.constantFrom<Record<string, unknown>>(
  { type: 'history_agent', history_k: 0 },
  { type: 'history_agent', history_k: 3 },
  { type: 'memory_agent' },
  { type: 'reflexion_agent' },
  { type: 'dynamic_cheatsheet_agent' },
);
const aRun = fc
  .record({
    agent,
    limits,
    memory_scope: fc.constantFrom('run', 'sample'),
    concurrency: fc.integer({ min: 1, max: 4 }),
    num_trials: fc.integer({ min: 1, max: 3 }),
    early_stop_on_success: fc.boolean(),
    carry_memory_across_trials: fc.boolean(),
    cache: fc.boolean(),
    grain,
  })
  .map(({ agent, limits, cache, concurrency, ...runtime }) => ({
    kind: 'run' as const,
    sections: {
      agent,
      limits,
      lm: { cache, max_attempts: 2 },
      // Which samples a limit leaves out depends on who is first.
      runtime: { ...runtime, concurrency: Object.keys(limits).length > 0 ? 1 : concurrency },
    },
  }));
const anEvaluation = fc
  .record({ rollouts: fc.integer({ min: 1, max: 2 }), limits, grain })
  .map(({ rollouts, limits, grain }) => ({
    kind: 'agent-eval' as const,
    sections: { rollouts, limits, grain, concurrency: Object.keys(limits).length > 0 ? 1 : 3 },
  }));
const aJudgement = fc.record({ limits, grain }).map(({ limits, grain }) => ({
  kind: 'judge' as const,
  sections: { limits, grain, concurrency: Object.keys(limits).length > 0 ? 1 : 3 },
}));
const ownKind = fc.record({ limits, grain }).map(({ limits, grain }) => ({
  kind: 'own-kind' as const,
  sections: { limits, grain, concurrency: Object.keys(limits).length > 0 ? 1 : 3 },
}));
const anEvolution = fc
  .record({
    limits,
    num_iterations: fc.integer({ min: 1, max: 2 }),
    num_validation_examples: fc.integer({ min: 1, max: 3 }),
  })
  .map(({ limits, ...evolution }) => ({
    kind: 'evolve' as const,
    sections: {
      limits,
      evolution: {
        initial_scaffolds: 1,
        scaffolds_per_iter: 1,
        ...evolution,
        concurrency: Object.keys(limits).length > 0 ? 1 : 3,
      },
    },
  }));
const experiment: fc.Arbitrary<Drawn> = fc
  .tuple(
    fc.oneof(
      { weight: 6, arbitrary: aRun },
      { weight: 1, arbitrary: anEvolution },
      { weight: 2, arbitrary: anEvaluation },
      { weight: 1, arbitrary: aJudgement },
      { weight: 1, arbitrary: ownKind },
    ),
    failures,
  )
  .map(([drawn, failures]) => ({ ...drawn, failures }));

/** Fields that hold a time, a place or a chance, or what is not owed to be the same. */
const PASSING =
  /^(at|begun|started_at|ended_at|latency_ms|seconds|wall_seconds|lm_calls_repeated|lm_calls_maybe_repeated|repeated|maybe_repeated|attempts|experiment|artifacts|folder|name|provider_request_id|run|key|rollout_id|episode_id|databases?|seed_database|final_database)$/;

function lasting(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, inner) => {
      if (PASSING.test(key)) return undefined;
      return typeof inner === 'string' ? inner.replaceAll(/~\d+[dp]/g, '') : inner;
    }),
  );
}

/** Everything of an experiment that its two ways have to agree on. */
async function outcomeOf(store: ArtifactStore): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const name of [
    'metrics.json',
    'results.jsonl',
    'rollouts.jsonl',
    'calls.jsonl',
    'trajectories.jsonl',
  ]) {
    const text = await store.readText(name);
    if (text === null) continue;
    const lines = name.endsWith('.json') ? [text] : text.split('\n').filter((line) => line !== '');
    const values = lines.map((line) => lasting(JSON.parse(line)));
    // Calls are written as they end, those of lanes side by side in any order.
    found[name] = name === 'calls.jsonl' ? values.map((one) => JSON.stringify(one)).sort() : values;
  }
  for (const [name, text] of Object.entries(await treeIn(store)))
    found[name] = text.replaceAll(/~\d+[dp]/g, '');
  return found;
}

/** The first thing in which two outcomes differ, with its place; null where they are the same. */
function differenceOf(plain: unknown, durable: unknown, place = ''): string | null {
  if (typeof plain === 'object' && typeof durable === 'object' && plain !== null && durable !== null) {
    for (const key of new Set([...Object.keys(plain), ...Object.keys(durable)])) {
      const [left, right] = [plain, durable].map((one) => (one as Record<string, unknown>)[key]);
      const difference = differenceOf(left, right, `${place}/${key}`);
      if (difference !== null) return difference;
    }
    return null;
  }
  const shown = [plain, durable].map((one) => JSON.stringify(one)?.slice(0, 200));
  return plain === durable ? null : `${place}: ${shown[0]} in process, ${shown[1]} on the server`;
}

describe(`an experiment comes to the same in process and on a server (REPRISE_SEED=${SEED})`, () => {
  let place: Workplace;
  let provider: FakeProvider;
  let client: Client;
  let failing: Map<string, Failures>;
  let requests: Map<string, number>;

  const reply = (request: RecordedRequest): string | FakeReply => {
    const model = request.model.replace(/~.*/, '');
    const asked = { ...request, model };
    if (model === 'judge') return VERDICT;
    if (model === 'author') return askingProgram(request.lastUserText.includes('def process_input') ? 2 : 1);
    return model === 'fake' ? addNumbers(asked) : seatsReply(asked);
  };

  /** Fails by what is asked, in whatever order that arrives. */
  const intercept = (request: RecordedRequest): Behaviour | undefined => {
    const { late, never } = failing.get(request.model.replace(/^.*~/, '~')) ?? { late: 0, never: 0 };
    const text = JSON.stringify([request.model.replace(/~.*/, ''), request.body.messages]);
    const key = `${request.model} ${text}`;
    const count = (requests.get(key) ?? 0) + 1;
    requests.set(key, count);
    const sum = [...text].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) % 1_000_003, 7);
    if (never > 0 && sum % never === 0) return { kind: 'status', status: 400, message: 'not like this' };
    if (late > 0 && sum % late === 1 && count === 1) return { kind: 'reset', when: 'before_headers' };
    return undefined;
  };

  beforeAll(async () => {
    failing = new Map();
    requests = new Map();
    provider = await startFakeProvider('openai', { reply });
    provider.intercept = intercept;
    place = await Workplace.make();
    place.environment.REPRISE_ALLOWED_SERVERS = provider.baseUrl;
    place.environment.REPRISE_ALLOWED_SANDBOXES = 'process';
    await place.dev();
    client = await place.client();
    await writeSeats(place, 3, 'seats');
    await writeSumsToAsk(place);
    await place.write('twice.ts', TWICE);
    await writeJudged(place, 'judged', { episodes: 3, said: ['a', 'b'], more: [] });
  });

  afterAll(async () => {
    await provider.close();
    await place.dispose();
  });

  /** What one way is asked for; the models' names say which experiment it is, and which way. */
  async function asked({ kind, sections, failures }: Drawn, number: number, way: 'd' | 'p') {
    const mark = `~${number}${way}`;
    failing.set(mark, failures);
    const { baseUrl } = provider;
    const name = `drawn-${number}-${way}`;
    if (kind === 'run') {
      const { lm, ...rest } = sections as { lm: object };
      const sums = sumsConfig(baseUrl, 4, { name, ...rest, lm: { ...lm, model: `openai/fake${mark}` } });
      return { ...sums, output: { results_dir: place.path('results') } };
    }
    if (kind === 'agent-eval') {
      const lm = (model: string) => ({
        model: `openai/${model}${mark}`,
        base_url: baseUrl,
        max_attempts: 2,
      });
      return seatsConfig(baseUrl, place.path('seats', 'task.jsonl'), {
        name,
        ...sections,
        models: { agent: lm('clerk'), user: lm('customer') },
        output: { results_dir: place.path('results') },
      });
    }
    if (kind === 'evolve') {
      const lm = (model: string) => ({ model: `openai/${model}${mark}`, base_url: baseUrl, max_attempts: 2 });
      return askingEvolution(baseUrl, ['author', 'fake'], {
        name,
        ...sections,
        data: { train: place.path('asking-train.jsonl'), valid: place.path('asking-valid.jsonl') },
        models: { scaffolder: lm('author'), executor: lm('fake') },
        output: { results_dir: place.path('experiments') },
      });
    }
    if (kind === 'own-kind') {
      const lm = { model: `openai/fake${mark}`, base_url: baseUrl, max_attempts: 2 };
      const items = Array.from({ length: 4 }, (_, at) => ({
        question: `What is ${at} + 7?`,
        answer: `${at}`,
      }));
      const folders = { output: { results_dir: place.path('results') }, kind: place.path('twice.ts') };
      return { name, ...folders, models: { writer: lm }, dataset: { items }, ...sections } as unknown;
    }
    // Of one name, since what is judged says it; each way in a folder of its own.
    const folder = place.path('results', `judged-${number}-${way}`);
    await mkdir(folder);
    await copyFile(place.path('results', 'judged', 'trajectories.jsonl'), join(folder, 'trajectories.jsonl'));
    return {
      experiment: folder,
      rubric: {
        name: 'clear',
        criteria: [{ name: 'clear', description: 'Is the reply clear?', range: [1, 5] }],
      },
      lm: { model: `openai/judge${mark}`, base_url: baseUrl, max_attempts: 2 },
      ...sections,
    } as unknown;
  }

  async function onServer(drawn: Drawn, number: number) {
    const config = await asked(drawn, number, 'd');
    const handle = await client.workflow.start(drawn.kind, {
      taskQueue: DEFAULT_TASK_QUEUE,
      workflowId: `drawn-${number}-d`,
      args: [config],
    });
    const { artifacts } = await handle.result().catch((error) => {
      const details = error.cause?.details?.[0];
      if (details === undefined) throw new Error(`on the server: ${error.cause?.message ?? error.message}`);
      return details;
    });
    return outcomeOf(openStore(artifacts));
  }

  async function inProcess(drawn: Drawn, number: number) {
    const config = await asked(drawn, number, 'p');
    const { store } = await experimentInProcess(drawn.kind, config as { name?: string }, {
      environment: { ...process.env, OPENAI_API_KEY: 'key' },
      pause: async () => undefined,
    });
    return outcomeOf(store);
  }

  it(`${DRAWS} of them: kind, agent, memory, trials, failures and limits`, async () => {
    const drawn = fc.sample(experiment, { seed: SEED, numRuns: DRAWS });
    const waiting = [...drawn.entries()];
    const differing: string[] = [];
    const work = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [number, one] = next;
        try {
          const durable = await onServer(one, number);
          const difference = differenceOf(await inProcess(one, number), durable);
          if (difference !== null) differing.push(`${number} ${JSON.stringify(one)}: ${difference}`);
        } catch (error) {
          differing.push(`${number} ${JSON.stringify(one)}: ${(error as Error).stack}`);
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    expect(differing.slice(0, 3)).toEqual([]);
    expect(new Set(drawn.map(({ kind }) => kind)).size).toBe(5);
  }, 600_000);
});
