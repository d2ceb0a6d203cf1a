import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QUERIES, SIGNALS, UPDATES } from '../../src/contracts/names.js';
import { askingEvolution, askingProgram, writeSumsToAsk } from '../support/asking-evolution.js';
import { evolveMetricsOf, experimentOf, treeOf } from '../support/evolutions.js';
import type { FakeReply, RecordedRequest } from '../support/fake-providers/behaviours.js';
import { addNumbers, type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { atNight, IS_NIGHT } from '../support/nightly.js';
import {
  agentEvalIn,
  seatsConfig,
  seatsReply,
  timelessRollouts,
  writeSeats,
} from '../support/seats-bundle.js';
import { sumsConfig, timeless, timelessMetrics, until, Workplace } from '../support/workplace.js';

const SAMPLES = 160;
const CONCURRENCY = 26;
/** Milliseconds of a model. */
const LATENCY = 250;
/** The same, where a run is not to end before a command comes, which takes seconds on a busy machine. */
const SLOW = 10 * LATENCY;
/** Resets of one run, and points of it at which others are reset. */
const RESETS = IS_NIGHT ? 10 : 3;
/** Things that are done to one run. */
const DEEDS = IS_NIGHT ? 40 : 10;
type Case = [name: string, type: string, more: Record<string, unknown>];
const casesAtNight = (...cases: Case[]): Case[] => (IS_NIGHT ? cases : []);
const LIMITED = { limits: { max_lm_calls: 1000 } };
/** What the server says where it cannot reset to an event. */
const NO_POINT = [
  // A child that was begun anew this moment has no point yet.
  'Workflow task finish ID must be > 1',
  // It wrote a task that it tried again, or that an update asked for, as one piece with its beginning.
  'this event must be at the boundary',
];
const SEED = Number(process.env.REPRISE_SEED ?? Math.floor(Math.random() * 2 ** 31));

let scaffolds = 0;

const reply = (request: RecordedRequest): string | FakeReply => {
  if (request.model === 'writer') return askingProgram(scaffolds++);
  return ['fake', 'asker'].includes(request.model) ? addNumbers(request) : seatsReply(request);
};

interface HistoryEvent {
  eventId: string;
  eventType: string;
}

describe('temporal workflow reset', () => {
  let place: Workplace;
  let provider: FakeProvider;

  beforeAll(async () => {
    place = await Workplace.make();
    provider = await startFakeProvider('openai', { latencyMs: LATENCY, reply });
    await place.dev();
    await place.write('calm.yaml', config('calm'));
    expect((await place.reprise(['run', 'calm.yaml'])).code).toBe(0);
  });

  afterAll(async () => {
    await provider.close();
    await place.dispose();
  });

  const config = (name: string, more: Record<string, unknown> = {}) =>
    sumsConfig(provider.baseUrl, SAMPLES, { name, runtime: { concurrency: CONCURRENCY }, ...more });

  /** Starts a run; answers with what waits until it has made so many calls. */
  async function begun(name: string, more: Record<string, unknown> = {}) {
    await place.write(`${name}.yaml`, config(name, more));
    const { calls } = provider.statistics;
    expect((await place.reprise(['run', `${name}.yaml`, '--detach'])).code).toBe(0);
    const hasMade = (count: number) =>
      until(`call ${count} arrives`, () => provider.statistics.calls >= calls + count);
    return { hasMade, made: () => provider.statistics.calls - calls };
  }

  /** Any event of its history that a workflow can be reset to, mostly. */
  async function somewhere(id: string): Promise<string[]> {
    const { stdout } = await place.temporal('workflow', 'show', '--workflow-id', id);
    const { events } = JSON.parse(stdout) as { events: HistoryEvent[] };
    const ends = /WORKFLOW_TASK_(COMPLETED|FAILED|TIMED_OUT)$/;
    const points = events.filter(({ eventType }) => ends.test(eventType));
    const event = points[Math.floor(Math.random() * points.length)];
    // Before its first task has ended there is none, and 1 is refused as such.
    return ['--event-id', event?.eventId ?? '1'];
  }

  /** As `temporal workflow reset --type TYPE` does, or to any event of the history. */
  async function reset(id: string, type: string): Promise<void> {
    const what = ['--workflow-id', id, '--reason', 'a test'];
    await until(`${id} can be reset`, async () => {
      const where = type === 'event' ? await somewhere(id) : ['--type', type];
      const { code, stderr } = await place.temporal('workflow', 'reset', ...what, ...where);
      if (NO_POINT.some((message) => stderr.includes(message))) return false;
      expect(code, stderr).toBe(0);
      return true;
    });
  }

  /** What takes long on a busy machine is done before any further call is answered: nothing is over meanwhile. */
  async function unanswered(work: () => Promise<void>): Promise<void> {
    const send = provider.hold();
    await work().finally(send);
  }

  const open = async (id: string): Promise<string[]> => {
    const query = `ExecutionStatus = "Running" AND WorkflowId STARTS_WITH "${id}"`;
    const found: string[] = [];
    for await (const { workflowId } of (await place.client()).workflow.list({ query }))
      found.push(workflowId);
    return found;
  };

  async function ended(id: string): Promise<void> {
    await (await place.client()).workflow.getHandle(id).result();
    await until(`nothing of ${id} is open`, async () => (await open(id)).length === 0);
  }

  /** @param cut calls that were in flight when something was reset. */
  async function expectAsUndisturbed(name: string, made: number, cut: number): Promise<void> {
    const metrics = await place.metrics(name);
    const named = (of: object) => ({ ...of, name: '', experiment: '' });
    expect(named(timelessMetrics(metrics))).toEqual(named(timelessMetrics(await place.metrics('calm'))));
    expect(timeless(await place.rows(name))).toEqual(timeless(await place.rows('calm')));
    expect((await place.calls(name)).length).toBe(SAMPLES);
    expect(made).toBeLessThanOrEqual(SAMPLES + cut);
  }

  it.each<Case>([
    ['first', 'FirstWorkflowTask', {}],
    ['limited-last', 'LastWorkflowTask', LIMITED],
    ...casesAtNight(['last', 'LastWorkflowTask', {}], ['limited-first', 'FirstWorkflowTask', LIMITED]),
  ])('ends in the same results, and pays for no finished call again: %s', async (name, type, more) => {
    const { hasMade, made } = await begun(name, more);
    await hasMade(CONCURRENCY + Math.floor((SAMPLES / 2) * Math.random()));
    await unanswered(() => reset(name, type));
    await ended(name);
    await expectAsUndisturbed(name, made(), CONCURRENCY);
  });

  atNight('again and again, while a command waits for it', async () => {
    await place.write('often.yaml', config('often'));
    const { calls } = provider.statistics;
    const made = () => provider.statistics.calls - calls;
    const running = place.start(['run', 'often.yaml']);
    const types = ['event', 'LastWorkflowTask', 'FirstWorkflowTask'];
    const share = (SAMPLES - CONCURRENCY) / (RESETS + 1);
    for (let count = 0; count < RESETS; count++) {
      const target = CONCURRENCY / 2 + share * (count + Math.random());
      await until(`call ${target} arrives`, () => made() >= target);
      await unanswered(() => reset('often', types[count % types.length] as string));
    }
    const { code, stdout, stderr } = await running.done;
    expect(code, stderr).toBe(0);
    expect(stdout).toContain(`${SAMPLES} of ${SAMPLES}`);
    await expectAsUndisturbed('often', made(), RESETS * CONCURRENCY);
    await until('nothing of it is open', async () => (await open('often')).length === 0);
  });

  it('leaves a run that can be stopped', async () => {
    const { hasMade, made } = await begun('stopped');
    await hasMade(CONCURRENCY + 1);
    await unanswered(async () => {
      await reset('stopped', 'LastWorkflowTask');
      const { code, stderr } = await place.reprise(['stop', 'stopped']);
      expect(code, stderr).toBe(0);
    });
    await ended('stopped');
    const metrics = await place.metrics('stopped');
    expect(metrics.status).toBe('stopped');
    expect(metrics.samples).toBeLessThan(SAMPLES);
    expect((await place.reprise(['run', 'stopped.yaml'])).code).toBe(0);
    await expectAsUndisturbed('stopped', made(), CONCURRENCY);
  });

  atNight('leaves nothing at work where the run cannot begin again', async () => {
    await place.write('gone.yaml', config('gone'));
    const input = ['--input', '{"config_path": "gone.yaml"}'];
    const { calls } = provider.statistics;
    provider.latencyMs = SLOW;
    await place.startWorkflow('run', 'gone', ...input);
    await until('calls arrive', () => provider.statistics.calls > calls + CONCURRENCY);
    await rm(place.path('gone.yaml'));
    await reset('gone', 'FirstWorkflowTask');
    await until('nothing of it is open', async () => (await open('gone')).length === 0);
    const seen = provider.statistics.calls;
    expect(seen - calls).toBeLessThan(SAMPLES);
    await sleep(2 * SLOW);
    expect(provider.statistics.calls).toBe(seen);
    provider.latencyMs = LATENCY;
    await place.write('gone.yaml', config('gone'));
    expect((await place.reprise(['run', 'gone.yaml'])).code).toBe(0);
    await expectAsUndisturbed('gone', provider.statistics.calls - calls, CONCURRENCY);
  });

  atNight('nor does terminate, after which the same command continues', async () => {
    provider.latencyMs = SLOW;
    const { hasMade, made } = await begun('terminated');
    await hasMade(CONCURRENCY + 1);
    const what = ['--workflow-id', 'terminated', '--reason', 'a test'];
    expect((await place.temporal('workflow', 'terminate', ...what)).code).toBe(0);
    await until('nothing of it is open', async () => (await open('terminated')).length === 0);
    provider.latencyMs = LATENCY;
    expect((await place.reprise(['run', 'terminated.yaml'])).code).toBe(0);
    await expectAsUndisturbed('terminated', made(), CONCURRENCY);
  });

  it('of an evaluation ends in the same results', async () => {
    const rows = 8;
    await writeSeats(place, rows, 'seats');
    const written = (name: string, more: object) =>
      place.write(
        `${name}.yaml`,
        seatsConfig(provider.baseUrl, 'seats/task.jsonl', { name, concurrency: 4, ...more }),
      );
    await written('seats-calm', {});
    expect((await place.reprise(['agent-eval', 'seats-calm.yaml'])).code).toBe(0);
    const calm = await agentEvalIn(place.path('results', 'seats-calm'));
    const limited: Case = ['seats-limited', 'FirstWorkflowTask', LIMITED];
    for (const [name, type, more] of [limited, ...casesAtNight(['seats-somewhere', 'event', {}])]) {
      await written(name, more);
      const { calls } = provider.statistics;
      expect((await place.reprise(['agent-eval', `${name}.yaml`, '--detach'])).code).toBe(0);
      await until('a third is done', () => provider.statistics.calls - calls > 25);
      await unanswered(() => reset(name, type));
      await ended(name);
      const { rows: found } = await agentEvalIn(place.path('results', name));
      expect(timelessRollouts(found)).toEqual(timelessRollouts(calm.rows));
    }
  });

  atNight('of an evolution ends in the same files, and in as many calls', async () => {
    await writeSumsToAsk(place);
    await place.write('evolved.yaml', askingEvolution(provider.baseUrl, ['writer', 'asker']));
    const evolve = (name: string, ...more: string[]) =>
      place.reprise(['evolve', 'evolved.yaml', '--experiment-name', name, ...more]);
    const calm = await evolve('evolved-calm');
    expect(calm.code, calm.stdout + calm.stderr).toBe(0);
    const expected = await experimentOf(place, 'evolved-calm');
    for (const type of ['event', ...(IS_NIGHT ? ['FirstWorkflowTask'] : [])]) {
      const name = `evolved-${type.toLowerCase()}`;
      const { calls } = provider.statistics;
      expect((await evolve(name, '--detach')).code).toBe(0);
      await until('programs have asked', () => provider.statistics.calls - calls > 20);
      await unanswered(() => reset(name, type));
      await ended(name);
      const folder = await experimentOf(place, name);
      expect(numberless(await treeOf(folder), name)).toEqual(
        numberless(await treeOf(expected), 'evolved-calm'),
      );
      const [before, after] = [await evolveMetricsOf(expected), await evolveMetricsOf(folder)];
      expect(after).toMatchObject({ status: 'done', lm_calls: before.lm_calls });
    }
  });

  const deeds: Record<string, (run: WorkflowHandle) => Promise<unknown>> = {
    pause: (run) => run.executeUpdate(UPDATES.pause),
    resume: (run) => run.signal(UPDATES.resume),
    slower: (run) => run.executeUpdate(UPDATES.setConcurrency, { args: [CONCURRENCY / 2] }),
    faster: (run) => run.signal(UPDATES.setConcurrency, CONCURRENCY),
    query: (run) => run.query(QUERIES.progress),
    garbage: (run) => run.signal(SIGNALS.control, null),
    stop: (run) => run.executeUpdate(UPDATES.stop),
    cancel: (run) => run.cancel(),
    terminate: (run) => run.terminate(),
    'reset to its beginning': (run) => reset(run.workflowId, 'FirstWorkflowTask'),
    'reset somewhere': (run) => reset(run.workflowId, 'event'),
  };

  it(`ends in the same results whatever is done to it (REPRISE_SEED=${SEED})`, async () => {
    const name = 'suffers';
    provider.latencyMs = SLOW;
    const { made } = await begun(name);
    const client = await place.client();
    const run = client.workflow.getHandle(name);
    const done: string[] = [];
    const isOpen = async () => (await run.describe()).status.name === 'RUNNING';
    // The command would begin a run of another name where this one is done.
    const isDone = async () => {
      const { status } = await place.metrics(name).catch(() => ({ status: 'without metrics' }));
      return status === 'done' && !(await isOpen());
    };
    const chosen = fc.sample(fc.tuple(fc.constantFrom(...Object.keys(deeds)), fc.nat(900)), {
      seed: SEED,
      numRuns: DEEDS,
    });
    for (const [deed, pause] of chosen) {
      await sleep(pause);
      const one = deeds[deed] as (typeof deeds)[string];
      const how = await one(run).then(
        () => 'done',
        (error: Error) => error.message,
      );
      done.push(`${deed}: ${how}`);
      if (!(await isOpen()) && !(await isDone())) await place.reprise(['run', `${name}.yaml`, '--detach']);
    }
    provider.latencyMs = LATENCY;
    for (let again = 0; again < 3 && !(await isDone()); again++) {
      if (await isOpen())
        await run
          .signal(UPDATES.resume)
          .then(() => run.result())
          .catch(() => undefined);
      else await place.reprise(['run', `${name}.yaml`]);
    }
    await until('nothing of it is open', async () => (await open(name)).length === 0);
    const cuts = chosen.filter(([deed]) => /^(reset|cancel|terminate)/.test(deed)).length;
    await expectAsUndisturbed(name, made(), cuts * CONCURRENCY).catch((error: Error) => {
      throw new Error(`${error.message}\nafter ${done.join('\n')}`, { cause: error });
    });
  }, 240_000);
});

/** Which scaffold was written first is chance. */
function numberless(tree: Record<string, string>, name: string): Record<string, string> {
  const texts = Object.entries(tree).map(([key, text]) => [
    key,
    text
      .replace(/NUMBER = \d+/g, 'NUMBER = 0')
      .replace(/"characters": \d+/g, '"characters": 0')
      .replace(/"fingerprint": "\w+"/g, '"fingerprint": ""')
      .replaceAll(name, 'NAME'),
  ]);
  return Object.fromEntries(texts);
}
