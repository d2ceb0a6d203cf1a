import type { ExecutionResult } from '../../contracts/execution.js';

const CODE_FLAG = 'EXECUTE CODE!';

/** A program that a reply asks to be run. */
export interface RequestedCode {
  code: string;
  /** The reply up to and with the flag; what a model writes after it is made up. */
  upToFlag: string;
}

const FENCE = '```';
const PYTHON_FENCE = /```[ \t]*(?:python3?|py)[ \t]*\r?\n/gi;
/** A fence in a line's middle closes nothing: it stands in a text of the program. */
const CLOSING = /^[ \t]*```/m;

/**
 * The program of a reply that holds the flag right after a fenced block: the last Python block before it. The first
 * flag of that kind counts (protocol of Suzgun et al., 2025). Null where none is asked for.
 */
export function requestedCode(reply: string): RequestedCode | null {
  let searched = 0;
  for (let at = reply.indexOf(CODE_FLAG); at >= 0; at = reply.indexOf(CODE_FLAG, at + 1)) {
    const before = reply.slice(searched, at).trimEnd();
    if (!before.endsWith(FENCE)) continue;
    const code = lastBlock(withoutFence(before));
    if (code !== null) return { code, upToFlag: reply.slice(0, at + CODE_FLAG.length) };
    searched = at;
  }
  return null;
}

/** A fence may have more than three backticks. */
function withoutFence(text: string): string {
  let end = text.length;
  while (text[end - 1] === '`') end -= 1;
  return text.slice(0, end);
}

/** The content of the Python block that reaches to the end of a text. */
function lastBlock(text: string): string | null {
  const openings = [...text.matchAll(PYTHON_FENCE)];
  const last = openings.at(-1);
  if (last === undefined) return null;
  const code = text.slice(last.index + last[0].length);
  return CLOSING.test(code) || code.trim() === '' ? null : code;
}

const OUTPUT_SHOWN = 6000;

/** The middle of a long output is left out; its ends say most. */
function shorten(text: string): string {
  if (text.length <= OUTPUT_SHOWN) return text;
  const half = OUTPUT_SHOWN / 2;
  // A character that is cut in half is no text: some providers refuse a prompt that holds one.
  const [start, end] = [text.slice(0, half), text.slice(-half)].map((part) => part.replace(/\p{Cs}/gu, ''));
  return `${start}\n[… ${text.length - OUTPUT_SHOWN} characters …]\n${end}`;
}

// A provider may refuse control characters, and a terminal obeys them.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

const ENDS: Record<ExecutionResult['status'], string> = {
  ok: '',
  error: 'The program failed.',
  timeout: 'The program was stopped: it took too long.',
  out_of_memory: 'The program was stopped: it used too much memory.',
  output_limit: 'The program was stopped: it wrote too much.',
};

/** What the model is shown of a program's end. */
export function shownResult({ status, stdout, stderr }: ExecutionResult): string {
  const clean = (text: string) => shorten(text.replace(/\r\n/g, '\n').replace(CONTROL, '\ufffd').trimEnd());
  const parts = [clean(stdout), ENDS[status], status === 'ok' ? '' : clean(stderr)];
  const said = parts.filter((part) => part !== '').join('\n');
  return said === '' ? '(no output)' : said;
}

/** The end of a round, as it stands in the conversation and in the action. */
export function outputBlock(result: ExecutionResult): string {
  const text = shownResult(result);
  // A fence of its own that no output can close.
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return `Output of the Python code above:\n${fence}\n${text}\n${fence}`;
}

export const GO_ON =
  'Go on from here. You may run another program in the same way, or give the final answer in the form asked for.';
export const LAST_ROUND =
  'Go on from here. No more code can be run now: give the final answer in the form asked for.';
