import type { GenerateReply, LanguageModel } from '../contracts/language-model.js';
import { readChannels } from './channels.js';
import { MARKS, WRAPPERS } from './marks.js';

/** A reply's text, taken apart. */
export interface ReadText {
  /** What the model says: its answer, its message, its program. */
  said: string;
  /** What it thought before; empty where it marked nothing as such. */
  thought: string;
}

/**
 * Tells what of a text is said and what is thought.
 *
 * - What stands between the marks of {@link MARKS}, or in a channel other than the final one, is thought.
 * - A closing mark alone ends thoughts whose opening mark the server has eaten: all before it is thought.
 * - Thoughts that are never closed go to the end: nothing is said after them.
 * - Marks in a fenced program, in backticks or between quotation marks are text, and so are those that a sentence
 *   mentions ("the <think> tag").
 *
 * A text without marks is returned as it is. Takes linear time.
 */
export function readText(text: string): ReadText {
  const channels = readChannels(text);
  if (channels !== null) {
    const inner = readMarks(channels.said);
    return { said: inner.said, thought: joined([channels.thought, inner.thought]) };
  }
  return readMarks(text);
}

/** The text that is said, for whoever reads a reply and has no use for its thoughts. */
export const saidIn = (text: string): string => readText(text).said;

/** A reply whose thoughts are apart from its text, whichever way they came. */
export function readReply(reply: GenerateReply): GenerateReply {
  const { said, thought } = readText(reply.text);
  if (said === reply.text) return reply;
  return {
    ...reply,
    text: said,
    ...(said.trim() === '' && reply.tool_calls === undefined ? { only_thought: true as const } : {}),
    reasoning: joined([reply.reasoning ?? '', thought]),
  };
}

/** A model of whose replies everybody reads what is said. Nobody else may be handed an adapter's reply. */
export function readingReplies(model: LanguageModel): LanguageModel {
  return { generate: async (request, options) => readReply(await model.generate(request, options)) };
}

const joined = (texts: string[]) => texts.filter((text) => text.trim() !== '').join('\n\n');

/** Fences, opening marks and closing marks, in the order of the text. */
const TOKENS = new RegExp(
  String.raw`^[ \t]*(?<fence>\`{3,}|~{3,})(?<info>[^\n<◁[]*)|` +
    MARKS.map(({ name, open, close }) => `(?<${name}Open>${open})|(?<${name}Close>${close})`).join('|'),
  'gim',
);
const PAIRED = new Set(MARKS.filter(({ isPaired }) => isPaired).map(({ name }) => name));
const HAS_MARK = new RegExp(MARKS.flatMap(({ open, close }) => [open, close]).join('|'), 'i');

interface Token {
  start: number;
  end: number;
  /** The mark's name; of a fence what it is written with. */
  of: string;
  kind: 'open' | 'close' | 'fence';
  /** Of a fence: words after it, which a closing fence has not. */
  info: string;
}

function tokensOf(text: string): Token[] {
  return [...text.matchAll(TOKENS)].map((match): Token => {
    const { fence, info = '', ...marks } = match.groups ?? {};
    const [start, end] = [match.index, match.index + match[0].length];
    if (fence !== undefined) return { start, end, of: fence, kind: 'fence', info: info.trim() };
    const [group = ''] = Object.entries(marks).find(([, found]) => found !== undefined) ?? [];
    const kind = group.endsWith('Open') ? 'open' : 'close';
    return { start, end, of: group.replace(/Open$|Close$/, ''), kind, info: '' };
  });
}

/** So many closing marks inside of a fence are looked at closely; each look takes linear time. */
const MOST_LOOKS = 20;

