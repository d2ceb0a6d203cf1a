import { type FencedBlock, fencedBlocks, isPythonBlock } from './fenced-blocks.js';
import { nameOfBlock } from './file-names.js';
import { codeOf } from './python-source.js';

const PYTHON = '(?:python|py)[23]?';
/** Fence that opens a block at the end of a line of prose. */
const LATE_OPENING = new RegExp(`^([^\`]*[^\`\\s])[ \\t]*(\`{3,}${PYTHON}\\b[^\`]*)$`, 'i');
/** Fence that closes a block at the end of a line of code, perhaps with words after it. */
const LATE_CLOSING = /^([^`]*[^`\s])[ \t]*(`{3,})((?:[ \t][^`"']*)?)$/;
/** Fence that closes a block, with words after it. */
const WORDY_CLOSING = new RegExp(
  `^[ \\t]*(\`{3,})[ \\t]+(?!${PYTHON}\\b|[\\w+-]+[ \\t]*$)([^\`\\s][^\`]*)$`,
  'i',
);
const PYTHON_OPENING = new RegExp(`^[ \\t]*(?:\`{3,}|~{3,})[ \\t]*${PYTHON}\\b`, 'im');

/**
 * Returns other readings of a reply in which no program was found: with each fence on a line of its own, and without
 * the fence around the whole.
 * @param isWhole the reply ended by itself, so that what it leaves open ends with it
 */
export function otherReadings(text: string, isWhole: boolean): string[] {
  const lines = text.split(/\r\n?|\n/).flatMap((line) => {
    const parts = LATE_OPENING.exec(line) ?? LATE_CLOSING.exec(line) ?? WORDY_CLOSING.exec(line);
    return parts === null ? [line] : parts.slice(1);
  });
  const apart = lines.join('\n');
  return [withoutWrapper(text), apart, withoutWrapper(apart)].flatMap((reading) =>
    reading === null ? [] : [isWhole ? closed(reading) : reading],
  );
}

/** Closes a Python block that a text leaves open. */
function closed(text: string): string {
  const last = fencedBlocks(text).at(-1);
  return last !== undefined && !last.closed && isPythonBlock(last) ? `${text}\n${last.fence}` : text;
}

/** Reports whether a block is a part of the reply with its own blocks: a Markdown one with Python in it. */
export const isWrapper = ({ language, content }: FencedBlock) =>
  /^(?:markdown|md|text|txt|)$/.test(language) && PYTHON_OPENING.test(codeOf(content));

/** Removes the fence that opens a block around the whole, which has no name. */
function withoutWrapper(text: string): string | null {
  const wrapper = fencedBlocks(text).find((block) => isWrapper(block) && nameOfBlock(block) === null);
  if (wrapper === undefined) return null;
  const lines = text.split(/\r\n?|\n/);
  lines.splice(wrapper.line, 1);
  return lines.join('\n');
}
