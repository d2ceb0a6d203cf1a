import { readFile } from 'node:fs/promises';
import { isAbsolute, join, normalize } from 'node:path';
import { describeIssues } from '../../../config/describe-issues.js';
import { closestWord } from '../../../config/errors.js';
import { utf8Fault } from '../../../storage/utf8-text.js';
import { loadToolset, type ModuleTrial, moduleMessage } from './bundle-modules.js';
import type { BundleRow } from './contracts.js';
import {
  fillInAllDates,
  fillInDates,
  fillInOracleDates,
  PlaceholderError,
  type TextKind,
} from './placeholders.js';
import { readTime, rowJsonSchema, rowSchema, type WrittenRow } from './row-schema.js';
import type { ToolRegistry } from './tool-registry.js';

/** A row, its place in the dataset, and its tools. */
export interface LoadedRow {
  row: BundleRow;
  /** Line of the dataset, from 1. */
  line: number;
  /** Name of the file that `seed_sql` names; null if the row contains the seed itself. */
  seedFile: string | null;
  registry: ToolRegistry;
  /** Path of the module that exports the registry. */
  toolsFile: string;
}

/** Function that records a fault of a field of the row. */
export type NoteFault = (field: string, message: string) => void;

const FROM_FILE = 'file:';

/** Loader of the rows of one dataset. Files and modules that several rows name are read once. */
export class RowLoader {
  private readonly seeds = new Map<string, Promise<Uint8Array>>();
  private readonly toolsets = new Map<string, ReturnType<typeof loadToolset>>();

  constructor(
    private readonly folder: string,
    private readonly now: string,
    private readonly trial?: ModuleTrial,
  ) {}

  async load(value: unknown, line: number, note: NoteFault): Promise<LoadedRow | null> {
    const read = rowSchema.safeParse(value);
    if (!read.success) {
      for (const { field, message } of describeIssues(read.error, value, rowJsonSchema)) {
        note(field, field === '' ? `a row ${message}` : message);
      }
      return null;
    }
    let faulty = false;
    const noteFault: NoteFault = (field, message) => {
      faulty = true;
      note(field, message);
    };
    const row = await this.complete(read.data, noteFault);
    const toolset = await this.toolset(row, noteFault);
    if (faulty || toolset === null) return null;
    const { seed_sql } = read.data;
    const seedFile = seed_sql.startsWith(FROM_FILE) ? seed_sql.slice(FROM_FILE.length) : null;
    return { row, line, seedFile, registry: toolset.registry, toolsFile: toolset.path };
  }

  /** Returns the row with its seed read and its dates filled in. */
  private async complete(written: WrittenRow, note: NoteFault): Promise<BundleRow> {
    const now = this.present(written, note);
    const filled = <Value>(field: string, value: Value, fill: (value: Value) => Value): Value => {
      try {
        return fill(value);
      } catch (error) {
        if (!(error instanceof PlaceholderError)) throw error;
        note(field, error.message);
        return value;
      }
    };
    const dated = <Value extends string | null>(field: string, value: Value, kind?: TextKind): Value =>
      filled(field, value, (text) => (text === null ? text : (fillInDates(text, now, kind) as Value)));
    if (!written.initial_messages.some(({ role }) => role === 'user') && written.sim_user_prompt === null) {
      note('initial_messages', 'there is no message of the user, and no sim_user_prompt to make one from');
    }
    if (written.initial_messages.at(-1)?.role === 'assistant' && written.sim_user_prompt === null) {
      note(
        'initial_messages',
        'nobody speaks after the last message, which is the assistant’s: end with one of the user, or give sim_user_prompt',
      );
    }
    if (written.stop_at_goal && written.end_goal_sql === null) {
      note('stop_at_goal', 'needs end_goal_sql, which says when the goal is reached');
    }
    return {
      ...written,
      now,
      seed_sql: dated('seed_sql', await this.seed(written.seed_sql, note), 'data'),
      end_goal_sql: dated('end_goal_sql', written.end_goal_sql),
      sim_user_prompt: dated('sim_user_prompt', written.sim_user_prompt),
      initial_messages: written.initial_messages.map((message, index) => {
        const field = `initial_messages[${index}]`;
        const { tool_calls } = message;
        return {
          ...message,
          content: dated(`${field}.content`, message.content, message.role === 'tool' ? 'data' : 'prompt'),
          ...(tool_calls && {
            tool_calls: tool_calls.map((call) => ({
              ...call,
              arguments: dated(`${field}.tool_calls`, call.arguments, 'data'),
            })),
          }),
        };
      }),
      metadata: filled('metadata', written.metadata, (value) => fillInAllDates(value, now)),
      oracle:
        written.oracle?.map((action, index) =>
          filled(`oracle[${index}]`, action, (value) => fillInOracleDates(value, now)),
        ) ?? null,
    };
  }