function readMarks(text: string): ReadText {
  if (!HAS_MARK.test(text)) return { said: text.replace(WRAPPERS, ''), thought: '' };
  const tokens = tokensOf(text);
  const closings = closingsOf(text, tokens);
  let said: string[] = [];
  const thought: string[] = [];
  /** Where what is said goes on. */
  let from = 0;
  /** The fence that is open, and how many marks have opened within it. */
  let fence: Token | null = null;
  let openedInFence = 0;
  let looks = 0;
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] as Token;
    if (token.kind === 'fence') {
      if (fence === null) {
        if (opensFence(token)) [fence, openedInFence] = [token, 0];
      } else if (closesFence(fence, token)) fence = null;
      continue;
    }
    if (isQuoted(text, token) || isMentioned(text, token)) continue;
    if (token.kind === 'open') {
      if (fence !== null) {
        openedInFence += 1;
        continue;
      }
      const closing = closings[index] ?? tokens.length;
      const close = tokens[closing];
      said.push(text.slice(from, token.start));
      thought.push(text.slice(token.end, close?.start));
      from = close?.end ?? text.length;
      index = closing;
      continue;
    }
    if (fence !== null) {
      if (openedInFence > 0) {
        openedInFence -= 1;
        continue;
      }
      looks += 1;
      if (looks > MOST_LOOKS || !isDraft(tokens, index, fence)) continue;
    }
    if (PAIRED.has(token.of)) continue;
    // Its opening mark was eaten: all that seemed to be said was thought. At the very end of an answer it is a slip.
    const isSlip = thought.length > 0 && text.slice(token.end).trim() === '';
    if (isSlip) said.push(text.slice(from, token.start));
    else {
      thought.push(...said.splice(0), text.slice(from, token.start));
      said = [];
    }
    from = token.end;
    fence = null;
  }
  said.push(text.slice(from));
  if (thought.length === 0 && said.length === 1) return { said: text.replace(WRAPPERS, ''), thought: '' };
  return {
    said: glued(said).replace(WRAPPERS, '').trim(),
    thought: joined(thought.map((one) => one.trim())),
  };
}

/** A backtick in the info string makes it inline code, as in ```x```. */
const opensFence = ({ of, info }: Token) => !(of.startsWith('`') && info.includes('`'));

const closesFence = (open: Token, { of, info }: Token) => info === '' && of.startsWith(open.of);

/** For each opening mark the index of what closes it: the next mark of its kind, else of another; null where none comes. */
function closingsOf(text: string, tokens: readonly Token[]): (number | null)[] {
  const next: { [kind: string]: number } = {};
  let any: number | null = null;
  return tokens
    .map((token, index) => ({ token, index }))
    .reverse()
    .map(({ token, index }) => {
      if (token.kind === 'close' && !isQuoted(text, token)) {
        next[token.of] = index;
        any = index;
      }
      return token.kind === 'open' ? (next[token.of] ?? any) : null;
    })
    .reverse();
}

/**
 * Whether a closing mark within a fence ends thoughts that hold the beginning of a program only: then what follows it
 * has fences of its own. In a program that mentions the mark, the next fence is the one that closes it.
 */
function isDraft(tokens: readonly Token[], mark: number, open: Token): boolean {
  const fences = tokens.slice(mark + 1).filter(({ kind }) => kind === 'fence');
  const next = fences[0];
  if (next === undefined) return true;
  if (!closesFence(open, next)) return true;
  return isBalanced(fences) && !isBalanced([open, ...fences]);
}

function isBalanced(fences: readonly Token[]): boolean {
  let open: Token | null = null;
  for (const token of fences) {
    if (open === null) open = opensFence(token) ? token : null;
    else if (closesFence(open, token)) open = null;
  }
  return open === null;
}

const QUOTES = '"\'`“”„‘’«»「」『』';

/** Between quotation marks or backticks: `"</think>"`, `'<think>'`; or in a line's inline code. */
function isQuoted(text: string, { start, end }: Token): boolean {
  const [before = '', after = ''] = [text[start - 1], text[end]];
  if (before !== '' && after !== '' && QUOTES.includes(before) && QUOTES.includes(after)) return true;
  const line =
    text
      .slice(Math.max(0, start - LONGEST_CODE), start)
      .split('\n')
      .at(-1) ?? '';
  const rest = text.slice(end, end + LONGEST_CODE).split('\n', 1)[0] ?? '';
  return (line.split('`').length - 1) % 2 === 1 && rest.includes('`');
}

/** Inline code is not longer than this, on either side of a mark. */
const LONGEST_CODE = 200;

const BEFORE_MENTION =
  /\b(?:the|an?|your|my|its|of|in|inside|within|between|with|without|using|use|by|literal|and|or) $/i;

/** A sentence speaks of the mark: "the <think> tag", "between <think> and </think>". */
function isMentioned(text: string, { start, end }: Token): boolean {
  const after = text.slice(end, end + 20);
  if (/^ ?(?:tags?|blocks?|tokens?|marks?|markers?|elements?|sections?)\b/i.test(after)) return true;
  return BEFORE_MENTION.test(text.slice(Math.max(0, start - 12), start)) && /^(?: [a-z]|[.,;:)])/.test(after);
}

/** Pieces of what is said, with a line break where thoughts alone kept two words apart. */
function glued(pieces: readonly string[]): string {
  return pieces.reduce((all, piece) => {
    const isTight = /\S$/.test(all) && /^\S/.test(piece);
    return isTight ? `${all}\n${piece}` : all + piece;
  }, '');
}
