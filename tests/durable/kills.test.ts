import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { Metrics } from '../../src/kinds/run/results.js';
import { askingEvolution, askingProgram, writeSumsToAsk } from '../support/asking-evolution.js';
import { TWICE } from '../support/asking-twice.js';
import type { FakeReply, RecordedRequest } from '../support/fake-providers/behaviours.js';
import { addNumbers, type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { VERDICT, writeJudged, writeRubric } from '../support/judged-steps.js';
import { seatsConfig, seatsReply, writeSeats } from '../support/seats-bundle.js';
import { sumsConfig, timelessMetrics, until, Workplace } from '../support/workplace.js';

/** Kills of each experiment, at random moments; some three minutes for each. */
const KILLS = Number(process.env.REPRISE_KILLS ?? 64);
const CONCURRENCY = 4;
/** Milliseconds of a call: several are in flight whenever the command is killed. */
const LATENCY = 100;
/** Units, so that there are calls for so many kills: between two kills there may be as many as ten. */
const UNITS = 20 + 5 * KILLS;

/** Fields of a row that hold a time or a chance. */
const PASSING = new Set(['started_at', 'seconds', 'rollout_id', 'database']);

/** Writes an experiment of a kind. @returns the command that runs it */
type Write = (place: Workplace, baseUrl: string, name: string, grain: string) => Promise<string[]>;

const KINDS: Record<string, { grains: readonly string[]; write: Write }> = {
  run: {
    grains: ['call', 'unit'],
    write: async (place, baseUrl, name, grain) => {
      const runtime = { concurrency: CONCURRENCY, grain };
      await place.write(`${name}.yaml`, sumsConfig(baseUrl, 2 * UNITS, { name, runtime }));
      return ['run', `${name}.yaml`];
    },
  },
  'agent-eval': {
    grains: ['call', 'unit'],
    write: async (place, baseUrl, name, grain) => {
      await writeSeats(place, Math.ceil(UNITS / 4), 'seats');
      const dataset = place.path('seats', 'task.jsonl');
      const config = seatsConfig(baseUrl, dataset, { name, grain, concurrency: CONCURRENCY });
      await place.write(`${name}.yaml`, config);
      return ['agent-eval', `${name}.yaml`];
    },
  },
  judge: {
    grains: ['call', 'unit'],
    write: async (place, baseUrl, name, grain) => {
      await writeRubric(place);
      const set = [`lm.base_url=${baseUrl}`, `concurrency=${CONCURRENCY}`, `grain=${grain}`];
      const more = ['--model', 'openai/judge', ...set.flatMap((one) => ['--set', one])];
      return writeJudged(place, name, { episodes: UNITS, said: ['a', 'b'], more });
    },
  },
  'own-kind': {
    grains: ['call', 'unit'],
    write: async (place, baseUrl, name, grain) => {
      await place.write('twice.ts', TWICE);
      const items = Array.from({ length: UNITS }, (_, at) => ({
        question: `What is ${at} + 7?`,
        answer: 'x',
      }));
      await place.write(`${name}.yaml`, {
        name,
        kind: 'twice.ts',
        models: { writer: { model: 'openai/fake', base_url: baseUrl } },
        dataset: { items },
        concurrency: CONCURRENCY,
        grain,
      });
      return ['own-kind', `${name}.yaml`];
    },
  },
  evolve: {
    grains: ['call'],
    write: async (place, baseUrl, name) => {
      await writeSumsToAsk(place);
      const examples = Array.from({ length: 4 + Math.ceil(UNITS / 24) }, (_, at) =>
        JSON.stringify({ id: `v${at}`, input: `${at} 2 3 4`, target: at + 9 }),
      );
      await place.write('asking-valid.jsonl', `${examples.join('\n')}\n`);
      const evolution = {
        num_iterations: 3,
        initial_scaffolds: 4,
        scaffolds_per_iter: 2,
        num_validation_examples: examples.length,
        concurrency: CONCURRENCY,
      };
      await place.write(`${name}.yaml`, {
        ...askingEvolution(baseUrl, ['author', 'fake'], { name, evolution }),
        output: { results_dir: 'results' },
      });
      return ['evolve', `${name}.yaml`];
    },
  },
};

let programs = 0;

function reply(request: RecordedRequest): string | FakeReply {
  if (request.model === 'judge') return VERDICT;
  // No two scaffolds are the same.
  if (request.model === 'author') {
    programs += 1;
    return askingProgram(programs);
  }
  return request.model === 'fake' ? addNumbers(request) : seatsReply(request);
}

const cases = Object.entries(KINDS).flatMap(([kind, { grains, write }]) =>
  grains.map((grain) => ({ kind, grain, write })),
);

describe.each(cases)('$kind, each call a step or workers by the unit ($grain)', ({ write, grain }) => {
  let place: Workplace;
  let provider: FakeProvider;

  afterEach(async () => {
    await provider.close();
    await place.dispose();
  });

  /** What an experiment has come to. */
  async function resultOf(stdout: string) {
    const { artifacts, metrics } = JSON.parse(stdout) as { artifacts: string; metrics: Metrics };
    const { name: _name, experiment: _experiment, ...figures } = timelessMetrics(metrics);
    const text = await readFile(`${fileURLToPath(artifacts)}/results.jsonl`, 'utf8').catch(() => '');
    const lines = text.split('\n').filter((line) => line !== '');
    const rows = lines.map((line) =>
      JSON.parse(line, (key, value) => (PASSING.has(key) ? undefined : value)),
    );
    return { figures, rows };
  }

  it(`comes to the same after ${KILLS} kills, and asks for no finished call again`, async () => {
    place = await Workplace.make();
    provider = await startFakeProvider('openai', { reply });
    const calm = await write(place, provider.baseUrl, 'calm', grain);
    const undisturbed = await place.reprise([...calm, '--json']);
    expect(undisturbed.code, undisturbed.stderr).toBe(0);
    const { calls: callsInCalm } = provider.statistics;

    programs = 0;
    provider.latencyMs = LATENCY;
    const command = await write(place, provider.baseUrl, 'killed', grain);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const running = place.start([...command, '--json']);
      const target = provider.statistics.finished + 1 + Math.floor(Math.random() * 6);
      await until('replies are given', () => provider.statistics.finished >= target);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * LATENCY));
      await place.kill(running);
      expect(await running.done.then(({ stdout }) => stdout), `there was nothing left to kill`).toBe('');
    }
    provider.latencyMs = 0;
    const last = await place.reprise([...command, '--json']);
    expect(last.code, last.stderr + last.stdout).toBe(0);
    const [plain, killed] = [await resultOf(undisturbed.stdout), await resultOf(last.stdout)];
    expect(killed.figures).toEqual(plain.figures);
    expect(killed.rows).toEqual(plain.rows);
    // Whatever was asked twice was in flight when the command was killed.
    const twice = provider.statistics.calls - 2 * callsInCalm;
    expect(twice).toBeLessThanOrEqual(KILLS * CONCURRENCY);
    console.log(`${grain}: ${KILLS} kills, ${callsInCalm} calls, ${twice} of them in flight and asked again`);
  }, 1_200_000);
});
