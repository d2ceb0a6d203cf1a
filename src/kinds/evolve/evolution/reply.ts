import type { ChatMessage } from '../../../contracts/language-model.js';
import { saidIn } from '../../../replies/read-reply.js';
import { type FencedBlock, fencedBlocks, isPythonBlock } from './fenced-blocks.js';
import { isReservedFile, nameOfBlock, pathFault } from './file-names.js';
import { isWrapper, otherReadings } from './meant-fences.js';
import { addModules, withHelpers } from './missing-parts.js';
import { codeOf } from './python-source.js';
import { MAIN_FILE, type ScaffoldFiles } from './types.js';

/** Maximum files of one scaffold. */
export const MAX_FILES = 20;
/** Maximum characters of one file, and of all files together. */
export const LARGEST_FILE = 100_000;
const LARGEST_SCAFFOLD = 300_000;

type ReplyFault =
  | 'no_code_block'
  | 'unfinished_block'
  | 'no_main_file'
  | 'no_process_input'
  | 'unsafe_path'
  | 'too_large';

/** Scaffold, or fault with a sentence for the model that has to try again. */
export type ParsedReply =
  | { ok: true; files: ScaffoldFiles; warnings: string[] }
  | { ok: false; fault: ReplyFault; message: string };

interface NamedBlock {
  name: string | null;
  block: FencedBlock;
}

/**
 * Takes the files of a scaffold from a model's reply.
 *
 * - Every closed block that names its file is one (see {@link nameOfBlock}); the last of several with a name counts.
 * - The main file is the block named scaffold.py; without one, the last unnamed block with `def process_input`; without
 *   that, the last one that assigns or imports it. In both cases a Python block precedes one without a language, and a
 *   body precedes a mere interface. Other unnamed blocks are examples, unless the program lacks what they define.
 * - Thoughts of the model (see {@link saidIn}) are drafts and are not read.
 * - Where that finds no program, the fences are read as they were meant (see {@link otherReadings}).
 *
 * @param isWhole the reply ended by itself, and was not cut off
 */
export function parseScaffoldReply(reply: string, isWhole = false): ParsedReply {
  const text = saidIn(reply);
  const parsed = parseBlocks(text);
  if (parsed.ok || parsed.fault === 'unsafe_path' || parsed.fault === 'too_large') return parsed;
  for (const reading of otherReadings(text, isWhole)) {
    const other = parseBlocks(reading);
    if (other.ok) return other;
  }
  return parsed;
}

function parseBlocks(text: string): ParsedReply {
  const blocks = fencedBlocks(text).map((block) => ({ name: nameOfBlock(block), block }));
  const unfinished = blocks.find((one) => !one.block.closed && mayBeFile(one));
  if (unfinished !== undefined) {
    return failure('unfinished_block', 'The reply ended inside a code block: the closing fence is missing.');
  }
  const files = new Map<string, string>();
  const warnings: string[] = [];
  for (const { name, block } of blocks) {
    if (name === null || !block.closed) continue;
    const fault = takeFile(files, warnings, name, block.content);
    if (fault !== null) return fault;
  }
  const main = files.has(MAIN_FILE) ? undefined : unnamedMain(blocks);
  if (main !== undefined) files.set(MAIN_FILE, main.content);
  const source = files.get(MAIN_FILE);
  if (source === undefined) return withoutMain(blocks);
  const unnamed = blocks.flatMap(({ name, block }) => {
    if (name !== null || !block.closed || block === main) return [];
    return isWrapper(block) ? fencedBlocks(block.content) : [block];
  });
  const spare = unnamed.filter((block) => mayBePython(block) && !INTERFACE.test(codeOf(block.content)));
  files.set(MAIN_FILE, withHelpers(source, spare, warnings));
  addModules(files, spare);
  return checked(files, warnings);
}

/**
 * Returns the conversation that requests another try: the messages before, the reply, and what is wrong with it.
 * @param fault a sentence: from {@link parseScaffoldReply}, or from the compiler.
 */
export function retryMessages(messages: readonly ChatMessage[], reply: string, fault: string): ChatMessage[] {
  const request =
    `${fault}\n\nWrite the complete scaffold again. Put ${MAIN_FILE} in one fenced block that begins with ` +
    '```python and ends with ```, and every further file in a block of its own that names it, as in ```python file=helpers.py.';
  // Providers reject empty messages.
  const said = reply.trim() === '' ? '(empty)' : reply;
  return [...messages, { role: 'assistant', content: said }, { role: 'user', content: request }];
}

const mayBePython = (block: FencedBlock) => isPythonBlock(block) || block.language === '';
const mayBeFile = ({ name, block }: NamedBlock) => name !== null || isPythonBlock(block);

