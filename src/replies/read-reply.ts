import type { GenerateParameters, GenerateReply, LanguageModel } from '../contracts/language-model.js';
import { readChannels } from './channels.js';
import { END_OF_TURN, MARKS, NEXT_TURN, TURN_HEAD, TURN_START, WRAPPERS } from './marks.js';

/** Text of a reply, split into said text and thoughts. */
export interface ReadText {
  /** Said text: an answer, a message, a program. */
  said: string;
  /** Thoughts before it; empty if none were marked. */
  thought: string;
}

/**
 * Splits a text into said text and thoughts.
 *
 * - Text between the marks of {@link MARKS}, or in a channel other than the final one, is thought.
 * - A closing mark without an opening one, which some servers remove, makes all text before it a thought.
 * - Thoughts without a closing mark reach to the end: nothing is said after them.
 * - Marks in a fenced program, in backticks or between quotation marks are text, and so are those that a sentence
 *   mentions ("the <think> tag").
 *
 * A text without marks is returned unchanged, but for tokens that begin or end a model's turn and for what follows its
 * end. Takes linear time.
 */
export function readText(written: string): ReadText {
  const text = withoutEndOfTurn(written);
  const channels = readChannels(text);
  const { said, thought } = readMarks(channels?.said ?? text);
  return { said: ownTurn(said), thought: channels ? joined([channels.thought, thought]) : thought };
}

/** Maximum of heads before a text, and of ends of a turn in it, that are examined; each takes linear time. */
const MAX_HEADS = 5;
const MAX_ENDS = 20;

/**
 * Returns the model's own turn in what is said: without the head before it, and without the turns that a server let it
 * write after its end. Tokens that the text mentions, quotes, or shows in a fence or after another head stay.
 */
function ownTurn(said: string): string {
  let text = said;
  for (let heads = 0; heads < MAX_HEADS; heads++) {
    const [head = ''] = TURN_START.exec(text) ?? [];
    const rest = text.slice(head.length);
    // `<s>old</s> new` is struck out.
    if (head === '' || rest.trim() === '' || (/<s>$/i.test(head) && rest.includes('</s>'))) break;
    text = rest.trimStart();
  }
  const ends = [...text.matchAll(NEXT_TURN)].slice(0, MAX_ENDS);
  const end = ends.find((match) => {
    const place = { start: match.index, end: match.index + match[0].trimEnd().length };
    const before = text.slice(0, place.start);
    const isShown = before.split('`').length % 2 === 0 || TURN_HEAD.test(before) || isQuoted(text, place);
    return before.trim() !== '' && !isShown;
  });
  return end ? withoutEndOfTurn(text.slice(0, end.index)) : text;
}

/** Removes the tokens at the end that end a turn, `Oslo<|im_end|>`; a text that is nothing else keeps them. */
function withoutEndOfTurn(written: string): string {
  let text = written;
  for (;;) {
    const end = text.trimEnd();
    const [token = ''] = END_OF_TURN.exec(end.slice(-LONGEST_TOKEN)) ?? [];
    if (token === '') return text.trim() === '' ? written : text;
    text = end.slice(0, -token.length);
  }
}

const LONGEST_TOKEN = 40;

/** Returns the said text of a reply. */
export const saidIn = (text: string): string => readText(text).said;

/** Moves thoughts from a reply's text to its `reasoning`. */
export function readReply(reply: GenerateReply): GenerateReply {
  const { said, thought } = readText(reply.text);
  if (said === reply.text) return reply;
  return {
    ...reply,
    text: said,
    ...(said.trim() === '' && reply.tool_calls === undefined ? { only_thought: true as const } : {}),
    ...(thought === '' ? {} : { reasoning: joined([reply.reasoning ?? '', thought]) }),
    ...(thought === '' || reply.tool_calls === undefined ? {} : asWritten(reply)),
  };
}

