import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { ChatMessage } from '../../../../src/contracts/language-model.js';
import { runReward } from '../../../../src/kinds/agent-eval/bundles/judge.js';
import { type Bundle, loadBundle } from '../../../../src/kinds/agent-eval/bundles/load.js';
import type { LoadedRow } from '../../../../src/kinds/agent-eval/bundles/row-loader.js';
import { runToolCall } from '../../../../src/kinds/agent-eval/bundles/run-tool-call.js';
import { seedDatabase } from '../../../../src/kinds/agent-eval/bundles/seed-database.js';
import { Rollout, USER_ATTEMPTS } from '../../../../src/kinds/agent-eval/rollouts/rollout.js';
import {
  DEFAULT_STOP_TOKEN,
  readUserMessage,
  simulatedUserPrompt,
} from '../../../../src/kinds/agent-eval/rollouts/simulated-user.js';
import { userFault } from '../../../../src/kinds/agent-eval/rollouts/user-faults.js';
import { parseScript } from '../../../../src/language-models/script-file.js';
import { answerFromRules } from '../../../../src/language-models/scripted.js';

const config = parse(readFileSync('configs/agent_eval_flight.yaml', 'utf8'));
const stopToken = DEFAULT_STOP_TOKEN;

function scriptOf(model: string) {
  const path = resolve('configs', model.replace('scripted/', ''));
  const rules = parseScript(readFileSync(path, 'utf8'), path);
  return (purpose: 'agent' | 'user', messages: ChatMessage[], trial: number, ordinal: number) => {
    const call = { sample_id: 'x', trial, purpose, ordinal };
    return answerFromRules(rules, 'script', { messages, parameters: {}, call });
  };
}

const agent = scriptOf(config.models.agent);
const user = scriptOf(config.models.user);

let bundle: Bundle;
beforeAll(async () => {
  bundle = await loadBundle(resolve('configs', config.dataset), { now: new Date(config.now).toISOString() });
});

/** The reward of a row and how its rollout ended, as the scripts play it. */
async function play(id: string, rollout: number) {
  const { row, registry } = bundle.rows.find((one) => one.row.id === id) as LoadedRow;
  const seeded = await seedDatabase(row);
  const seed = seeded.serialize();
  seeded.close();
  let database = seed;
  const messages = [...row.initial_messages];
  const faults: string[] = [];
  let asked: { id: string; name: string; arguments: string }[] = [];
  const cost = { lm_calls: 1, usage: { input_tokens: 0, output_tokens: 0 }, cost_usd: 0 };
  const outcome = await new Rollout(
    { max_turns: row.max_turns, has_user: true, user_begins: false, stops_at_goal: false },
    {
      agent: async ({ agent_turns }) => {
        const { text, tool_calls = [] } = agent('agent', messages, rollout, agent_turns);
        asked = tool_calls;
        messages.push({ role: 'assistant', content: text, tool_calls });
        return { ...cost, tool_calls: tool_calls.length };
      },
      tool: async ({ at }, index) => {
        const call = asked[index] as (typeof asked)[number];
        const version = at.version + 1;
        const place = { row, seed: `${row.id}/${rollout}/${version}` };
        const { outcome: made, bytes } = await runToolCall(database, place, call, registry);
        database = bytes ?? database;
        if (!made.ok) faults.push(made.fault);
        messages.push({ role: 'tool', content: made.content, tool_call_id: call.id });
        return { at: { version, database: '' }, ok: made.ok, goal: null };
      },
      user: async ({ user_turns }) => {
        const part = row.sim_user_prompt ?? '';
        const prompt = simulatedUserPrompt(part, messages, { stopToken });
        const reply = user('user', prompt, rollout, user_turns * USER_ATTEMPTS);
        expect(userFault(reply, { part, messages, agentHasReplied: true, stopToken })).toBeNull();
        const { text, stops } = readUserMessage(reply.text, stopToken);
        messages.push({ role: 'user', content: text });
        return { ...cost, kind: stops ? 'stopped' : 'said' };
      },
    },
    { agent_turns: 0, user_turns: 0, user_faults: 0, at: { version: 0, database: '' } },
  ).run();
  const { score } = await runReward(bundle.reward, { row, messages, seed, database });
  return { score, ending: outcome?.ending, faults, user_turns: outcome?.place.user_turns };
}

describe('the shipped evaluation', () => {
  test.each([
    ['flight.cancel.001', [1, 1]],
    ['flight.cancel.002', [1, 1]],
    ['flight.cancel.003', [1, 0]],
    ['flight.cancel.004', [0, 0]],
    ['flight.cancel.005', [1, 1]],
    ['flight.cancel.006', [0, 0]],
    ['flight.change.001', [1, 1]],
    ['flight.change.002', [1, 1]],
    ['flight.change.003', [0, 0]],
    ['flight.book.001', [0, 0]],
    ['flight.book.007', [0, 0]],
  ])('%s is solved in its rollouts: %j', async (id, scores) => {
    const played = [await play(id, 0), await play(id, 1)];
    expect(played.map(({ score }) => score)).toEqual(scores);
    expect(played.map(({ ending }) => ending)).toEqual(['user_stop', 'user_stop']);
  });

  test('has a conversation of several messages, and a call that is refused and corrected', async () => {
    expect((await play('flight.cancel.001', 0)).user_turns).toBe(2);
    expect((await play('flight.change.001', 0)).faults).toEqual(['unknown_tool']);
  });
});
