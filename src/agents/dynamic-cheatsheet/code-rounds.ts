import type { ExecutionResult } from '../../contracts/execution.js';

const CODE_FLAG = 'EXECUTE CODE!';

export interface RequestedCode {
  code: string;
  /** Reply up to and including the flag; the model invents whatever it writes after the flag. */
  upToFlag: string;
}

const FENCE = '```';
const PYTHON_FENCE = /```[ \t]*(?:python3?|py)[ \t]*\r?\n/gi;
/** Closing fence at the start of a line. A fence within a line is part of the program. */
const CLOSING = /^[ \t]*```/m;
/** Marks of emphasis, a heading or inline code that a line begins with, before the flag: `**EXECUTE CODE!**`. */
const MARKS = /^[ \t*_#>]*`?$/;

/**
 * Returns the program that a reply asks to run: the Python block that ends right before the first `EXECUTE CODE!` that
 * follows one (protocol of Suzgun et al., 2025). Null if there is none.
 */
export function requestedCode(reply: string): RequestedCode | null {
  let searched = 0;
  for (let at = reply.indexOf(CODE_FLAG); at >= 0; at = reply.indexOf(CODE_FLAG, at + 1)) {
    const before = withoutMarks(reply.slice(searched, at)).trimEnd();
    if (!before.endsWith(FENCE)) continue;
    const code = lastBlock(withoutFence(before));
    if (code !== null) return { code, upToFlag: reply.slice(0, at + CODE_FLAG.length) };
    searched = at;
  }
  return null;
}

/** Removes the last line where it holds nothing but marks. */
function withoutMarks(text: string): string {
  const line = text.lastIndexOf('\n') + 1;
  return MARKS.test(text.slice(line)) ? text.slice(0, line) : text;
}

/** Removes a closing fence of three or more backticks. */
function withoutFence(text: string): string {
  let end = text.length;
  while (text[end - 1] === '`') end -= 1;
  return text.slice(0, end);
}

/** Returns the content of the Python block that ends a text; null if there is none. */
function lastBlock(text: string): string | null {
  const openings = [...text.matchAll(PYTHON_FENCE)];
  const last = openings.at(-1);
  if (last === undefined) return null;
  const code = text.slice(last.index + last[0].length);
  return CLOSING.test(code) || code.trim() === '' ? null : code;
}

const OUTPUT_SHOWN = 6000;

/** Leaves out the middle of a long output: its ends are the most informative. */
function shorten(text: string): string {
  if (text.length <= OUTPUT_SHOWN) return text;
  const half = OUTPUT_SHOWN / 2;
  // Halves of surrogate pairs are removed: some providers refuse a prompt with one.
  const [start, end] = [text.slice(0, half), text.slice(-half)].map((part) => part.replace(/\p{Cs}/gu, ''));
  return `${start}\n[… ${text.length - OUTPUT_SHOWN} characters …]\n${end}`;
}

// Providers may refuse control characters, and terminals act on them.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

const ENDS: Record<ExecutionResult['status'], string> = {
  ok: '',
  error: 'The program failed.',
  timeout: 'The program was stopped: it took too long.',
  out_of_memory: 'The program was stopped: it used too much memory.',
  output_limit: 'The program was stopped: it wrote too much.',
};

/** Formats the result of a program for the model. */
export function shownResult({ status, stdout, stderr }: ExecutionResult): string {
  const clean = (text: string) => shorten(text.replace(/\r\n/g, '\n').replace(CONTROL, '\ufffd').trimEnd());
  const parts = [clean(stdout), ENDS[status], status === 'ok' ? '' : clean(stderr)];
  const said = parts.filter((part) => part !== '').join('\n');
  return said === '' ? '(no output)' : said;
}

/** Formats the output of a round for the conversation and the action. */
export function outputBlock(result: ExecutionResult): string {
  const text = shownResult(result);
  // A fence longer than any in the output, which cannot close it.
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return `Output of the Python code above:\n${fence}\n${text}\n${fence}`;
}

export const GO_ON =
  'Continue from here. You may run another program in the same way, or give the final answer in the form asked for.';
export const LAST_ROUND =
  'Continue from here. No more code can be run now: give the final answer in the form asked for.';