/** Reads a reply, and marks one whose thoughts a text of `stop` ended: then the model has not ended it itself. */
function readStopped(written: GenerateReply, { stop = [] }: GenerateParameters): GenerateReply {
  const reply = readReply(written);
  const { reasoning = '', tool_calls, finish_reason } = reply;
  if (stop.length === 0 || finish_reason !== 'stop' || reasoning === '' || tool_calls) return reply;
  // Behind closed thoughts a further word would be said.
  if (written.text.trim() !== '' && saidIn(`${written.text}.`) !== '') return reply;
  const { only_thought: _thought, ...missing } = reply;
  return { ...missing, stopped_in_thought: true };
}

/** Returns a reply's text with its thoughts, for the model itself; no marks of channels or turns, which templates refuse. */
function asWritten({ text, as_given }: GenerateReply): Pick<GenerateReply, 'as_given'> {
  const written = withoutEndOfTurn(text);
  const isOwn = readChannels(written) === null && ownTurn(written) === written;
  return isOwn ? { as_given: { ...as_given, text: written } } : {};
}

/** Wraps a model so that the text of its replies is said text only. All users of an adapter need this wrapper. */
export function readingReplies(model: LanguageModel): LanguageModel {
  return {
    generate: async (request, options) =>
      readStopped(await model.generate(request, options), request.parameters),
  };
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

interface Place {
  start: number;
  end: number;
}

interface Token extends Place {
  /** Name of the mark, or characters of the fence. */
  of: string;
  kind: 'open' | 'close' | 'fence';
  /** Words after a fence; empty for a closing fence. */
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

/** Maximum of closing marks within fences that are examined; each takes linear time. */
const MAX_LOOKS = 20;

function readMarks(text: string): ReadText {
  if (!HAS_MARK.test(text)) return { said: text.replace(WRAPPERS, ''), thought: '' };
  const tokens = tokensOf(text);
  const closings = closingsOf(text, tokens);
  let said: string[] = [];
  const thought: string[] = [];
  /** Start of the next said text. */
  let from = 0;
  /** Open fence, and the number of marks opened within it. */
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
      if (looks > MAX_LOOKS || !isDraft(tokens, index, fence)) continue;
    }
    if (PAIRED.has(token.of)) continue;
    // Its opening mark was removed, so all said text before it was thought. At the very end of a reply it is a mistake.
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

/** Reports whether a fence opens a block: with a backtick after it, it is inline code, as in ```x```. */
const opensFence = ({ of, info }: Token) => !(of.startsWith('`') && info.includes('`'));

const closesFence = (open: Token, { of, info }: Token) => info === '' && of.startsWith(open.of);

/**
 * Returns, for each opening mark, the index of its closing mark: the next of its kind, else of another; null if none
 * follows.
 */
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
 * Reports whether a closing mark within a fence ends thoughts that hold an unfinished program: then the text after it
 * has its own fences. If a program only mentions the mark, the next fence closes the program.
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

/** Reports whether a mark is between quotation marks or backticks (`"</think>"`, `'<think>'`), or in inline code. */
function isQuoted(text: string, { start, end }: Place): boolean {
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

/** Maximum characters of inline code on either side of a mark. */
const LONGEST_CODE = 200;

const BEFORE_MENTION =
  /\b(?:the|an?|your|my|its|of|in|inside|within|between|with|without|using|use|by|literal|and|or|tags?|tokens?|marks?|elements?) $/i;

/** Reports whether a sentence mentions the mark: "the <think> tag", "between <think> and </think>". */
function isMentioned(text: string, { start, end }: Token): boolean {
  const after = text.slice(end, end + 20);
  if (/^ ?(?:tags?|blocks?|tokens?|marks?|markers?|elements?|sections?)\b/i.test(after)) return true;
  return BEFORE_MENTION.test(text.slice(Math.max(0, start - 12), start)) && /^(?: [a-z]|[.,;:)])/.test(after);
}

/** Joins pieces of said text, with a line break where only thoughts separated two words. */
function glued(pieces: readonly string[]): string {
  return pieces.reduce((all, piece) => {
    const isTight = /\S$/.test(all) && /^\S/.test(piece);
    return isTight ? `${all}\n${piece}` : all + piece;
  }, '');
}