  private present({ now }: WrittenRow, note: NoteFault): string {
    if (now === undefined) return this.now;
    const time = readTime(now);
    if (time === null)
      note('now', `${JSON.stringify(now)} is no time; write 2026-03-02 or 2026-03-02T09:00:00Z`);
    return time ?? this.now;
  }

  private async seed(written: string, note: NoteFault): Promise<string> {
    if (!written.startsWith(FROM_FILE)) return written;
    const name = written.slice(FROM_FILE.length);
    const path = normalize(name);
    if (name === '' || isAbsolute(path) || path.startsWith('..')) {
      note('seed_sql', `${written} must name a file within the bundle, such as file:seed.sql`);
      return '';
    }
    let reading = this.seeds.get(path);
    if (reading === undefined) {
      reading = readFile(join(this.folder, path));
      this.seeds.set(path, reading);
    }
    try {
      const bytes = await reading;
      const fault = utf8Fault(bytes);
      if (fault === null) return new TextDecoder().decode(bytes);
      note('seed_sql', `${name} ${fault}`);
      return '';
    } catch (error) {
      if (!['ENOENT', 'EISDIR', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
      note('seed_sql', `there is no file ${name} in ${this.folder}`);
      return '';
    }
  }

  private async toolset(
    row: BundleRow,
    note: NoteFault,
  ): Promise<{ registry: ToolRegistry; path: string } | null> {
    let loading = this.toolsets.get(row.toolset);
    if (loading === undefined) {
      loading = loadToolset(row.toolset, this.folder, { trial: this.trial });
      this.toolsets.set(row.toolset, loading);
    }
    const toolset = await loading.catch((error: unknown) => {
      note('toolset', moduleMessage(error));
      return null;
    });
    if (toolset !== null) checkToolNames(row, toolset.registry, note);
    return toolset;
  }
}

/** Records names in a row that no tool has, and tools of the oracle that are not allowed. */
function checkToolNames(
  { tools_allowed, oracle, initial_messages }: BundleRow,
  registry: ToolRegistry,
  note: NoteFault,
): void {
  const names = registry.tools.map(({ name }) => name);
  const check = (field: string, name: string) => {
    if (registry.has(name)) return true;
    const guess = closestWord(name, names);
    const hint = guess === null ? `there are ${names.join(', ')}` : `did you mean '${guess}'?`;
    note(field, `${registry.name} has no tool '${name}'; ${hint}`);
    return false;
  };
  for (const [index, name] of (tools_allowed ?? []).entries()) check(`tools_allowed[${index}]`, name);
  for (const [index, { tool_calls = [] }] of initial_messages.entries()) {
    for (const { name } of tool_calls) check(`initial_messages[${index}].tool_calls`, name);
  }
  for (const [index, action] of (oracle ?? []).entries()) {
    if (!('tool' in action) || !check(`oracle[${index}].tool`, action.tool)) continue;
    if (tools_allowed !== null && !tools_allowed.includes(action.tool)) {
      note(`oracle[${index}].tool`, `'${action.tool}' is not in tools_allowed, so no agent could call it`);
    }
  }
}
