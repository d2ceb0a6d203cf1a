import type { CallRecord, ToolCall, ToolDefinition } from '../../../contracts/language-model.js';
import { type ParsedReply, parseScaffoldReply, scaffoldOfFiles } from './reply.js';
import { MAIN_FILE, type ScaffoldFiles } from './types.js';

export const RUN_DRAFT = 'run_draft';
export const SUBMIT = 'submit_scaffold';

const FILES_SCHEMA: ToolDefinition['parameters'] = {
  type: 'object',
  properties: {
    files: {
      type: 'array',
      description: `Every file of the scaffold; ${MAIN_FILE} is one of them.`,
      items: {
        type: 'object',
        properties: {
          path: { type: 'string', description: `${MAIN_FILE}, or a relative path such as helpers.py` },
          content: { type: 'string', description: 'The whole text of the file.' },
        },
        required: ['path', 'content'],
      },
    },
  },
  required: ['files'],
};

/** Tools of a scaffolder that works turn by turn. */
export const DRAFT_TOOLS: ToolDefinition[] = [
  {
    name: RUN_DRAFT,
    description:
      'Runs a draft of the scaffold on training examples; answers with outputs, errors and scores.',
    parameters: FILES_SCHEMA,
  },
  {
    name: SUBMIT,
    description: 'Hands in the scaffold. Ends the work.',
    parameters: FILES_SCHEMA,
  },
];

/** Action that a scaffolder requests. `fault` is a sentence for it. */
export type DraftAction =
  | { kind: 'run' | 'submit'; files: ScaffoldFiles; warnings: string[] }
  | { kind: 'refused'; fault: string };

/**
 * Reads a turn's reply. The first tool call counts. A reply without one is a submission if it has a program in fenced
 * blocks, as models write that are not used to tools.
 */
export function draftAction({
  text,
  tool_calls = [],
  finish_reason,
}: Pick<CallRecord, 'text' | 'tool_calls'> & Partial<CallRecord>): DraftAction {
  const [call] = tool_calls;
  if (call === undefined) return actionOf('submit', parseScaffoldReply(text, finish_reason === 'stop'));
  if (call.name !== RUN_DRAFT && call.name !== SUBMIT) {
    return refused(`There is no tool ${JSON.stringify(call.name)}; use ${RUN_DRAFT} or ${SUBMIT}.`);
  }
  const files = filesOf(call);
  if (files === null) {
    return refused(
      `The arguments of ${call.name} are not of the form {"files": [{"path": "${MAIN_FILE}", "content": "…"}]}.`,
    );
  }
  return actionOf(call.name === SUBMIT ? 'submit' : 'run', scaffoldOfFiles(files));
}

function refused(fault: string): DraftAction {
  return { kind: 'refused', fault };
}

function actionOf(kind: 'run' | 'submit', parsed: ParsedReply): DraftAction {
  if (!parsed.ok) return refused(parsed.message);
  return { kind, files: parsed.files, warnings: parsed.warnings };
}

/**
 * Returns paths and contents; null where the arguments are no list of files. They may also be an object by path, or one
 * file. Some servers write lists and objects as JSON text once more; contents are texts, whatever is in them.
 */
function filesOf({ arguments: text }: ToolCall): [string, string][] | null {
  const files = parsed((parsed(parsed(text)) as { files?: unknown } | null)?.files);
  if (typeof files !== 'object' || files === null) return null;
  const list = Array.isArray(files) ? files : 'path' in files && 'content' in files ? [files] : null;
  const entries: unknown[][] =
    list === null
      ? Object.entries(files)
      : list.map((item) => {
          const file = parsed(item) as { path?: unknown; content?: unknown } | null;
          return [file?.path, file?.content];
        });
  const isFile = (entry: unknown[]): entry is [string, string] =>
    entry.every((part) => typeof part === 'string');
  return entries.length > 0 && entries.every(isFile) ? entries : null;
}

/** Returns what a text is the JSON of, null where it is none; another value as it is. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return null;
  }
}
