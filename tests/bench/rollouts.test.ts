import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { assertRolledOut, type RolloutFigures } from '../../bench/contestants/rollouts.js';
import { replyTo } from '../../bench/mock-replies.js';
import { BUNDLE } from '../../bench/paths.js';
import { modelCalls, type RolloutContest, rolloutRow } from '../../bench/rollouts-workspace.js';
import { jsonLines } from '../../bench/workspace.js';
import type { GenerateReply, GenerateRequest } from '../../src/contracts/language-model.js';
import { checkBundle } from '../../src/kinds/agent-eval/bundles/check.js';
import { type Bundle, loadBundle } from '../../src/kinds/agent-eval/bundles/load.js';
import type { LoadedRow } from '../../src/kinds/agent-eval/bundles/row-loader.js';
import {
  DEFAULT_STOP_TOKEN,
  simulatedUserPrompt,
} from '../../src/kinds/agent-eval/rollouts/simulated-user.js';
import { userFault } from '../../src/kinds/agent-eval/rollouts/user-faults.js';
import { playRow } from '../../src/kinds/agent-eval/workbench/play-row.js';
import { initialDialect } from '../../src/language-models/openai.js';
import { readWireReply, toWireRequest } from '../../src/language-models/openai-wire.js';

const CALL = { sample_id: 'one', trial: 0, purpose: 'agent', ordinal: 0 } as const;

/** What the mock server answers, as the OpenAI client reads it. */
function asked(request: Pick<GenerateRequest, 'messages' | 'tools'>, number = 1): GenerateReply {
  const dialect = initialDialect('mock', 'http://127.0.0.1:1/v1');
  const body = JSON.stringify(toWireRequest('mock', { ...request, parameters: {}, call: CALL }, dialect));
  const choices = [{ message: replyTo(body, number), finish_reason: 'stop' }];
  return readWireReply({ choices }, { provider: 'openai', serverName: 'the mock server' });
}

const contest = (more: Partial<RolloutContest> = {}): RolloutContest => ({
  rows: 1,
  rollouts_a_row: 1,
  concurrency: 1,
  latency: 0,
  tool_calls: 4,
  calls_a_reply: 1,
  ...more,
});

const CONTESTS: [what: string, contest: RolloutContest, models: number][] = [
  ['one call a reply', contest(), 6],
  ['all calls in one reply', contest({ tool_calls: 7, calls_a_reply: 7 }), 3],
  ['a last reply with fewer calls', contest({ tool_calls: 3, calls_a_reply: 2 }), 4],
  ['no call, and a user who writes first', contest({ tool_calls: 0 }), 3],
];

/** A row of each contest. */
let bundle: Bundle;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'reprise-bench-test-'));
  await cp(BUNDLE, folder, { recursive: true });
  const rows = CONTESTS.map(([, one], index) => rolloutRow(one, index));
  await writeFile(join(folder, 'task.jsonl'), jsonLines(rows));
  bundle = await loadBundle(folder, { now: '2026-03-02T09:00:00.000Z' });
  return () => rm(folder, { recursive: true, force: true });
});

/** A rollout with the mock in both parts, and the calls that it took. */
async function played(index: number) {
  const loaded = bundle.rows[index] as LoadedRow;
  const { row, registry } = loaded;
  const counted = { models: 0, tools: 0, faulty: 0 };
  const { outcome, reward } = await playRow(
    loaded,
    bundle.reward,
    {
      agent: async (messages) => {
        counted.models += 1;
        const tools = registry.toToolDefinitions(null);
        const { text, tool_calls = [] } = asked({ messages: [...messages], tools });
        return { text, tool_calls };
      },
      user: async (messages) => {
        counted.models += 1;
        const part = row.sim_user_prompt ?? '';
        const prompt = simulatedUserPrompt(part, messages, {
          stopToken: DEFAULT_STOP_TOKEN,
        });
        const reply = asked({ messages: prompt });
        const agentHasReplied = messages.some(({ role }) => role === 'assistant');
        const fault = userFault(reply, { part, messages, agentHasReplied, stopToken: DEFAULT_STOP_TOKEN });
        return fault === null ? reply.text : { fault };
      },
      called: (_, { ok }) => {
        counted.tools += 1;
        counted.faulty += Number(!ok);
      },
    },
    { hasUser: true, stopToken: DEFAULT_STOP_TOKEN },
  );
  return { ending: outcome?.ending, score: reward.score, ...counted };
}

describe('a rollout of the bench', () => {
  it.each(CONTESTS.map(([what, one, models], index) => ({ what, one, models, index })))(
    'ends as it is counted on: $what',
    async ({ one, models, index }) => {
      expect(modelCalls(one)).toBe(models);
      const { tool_calls: tools } = one;
      const wanted = { ending: 'user_stop', score: 1, models, tools, faulty: 0 };
      expect(await played(index)).toEqual(wanted);
    },
  );

  it('is rewarded for the work alone', async () => {
    // Nothing to find: the oracle passes, and an agent that does nothing does not.
    const report = await checkBundle(bundle, ['count.0']);
    expect(report).toMatchObject({ findings: [], proven_solvable: 1 });
  });
});

describe('the figures of rollouts', () => {
  const two = contest({ rows: 2, rollouts_a_row: 3 });
  const figures: RolloutFigures = {
    status: 'done',
    rollouts: 6,
    mean_reward: 1,
    tool_calls: 24,
    tool_calls_failed: 0,
    wall_seconds: 1,
  };

  it('count where the work was done', () => {
    expect(() => assertRolledOut(figures, two)).not.toThrow();
  });

  it.each([
    { status: 'failed' as const },
    { rollouts: 5 },
    { mean_reward: 0.5 },
    { tool_calls: 23 },
    { tool_calls_failed: 1 },
  ])('do not count with %j', (wrong) => {
    expect(() => assertRolledOut({ ...figures, ...wrong }, two)).toThrow(/of 6 rollouts/);
  });
});
