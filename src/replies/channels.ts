/** Text of a model that writes channels, as gpt-oss does: https://cookbook.openai.com/articles/openai-harmony */
export interface Channels {
  said: string;
  thought: string;
}

const HEADER =
  /(?:<\|start\|>[a-z]*\s?)?<\|channel\|>\s*([a-z]+)([^<\n]{0,200})(?:<\|constrain\|>[^<\n]{0,40})?(?:<\|message\|>)?/g;
const END = /<\|(?:end|return|call|start|message)\|>(?:assistant)?/g;

/**
 * Header of a channel without special tokens, which some servers drop: `analysisSo it is 72.assistantfinalIt is 72.`
 */
const BARE_HEADER =
  /(?:^\s*(?:assistant)?|assistant)(analysis|commentary|final)((?: to=[\w.]{1,80})?\s?(?:code|json)?)(?=[^a-z]|$)/g;
const BARE_BEGINNING = /^\s*(?:assistant)?(?:analysis|final)(?=\p{Lu}|\*\*|\\)/u;
const BARE_FINAL = /(?:^|[^A-Za-z_"'`])assistantfinal(?=[^a-z_\s(=.,:;"'`]|\s*[A-Z\d\\*$])/;

/** Splits a text by its channels; null if it has none. `final` is the said text. */
export function readChannels(text: string): Channels | null {
  if (text.includes('<|channel|>')) return split(text, HEADER);
  const isBare = BARE_BEGINNING.test(text) || BARE_FINAL.test(text);
  return isBare ? split(text, BARE_HEADER) : null;
}

function split(text: string, header: RegExp): Channels {
  const headers = [...text.matchAll(header)];
  const first = headers[0]?.index ?? text.length;
  const parts = headers.map((match, index) => ({
    name: match[1] ?? '',
    isCall: /\bto=/.test(match[2] ?? ''),
    text: text
      .slice(match.index + match[0].length, headers[index + 1]?.index ?? text.length)
      .replace(END, '')
      .trim(),
  }));
  // Text before the first header has lost its own header: it was thought.
  parts.unshift({ name: 'analysis', isCall: false, text: text.slice(0, first).replace(END, '').trim() });
  const isFinal = (part: { name: string }) => part.name === 'final';
  // Commentary that calls no tool is meant for the reader, unless there is a final message.
  const isSaid = parts.some(isFinal)
    ? isFinal
    : ({ name, isCall }: { name: string; isCall: boolean }) => name === 'commentary' && !isCall;
  const join = (wanted: boolean) =>
    parts
      .filter((part) => isSaid(part) === wanted && part.text !== '')
      .map((part) => part.text)
      .join('\n\n');
  return { said: join(true), thought: join(false) };
}
