import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentEvalMetrics } from '../../src/kinds/agent-eval/results.js';
import type { JudgeMetrics } from '../../src/kinds/judge/contracts.js';
import type { Metrics } from '../../src/kinds/run/results.js';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { VERDICT, writeJudged, writeRubric } from '../support/judged-steps.js';
import { IS_NIGHT } from '../support/nightly.js';
import { seatsConfig, seatsReply, writeSeats } from '../support/seats-bundle.js';
import { sumsConfig, Workplace } from '../support/workplace.js';

const NO_LIMIT = 100_000;
/** Courses that are drawn, beside those that are known. */
const DRAWN = IS_NIGHT ? 6 : 1;

type Kind = 'trials' | 'sheet' | 'rollouts' | 'judgement';

/** How an experiment is gone through: a command each, with its limit of calls and how many of its requests fail. */
interface Course {
  kind: Kind;
  commands: { limit: number; failing: number }[];
  seed: number;
}

const course = fc.record<Course>({
  kind: fc.constantFrom('trials', 'sheet', 'rollouts', 'judgement'),
  commands: fc.array(
    fc.record({ limit: fc.integer({ min: 4, max: 60 }), failing: fc.constantFrom(0, 0, 0.1, 0.4) }),
    {
      minLength: 1,
      maxLength: 3,
    },
  ),
  seed: fc.nat(1000),
});

/** Of what was ever drawn, the courses on which more was paid than was said, or than was allowed. */
const KNOWN: Course[] = [
  // A first trial of every sample is paid, and none of them is finished.
  {
    kind: 'trials',
    commands: [
      { limit: 60, failing: 0 },
      { limit: 80, failing: 0 },
    ],
    seed: 1,
  },
  // The sheet of every later sample changes once the failed one is answered.
  {
    kind: 'sheet',
    commands: [
      { limit: NO_LIMIT, failing: 0.2 },
      { limit: NO_LIMIT, failing: 0 },
    ],
    seed: 2,
  },
  {
    kind: 'sheet',
    commands: [
      { limit: NO_LIMIT, failing: 0.2 },
      { limit: 50, failing: 0 },
    ],
    seed: 3,
  },
];

describe('whatever fails and however often it is continued', () => {
  let place: Workplace;
  let provider: FakeProvider;
  let failing = 0;
  let state = 1;

  /** The next number of a sequence that the seed decides. */
  const random = (): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };

  beforeAll(async () => {
    place = await Workplace.make();
    provider = await startFakeProvider('openai', {
      latencyMs: 10,
      reply: (request) => {
        const { model, lastUserText } = request;
        if (model !== 'fake') return seatsReply(request);
        if (lastUserText.includes('judge')) return { text: VERDICT, usage: { input: 9, output: 3 } };
        const [left = 0, right = 0] = (
          /What is (\d+) \+ (\d+)\?(?![\s\S]*What is)/.exec(lastUserText) ?? []
        ).slice(1);
        const notes = [...new Set([...lastUserText.matchAll(/^note (\d+)$/gm)].map(([, note]) => note))];
        if (!lastUserText.includes('<cheatsheet>')) return String(Number(left) + Number(right));
        return `<cheatsheet>\n${[...notes, left].map((note) => `note ${note}`).join('\n')}\n</cheatsheet>`;
      },
    });
    provider.intercept = () =>
      random() < failing ? { kind: 'status', status: 400, message: 'not this one' } : undefined;
    await writeSeats(place, 4, 'seats');
    await writeRubric(place);
    await place.dev();
  });

  afterAll(async () => {
    await provider.close();
    await place.dispose();
  });

  /** The command that begins an experiment, and every later one; and its folder. */
  async function begun(kind: Kind, name: string): Promise<{ command: string[]; folder: string }> {
    if (kind === 'judgement') {
      const more = ['--model', 'openai/fake', '--set', `lm.base_url=${provider.baseUrl}`];
      return { command: await writeJudged(place, name, { episodes: 20, more }), folder: `results/${name}` };
    }
    const configs: Record<Exclude<Kind, 'judgement'>, object> = {
      trials: sumsConfig(provider.baseUrl, 60, { name, runtime: { concurrency: 100, num_trials: 2 } }),
      sheet: sumsConfig(provider.baseUrl, 20, {
        name,
        runtime: { memory_scope: 'run' },
        agent: { type: 'dynamic_cheatsheet_agent' },
      }),
      rollouts: seatsConfig(provider.baseUrl, 'seats/task.jsonl', { name }),
    };
    await place.write(`${name}.yaml`, configs[kind]);
    return {
      command: [kind === 'rollouts' ? 'agent-eval' : 'run', `${name}.yaml`],
      folder: `results/${name}`,
    };
  }

  /** The one file of metrics in an experiment's folder; a judgement has a folder of its own in that. */
  async function metricsIn(folder: string): Promise<string> {
    const files = await readdir(folder, { recursive: true });
    return join(folder, files.find((file) => file.endsWith('metrics.json')) ?? 'metrics.json');
  }

  let courses = 0;
  async function follow({ kind, commands, seed }: Course): Promise<void> {
    courses += 1;
    const { command, folder } = await begun(kind, `${kind}-${courses}`);
    state = seed + 1;
    const before = provider.statistics.calls;
    let most = 0;
    for (const { limit, failing: share } of [...commands, { limit: NO_LIMIT, failing: 0 }]) {
      most = Math.max(most, limit);
      failing = share;
      const { code, stdout, stderr } = await place.reprise([
        ...command,
        '--set',
        `limits.max_lm_calls=${most}`,
      ]);
      const said = `${JSON.stringify({ kind, commands, seed })}\n${stdout}${stderr}`;
      expect([0, 1, 3], said).toContain(code);
      const text = await readFile(await metricsIn(place.path(folder)), 'utf8');
      const { lm_calls, unrecorded, status } = JSON.parse(text) as Metrics | AgentEvalMetrics | JudgeMetrics;
      const sent = provider.statistics.calls - before;
      expect(sent, said).toBeLessThanOrEqual(most);
      expect(sent, said).toBeGreaterThanOrEqual(lm_calls);
      expect(sent, said).toBeLessThanOrEqual(lm_calls + (unrecorded?.requests ?? 0));
      if (status === 'done') break;
    }
  }

  it('what was paid is what is said, and no limit of calls is passed', async () => {
    for (const known of KNOWN) await follow(known);
    await fc.assert(fc.asyncProperty(course, follow), { numRuns: DRAWN, seed: 7, endOnFailure: true });
  });
});
