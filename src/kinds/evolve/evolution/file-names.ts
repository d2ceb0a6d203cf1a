import { type FencedBlock, isPythonBlock } from './fenced-blocks.js';
import { scaffoldSupportFiles } from './layout.js';

/** Suffixes of a scaffold's files: code, and data that the code reads. */
const SUFFIXES = ['py', 'json', 'jsonl', 'txt', 'csv', 'tsv', 'md', 'yaml', 'yml'];
const SUFFIX = new RegExp(`\\.(?:${SUFFIXES.join('|')})$`);

const LONGEST_PATH = 100;
const MAX_FOLDERS = 3;

/** Files that Reprise adds to every scaffold's folder. */
const RESERVED = new Set<string>(Object.values(scaffoldSupportFiles));

/** Reports whether a path, in lower case, is a file that a scaffold cannot bring itself. */
export const isReservedFile = (path: string): boolean => RESERVED.has(path.toLowerCase());

/**
 * Returns what is wrong with a path as the place of a scaffold's file; null for a relative one with `/`, of plain
 * names, with a known suffix. A folder's name has no dot, so that no path is a folder of another.
 */
export function pathFault(path: string): string | null {
  const quoted = JSON.stringify(path.slice(0, LONGEST_PATH));
  if (path.length > LONGEST_PATH) return `the path ${quoted}… is longer than ${LONGEST_PATH} characters`;
  const segments = path.split('/');
  const file = segments.pop() as string;
  const plain = segments.every((segment) => /^[A-Za-z0-9_][A-Za-z0-9_-]*$/.test(segment));
  if (!plain || !/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(file)) {
    return `the path ${quoted} is not a relative one of plain names`;
  }
  if (segments.length > MAX_FOLDERS) return `the path ${quoted} has more than ${MAX_FOLDERS} folders`;
  return SUFFIX.test(file) ? null : `the file ${quoted} is not of a known kind (${SUFFIXES.join(', ')})`;
}

/**
 * Returns the path that a block gives itself, as it is written: in the info string (`python file=helpers.py`,
 * `python:helpers.py`), else in a first line that is nothing but a comment with it (`# helpers.py`), else in the line
 * before the fence (`**helpers.py**`, `helpers.py:`, `### 1. File: helpers.py`). Null where it gives none.
 *
 * The info string always counts. The other two are ignored where they do not fit the block: a name with an unknown
 * suffix, or a Python file's name on a block of another language, or the reverse.
 */
export function nameOfBlock(block: FencedBlock): string | null {
  const given = fromAttributes(block.attributes);
  if (given !== null) return given;
  const fits = (name: string | null) =>
    name !== null && (block.language === '' || isPythonBlock(block) === name.endsWith('.py'));
  return [fromFirstLine(block.content), fromLineBefore(block.lineBefore)].find(fits) ?? null;
}

function fromAttributes(attributes: string): string | null {
  const named =
    /(?:^|\s)(?:file|filename|file_name|title|path|name)\s*=\s*(?:"([^"]*)"|'([^']*)'|(\S+))/i.exec(
      attributes,
    );
  const value = named?.[1] ?? named?.[2] ?? named?.[3];
  if (value !== undefined) return relative(value.trim());
  const [first = ''] = attributes.split(/\s/);
  return SUFFIX.test(first) ? relative(first) : null;
}

function fromFirstLine(content: string): string | null {
  const line = content.split('\n').find((one) => one.trim() !== '') ?? '';
  const comment = /^\s*(?:#|\/\/)\s*(?:file(?:_?name)?\s*:\s*)?(\S+)\s*$/i.exec(line)?.[1];
  return comment !== undefined && SUFFIX.test(comment) ? relative(comment) : null;
}

function fromLineBefore(line: string): string | null {
  const bare = line
    .replaceAll(/[*`]/g, '')
    .trim()
    .replace(/^(?:(?:#{1,6}|[-+]|\(?\d{1,3}[.):])\s+|file(?:_?name)?\s*(?:#?\d{1,3}\s*)?:\s*)+/i, '')
    .replace(/^__(.+)__:?$/, '$1')
    .replace(/:\s*$/, '')
    .trim();
  return /^\S+$/.test(bare) && SUFFIX.test(bare) ? relative(bare) : null;
}

/** Removes `./` at the start. */
const relative = (path: string) => path.replace(/^(?:\.\/)+/, '');