/** Definition at the top level. A coroutine does not count: nothing would await it. */
const DEFINITION = /^def\s+process_input\s*\(/m;

/**
 * Assignment or import of the function, in brackets or on one line with its continuation lines. Only 1000 characters
 * are searched: a text in which every line continues in the next would be searched again from each. An import from the
 * scaffold itself only shows its use.
 */
const OTHER_ENTRY_POINT =
  /^(?:process_input\s*=(?!=)|from\s+(?!\.*scaffold\b)\S+\s+import\b(?:\s*\([^()]*|(?:[^(\n]|\\\n){0,1000})\bprocess_input\b(?!\s+as\b))/m;

function definesEntryPoint(source: string): boolean {
  const code = codeOf(source);
  return DEFINITION.test(code) || OTHER_ENTRY_POINT.test(code);
}

/** Definition without a body, and nothing else: an interface. */
const INTERFACE =
  /^def\s+\w+\s*\([^()]*(?:\([^()]*\)[^()]*)*\)[^:\n]*:(?:\s|""|\.\.\.|\bpass\b|\braise\s+NotImplementedError\b(?:\(["]*\))?)*(?![\s\S])/;

/** Reports whether a block, where it defines `process_input` last, does so as an interface alone. */
function isInterface(code: string): boolean {
  const last = code.split(/^(?=def\s+process_input\s*\()/m).at(-1) as string;
  return INTERFACE.test(last.split(/\n(?=[^\s)"])/, 1)[0] as string) && !OTHER_ENTRY_POINT.test(code);
}

function unnamedMain(blocks: readonly NamedBlock[]): FencedBlock | undefined {
  const unnamed = blocks
    .filter(({ name, block }) => name === null && block.closed && !isWrapper(block))
    .map(({ block }) => ({ block, code: codeOf(block.content) }));
  for (const entryPoint of [DEFINITION, OTHER_ENTRY_POINT]) {
    const all = unnamed.filter(({ code }) => entryPoint.test(code));
    const programs = all.filter(({ code }) => !isInterface(code));
    const candidates = (programs.length > 0 ? programs : all).map(({ block }) => block);
    const main = candidates.findLast(isPythonBlock) ?? candidates.findLast(({ language }) => language === '');
    if (main !== undefined) return main;
  }
  return undefined;
}

function withoutMain(blocks: readonly NamedBlock[]): ParsedReply {
  const isCode = blocks.some(({ name, block }) => isPythonBlock(block) || name?.endsWith('.py'));
  if (!isCode) return failure('no_code_block', 'The reply has no fenced Python block.');
  const isUnnamed = blocks.some(({ name, block }) => name === null && isPythonBlock(block));
  return isUnnamed
    ? failure('no_process_input', 'No Python block defines process_input(input_string) at its top level.')
    : failure('no_main_file', `None of the files is ${MAIN_FILE}.`);
}

/** Builds the scaffold that named files make, such as those of a tool call. */
export function scaffoldOfFiles(given: Iterable<readonly [path: string, content: string]>): ParsedReply {
  const files = new Map<string, string>();
  const warnings: string[] = [];
  for (const [path, content] of given) {
    const fault = takeFile(files, warnings, path.replace(/^(?:\.\/)+/, ''), content);
    if (fault !== null) return fault;
  }
  return files.has(MAIN_FILE)
    ? checked(files, warnings)
    : failure('no_main_file', `None of the files is ${MAIN_FILE}.`);
}

/** Adds a file to `files`; returns a failure where its path is invalid. */
function takeFile(
  files: Map<string, string>,
  warnings: string[],
  path: string,
  content: string,
): ParsedReply | null {
  const fault = pathFault(path);
  if (fault !== null) return failure('unsafe_path', `The reply names a file that cannot be: ${fault}.`);
  if (isReservedFile(path)) warnings.push(`${path} is provided and was not taken from the reply`);
  else files.set(path, content);
  return null;
}

function checked(files: ReadonlyMap<string, string>, warnings: string[]): ParsedReply {
  const paths = [...files.keys()].sort();
  const folded = new Set(paths.map((path) => path.toLowerCase()));
  if (folded.size < paths.length) {
    return failure('unsafe_path', 'Two files have names that differ only in upper and lower case.');
  }
  if (!definesEntryPoint(files.get(MAIN_FILE) ?? '')) {
    return failure(
      'no_process_input',
      `${MAIN_FILE} does not define process_input(input_string) at its top level.`,
    );
  }
  if (paths.length > MAX_FILES) return failure('too_large', `A scaffold has at most ${MAX_FILES} files.`);
  const sizes = [...files.values()].map((content) => content.length);
  const largest = Math.max(...sizes);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (largest > LARGEST_FILE || total > LARGEST_SCAFFOLD) {
    return failure(
      'too_large',
      `A file has at most ${LARGEST_FILE} characters, and all files together ${LARGEST_SCAFFOLD}.`,
    );
  }
  const contents = paths.map((path) => [path, `${files.get(path)?.trimEnd()}\n`]);
  return { ok: true, files: Object.fromEntries(contents), warnings };
}

function failure(fault: ReplyFault, message: string): ParsedReply {
  return { ok: false, fault, message };
}
