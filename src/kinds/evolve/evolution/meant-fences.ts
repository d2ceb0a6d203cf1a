import { type FencedBlock, fencedBlocks, isPythonBlock } from './fenced-blocks.js';
import { nameOfBlock } from './file-names.js';
import { codeOf } from './python-source.js';

const PYTHON = '(?:python|py)[23]?';
/** Fence that opens a block at the end of a line of prose; in a comment it opens none. */
const LATE_OPENING = new RegExp(`^((?:#{1,6} )?[^\`#]*[^\`\\s#])[ \\t]*(\`{3,}${PYTHON}\\b[^\`]*)$`, 'i');
/** Fence that closes a block after code, before words or both; in a comment or a string it closes none. */
const LATE_CLOSING = new RegExp(
  `^(?=.*[^\`\\s])([^\`#]*)(\`{3,})((?:[ \\t]+(?![ \\t]|${PYTHON}\\b|[\\w+-]+[ \\t]*$)(?:[^\`"']|\\b'\\b)*)?)$`,
  'i',
);
const PYTHON_OPENING = new RegExp(`^[ \\t]*(?:\`{3,}|~{3,})[ \\t]*${PYTHON}\\b`, 'im');

/**
 * Returns other readings of a reply in which no program was found: with its last fence, with each fence on a line of
 * its own, and without the fence around the whole.
 * @param isWhole the reply ended by itself, so that what it leaves open ends with it
 */
export function otherReadings(text: string, isWhole: boolean): string[] {
  const partsOf = (line: string) => (LATE_OPENING.exec(line) ?? LATE_CLOSING.exec(line))?.slice(1) ?? line;
  const apart = text
    .split(/\r\n?|\n/)
    .flatMap(partsOf)
    .join('\n');
  const readings = missingFence(text) === '' ? [withoutWrapper(text), apart, withoutWrapper(apart)] : [text];
  return readings.flatMap((reading) =>
    reading === null ? [] : [isWhole ? `${reading}\n${missingFence(reading)}` : reading],
  );
}

/** Returns the fence of a Python block that a text leaves open, and whose code has no other; empty if there is none. */
function missingFence(text: string): string {
  const last = fencedBlocks(text).at(-1);
  if (last === undefined || last.closed || !isPythonBlock(last)) return '';
  return codeOf(last.content).includes('```') ? '' : last.fence;
}

/** Reports whether a block is a part of the reply with its own blocks: a Markdown one with Python in it. */
export const isWrapper = ({ language, content }: FencedBlock) =>
  /^(?:markdown|md|text|txt|)$/.test(language) && PYTHON_OPENING.test(codeOf(content));

/** Removes the fence that opens a block around the program, which has no name; of several, one may be a draft. */
function withoutWrapper(text: string): string | null {
  const [wrapper, ...others] = fencedBlocks(text).filter(
    (block) => isWrapper(block) && nameOfBlock(block) === null && block.content.includes('def process_input'),
  );
  if (wrapper === undefined || others.length > 0) return null;
  const lines = text.split(/\r\n?|\n/);
  return lines.toSpliced(wrapper.line, 1).join('\n');
}
