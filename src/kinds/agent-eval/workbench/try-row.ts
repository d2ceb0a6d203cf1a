import { fileURLToPath } from 'node:url';
import type { Json, JsonObject } from '../../../contracts/json.js';
import type { ChatMessage } from '../../../contracts/language-model.js';
import type { BundleRow } from '../bundles/contracts.js';
import { runReward } from '../bundles/judge.js';
import { loadBundle } from '../bundles/load.js';
import type { RewardOutput } from '../bundles/reward.js';
import { readTime } from '../bundles/row-schema.js';
import { runToolCall } from '../bundles/run-tool-call.js';
import { seededBytes } from './seeded-bytes.js';

/** A row of a bundle in a test, which calls its tools and has its reward judge the resulting database. */
export interface TriedRow {
  row: BundleRow;
  /** Calls a tool, as a model would. @throws Error with the text that the model would read */
  call(tool: string, given?: JsonObject): Promise<Json>;
  /** Adds a message of the agent, or of the user. */
  say(content: string, role?: 'assistant' | 'user'): void;
  /** @throws RewardError */
  judge(): Promise<RewardOutput>;
}

/**
 * Begins a row, for a test of the bundle's tools and its reward.
 * @param bundle its folder; `new URL('.', import.meta.url)` in a test in that folder
 * @param now present time of a row that names none
 * @throws BundleError if the bundle cannot be loaded, TypeError if it has no such row.
 */
export async function tryRow(
  bundle: string | URL,
  id: string,
  { now = new Date().toISOString() }: { now?: string } = {},
): Promise<TriedRow> {
  const time = readTime(now);
  if (time === null) throw new TypeError(`now: ${now} is no time; write 2026-03-02 or 2026-03-02T09:00:00Z`);
  const { rows, reward } = await loadBundle(typeof bundle === 'string' ? bundle : fileURLToPath(bundle), {
    now: time,
  });
  const loaded = rows.find(({ row }) => row.id === id);
  if (loaded === undefined) {
    throw new TypeError(`there is no row ${id}; there are ${rows.map(({ row }) => row.id).join(', ')}`);
  }
  const { row, registry } = loaded;
  const seed = await seededBytes(row);
  const messages: ChatMessage[] = [...row.initial_messages];
  let database = seed;
  let calls = 0;
  return {
    row,
    say: (content, role = 'assistant') => void messages.push({ role, content }),
    call: async (name, given = {}) => {
      const call = { name, arguments: JSON.stringify(given) };
      const id = `call-${calls}`;
      const place = { row, seed: `${row.id}/test/${calls}` };
      calls += 1;
      const options = { allowed: row.tools_allowed };
      const { outcome, bytes } = await runToolCall(database, place, call, registry, options);
      database = bytes ?? database;
      messages.push(
        { role: 'assistant', content: '', tool_calls: [{ id, ...call }] },
        { role: 'tool', content: outcome.content, tool_call_id: id },
      );
      if (!outcome.ok) throw new Error(outcome.message);
      return outcome.value;
    },
    judge: () => runReward(reward, { row, messages, seed, database }),
  };
}
