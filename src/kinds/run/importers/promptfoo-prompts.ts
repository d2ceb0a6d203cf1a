import { existsSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import { asValues, parseYaml } from '../../../config/yaml-text.js';
import { isMapping } from '../../../contracts/json.js';
import type { ImportNotes } from './notes.js';
import { filesAt, namesFile, pathOf, rowsAt, textAt } from './promptfoo-files.js';
import { rendered } from './promptfoo-templates.js';

interface Message {
  role: string;
  content: string;
}

/** A prompt: a template, or the templates of a conversation. */
export type Prompt = { text: string } | { messages: Message[] };

/** Patterns of a prompt that is the path of a file, or of several. */
const OF_FILES = [
  /^(?!\w+:)[^\s{]+\.(?:txt|jsonl?|ya?ml|md|j2|csv|[cm]?[jt]s|py)(?::\w+)?$/i,
  /^(?=[^\s{]*\*)[^\s{]+\.[a-z][a-z\d]{1,3}$/i,
  /^[^\s{*]+\/\*$/,
];

/** Reads the prompts of a config. */
export async function readPrompts(
  config: Record<string, unknown>,
  folder: string,
  notes: ImportNotes,
): Promise<Prompt[]> {
  const written = config.prompts ?? '{{prompt}}';
  // An older form: labels by file.
  const entries = isMapping(written) ? Object.keys(written) : [written].flat();
  const texts: string[] = [];
  for (const entry of entries) {
    const one = isMapping(entry) ? (entry.raw ?? entry.id) : entry;
    if (typeof one !== 'string') notes.add('A prompt that is code is not carried over');
    else texts.push(...(await textsOf(one, folder, notes)));
  }
  return texts.map((text) => conversation(text, notes) ?? { text });
}

async function textsOf(entry: string, folder: string, notes: ImportNotes): Promise<string[]> {
  const isFile =
    namesFile(entry) ||
    OF_FILES.some((pattern) => pattern.test(entry)) ||
    (!/[\n{]/.test(entry) && isExistingFile(pathOf(entry, folder)));
  if (!isFile) {
    if (!/^(?:exec|langfuse|portkey|helicone|package):/.test(entry)) return [entry];
    notes.add(`The prompt ${entry} is not carried over: it is made by a program`);
    return [];
  }
  const texts: string[] = [];
  for (const path of filesAt(pathOf(entry, folder))) {
    const ending = extname(path).toLowerCase();
    if (ending === '.csv') {
      const rows = ((await rowsAt(path)) ?? []).map(({ prompt }) => String(prompt ?? '').trim());
      if (rows.every((text) => text === ''))
        notes.add(`The prompts in ${entry} are not carried over: the table has no column prompt`);
      texts.push(...rows.filter((text) => text !== ''));
    } else if (ending === '.jsonl')
      texts.push(
        ...textAt(path)
          .split('\n')
          .filter((line) => line.trim() !== ''),
      );
    else if (['.json', '.yaml', '.yml', '.md', '.j2'].includes(ending)) texts.push(textAt(path));
    else if (ending === '.txt')
      texts.push(
        ...textAt(path)
          .split(/^---\s*$/m)
          .map((text) => text.trim())
          .filter((text) => text !== ''),
      );
    else notes.add(`The prompt ${entry} is not carried over: it is code`);
  }
  return texts;
}

function isExistingFile(path: string): boolean {
  return path.length < 4096 && existsSync(path) && statSync(path).isFile();
}

/** Returns the messages of a prompt that is a conversation in JSON or YAML; null: it is a text. */
function conversation(text: string, notes: ImportNotes): { messages: Message[] } | null {
  if (!/^\s*(?:\[|- )/.test(text)) return null;
  let value: unknown;
  try {
    value = asValues(parseYaml(text));
  } catch {
    return null;
  }
  const isChat =
    Array.isArray(value) && value.length > 0 && value.every((one) => isMapping(one) && 'role' in one);
  if (!isChat) return null;
  return {
    messages: (value as Record<string, unknown>[]).map(({ role, content }) => ({
      role: role === 'developer' ? 'system' : String(role),
      content: contentOf(content, notes),
    })),
  };
}

function contentOf(content: unknown, notes: ImportNotes): string {
  if (!Array.isArray(content)) return String(content ?? '');
  return content
    .flatMap((part) => {
      if (isMapping(part) && typeof part.text === 'string') return [part.text];
      notes.add('A part of a message that is no text, such as an image, is not carried over');
      return [];
    })
    .join('\n');
}

/** Fills a test's variables into a prompt; of a conversation, the text is JSON. Null where a template cannot be filled. */
export function filledPrompt(
  prompt: Prompt,
  { vars, prefix, suffix }: { vars: Record<string, unknown>; prefix: string; suffix: string },
): string | null {
  if ('text' in prompt) {
    const text = rendered(prompt.text, vars);
    return text === null ? null : prefix + text + suffix;
  }
  const messages = prompt.messages.map(({ role, content }) => ({ role, content: rendered(content, vars) }));
  return messages.some(({ content }) => content === null) ? null : prefix + JSON.stringify(messages) + suffix;
}
