import { describe, expect, test } from 'vitest';
import { type Chunk, compareFiles, type FileChange } from '../../src/reports/diff.js';

const lines = (...all: string[]) => `${all.join('\n')}\n`;
const numbered = (count: number, name = 'line') =>
  Array.from({ length: count }, (_, index) => `${name} ${index}`);

function changeOf(before: string, after: string): FileChange {
  return compareFiles({ 'scaffold.py': after }, { 'scaffold.py': before })[0] as FileChange;
}

/** What a file is made of when the lines of some kinds are put together. */
const joined = (chunks: readonly Chunk[], ...kinds: Chunk['kind'][]) =>
  chunks.filter(({ kind }) => kinds.includes(kind)).flatMap((chunk) => chunk.lines);

describe('the files of a scaffold', () => {
  test('are told apart: changed, unchanged, new, and not taken over', () => {
    const changes = compareFiles(
      { 'b.py': 'b\n', 'scaffold.py': 'x\n', 'a.py': 'a2\n' },
      { 'scaffold.py': 'x\n', 'a.py': 'a1\n', 'old.txt': 'old\n' },
      'scaffold.py',
    );
    expect(changes.map(({ path, kind, added, removed }) => [path, kind, added, removed])).toEqual([
      ['scaffold.py', 'unchanged', 0, 0],
      ['a.py', 'changed', 1, 1],
      ['b.py', 'new', 1, 0],
      ['old.txt', 'removed', 0, 1],
    ]);
  });

  test('without a parent stand alone', () => {
    expect(compareFiles({ 'scaffold.py': lines('a', 'b') }, null)).toEqual([
      {
        path: 'scaffold.py',
        kind: 'only',
        chunks: [{ kind: 'same', lines: ['a', 'b'], start: 1 }],
        added: 0,
        removed: 0,
      },
    ]);
  });

  test('named like what every object has are files all the same', () => {
    const [change] = compareFiles({ constructor: 'a\n' }, {});
    expect(change?.kind).toBe('new');
  });
});

describe('a difference', () => {
  const before = lines('import re', '', 'def process_input(text):', '    return text', '', 'LAST = 1');
  const after = lines(
    'import re',
    '',
    'def process_input(text):',
    '    text = text.strip()',
    '    return text',
    '',
    'LAST = 2',
  );

  test('gives both files back', () => {
    const { chunks } = changeOf(before, after);
    expect(joined(chunks, 'same', 'added')).toEqual(after.trimEnd().split('\n'));
    expect(joined(chunks, 'same', 'removed')).toEqual(before.trimEnd().split('\n'));
  });

  test('numbers lines as the file has them that they are from', () => {
    const { chunks, added, removed } = changeOf(before, after);
    expect(chunks.map(({ kind, start }) => [kind, start])).toEqual([
      ['same', 1],
      ['added', 4],
      ['same', 5],
      ['removed', 6],
      ['added', 7],
    ]);
    expect([added, removed]).toEqual([2, 1]);
  });

  test('does not see how lines end', () => {
    expect(changeOf('a\r\nb\rc', 'a\nb\nc\n').kind).toBe('unchanged');
  });

  test('shows a changed passage in one piece, whatever blank lines it has in common with the old one', () => {
    const { chunks } = changeOf(
      lines('keep', 'a', '', 'b', 'keep too'),
      lines('keep', 'c', '', 'd', 'keep too'),
    );
    expect(chunks.map(({ kind, lines }) => [kind, lines])).toEqual([
      ['same', ['keep']],
      ['removed', ['a', '', 'b']],
      ['added', ['c', '', 'd']],
      ['same', ['keep too']],
    ]);
  });

  test('is not shown where hardly a line is left', () => {
    const old = numbered(100, 'old');
    const rewritten = changeOf(lines(...old), lines(...numbered(90, 'new'), ...old.slice(0, 10)));
    expect(rewritten.kind).toBe('rewritten');
    expect(joined(rewritten.chunks, 'same')).toHaveLength(100);
    expect(joined(rewritten.chunks, 'removed', 'added')).toEqual([]);
  });

  test('of a short file is shown even so', () => {
    expect(changeOf('a\n', 'b\n').kind).toBe('changed');
  });

  test('of huge files without a common order is given up for the file itself', () => {
    const old = numbered(5000);
    const shuffled = old.map((_, index) => old[(index * 2741) % 5000] as string);
    expect(changeOf(lines(...old), lines(...shuffled)).kind).toBe('rewritten');
  });
});
