import type { Json } from '../../../contracts/json.js';
import type { ChatMessage } from '../../../contracts/language-model.js';
import type { BundleRow, OracleAction } from './contracts.js';
import { fillInResults, PlaceholderError } from './placeholders.js';
import { runToolCall } from './run-tool-call.js';
import type { ToolRegistry } from './tool-registry.js';

/** Error of an oracle's action. */
export class OracleError extends Error {
  override readonly name = 'OracleError';
  constructor(
    message: string,
    /** Index of the action, from 0. */
    readonly action: number,
  ) {
    super(message);
  }
}

export interface OracleEnd {
  messages: ChatMessage[];
  database: Uint8Array;
  /** Tables that its tool calls wrote. */
  written: Set<string>;
}

const CALL_MS = 10_000;

/**
 * Performs the actions, one reply each, without a model or a user.
 * @throws OracleError for the first action that fails; infrastructure errors.
 */
export async function runOracle(
  row: BundleRow,
  actions: readonly OracleAction[],
  registry: ToolRegistry,
  seeded: Uint8Array,
): Promise<OracleEnd> {
  const end: OracleEnd = { messages: [...row.initial_messages], database: seeded, written: new Set() };
  const results: (Json | undefined)[] = [];
  for (const [index, action] of actions.entries()) {
    results.push(await act(index, filled(action, index, results), row, registry, end));
  }
  return end;
}

function filled(action: OracleAction, index: number, results: readonly (Json | undefined)[]): OracleAction {
  try {
    return fillInResults(action, results);
  } catch (error) {
    if (!(error instanceof PlaceholderError)) throw error;
    throw new OracleError(error.message, index);
  }
}

async function act(
  index: number,
  action: OracleAction,
  row: BundleRow,
  registry: ToolRegistry,
  end: OracleEnd,
): Promise<Json | undefined> {
  if ('say' in action) {
    end.messages.push({ role: 'assistant', content: action.say });
    return undefined;
  }
  const call = { name: action.tool, arguments: JSON.stringify(action.arguments) };
  const place = { row, seed: `${row.id}/oracle/${index}` };
  const options = { allowed: row.tools_allowed, timeoutMs: CALL_MS };
  const { outcome, bytes, written } = await runToolCall(end.database, place, call, registry, options);
  if (!outcome.ok) throw new OracleError(`${action.tool} failed: ${outcome.message}`, index);
  const id = `oracle-${index}`;
  end.messages.push(
    { role: 'assistant', content: '', tool_calls: [{ id, ...call }] },
    { role: 'tool', content: outcome.content, tool_call_id: id },
  );
  end.database = bytes ?? end.database;
  for (const table of written) end.written.add(table);
  return outcome.value;
}
