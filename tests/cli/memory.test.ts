import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { addMemoryCommands } from '../../src/cli/memory.js';
import { memoryConfigSchema } from '../../src/config/memory-schemas.js';
import type { MemorySnapshot } from '../../src/memory/memory-module.js';
import { savedMemory, savedParts, savedText } from '../../src/memory/saved.js';
import { experience } from '../memory/support.js';
import { textInTerminal } from './in-terminal.js';

const reprise = textInTerminal(addMemoryCommands, 'memory');

const parts = {
  cheatsheet: 'three\nlines of\nnotes',
  versions: [
    { version: 1, sample_id: '2024-I-1', trial: 0, content: 'one' },
    { version: 2, content: 'two' },
    { version: 3, sample_id: '2024-I-2', trial: 1, content: 'three\nlines of\nnotes' },
  ],
  experiences: [experience('a'), experience('b')],
};

function memoryFile(content: string | MemorySnapshot = savedMemory('hybrid', parts)): string {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-memory-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'memory.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const read = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as MemorySnapshot;

describe('reprise memory show', () => {
  test('lists the versions with what wrote them, and prints the sheet', async () => {
    const { code, out } = await reprise('show', memoryFile());
    expect(code).toBe(0);
    expect(out).toContain('hybrid: 3 versions of the sheet, 2 experiences');
    expect(out).toMatch(/1 +│ 2024-I-1 +│ 1 +│ 3 /);
    expect(out).toMatch(/2 +│ – +│ – +│ 3 /);
    expect(out).toMatch(/3 +│ 2024-I-2 +│ 2 +│ 20 /);
    expect(out.endsWith('\nthree\nlines of\nnotes\n')).toBe(true);
  });

  test('prints one version alone', async () => {
    for (const [version, text] of [
      ['1', 'one'],
      ['2', 'two'],
    ] as const) {
      expect(await reprise('show', memoryFile(), '--version', version)).toEqual({
        code: 0,
        out: `${text}\n`,
      });
    }
  });

  test('speaks of experiences where there is no sheet', async () => {
    const { code, out } = await reprise('show', memoryFile(savedMemory('experience_db', parts)));
    expect([code, out.trim()]).toEqual([0, 'experience_db: 0 versions of the sheet, 2 experiences']);
  });

  test('is found by the id or the folder of the run that wrote it', async () => {
    const folder = dirname(memoryFile());
    const results = dirname(folder);
    const expected = await reprise('show', join(folder, 'memory.json'));
    for (const words of [[folder], [basename(folder), '--results-dir', results]]) {
      expect(await reprise('show', ...words)).toEqual(expected);
    }
    const { code, out } = await reprise('rollback', basename(folder), '--results-dir', results, '--to', '1');
    expect([code, out]).toEqual([0, `${basename(folder)}: version 4 is version 1 once more\n`]);
    expect(read(join(folder, 'memory.json'))).toMatchObject({ cheatsheet: 'one' });
  });

  test('shows a sheet that was written by hand', async () => {
    const { out } = await reprise('show', memoryFile({ _type: 'cheatsheet', cheatsheet: 'my notes' }));
    expect(out).toContain('cheatsheet: 1 versions of the sheet');
    expect(out).toContain('my notes');
  });
});

describe('reprise memory rollback', () => {
  test('makes an older version the newest, in the file itself', async () => {
    const path = memoryFile();
    const { code, out } = await reprise('rollback', path, '--to', '1');
    expect([code, out]).toEqual([0, `${path}: version 4 is version 1 once more\n`]);
    expect(read(path)).toEqual({
      ...savedMemory('hybrid', parts),
      cheatsheet: 'one',
      versions: [...parts.versions, { version: 4, content: 'one' }],
    });
  });

  test('or in another one, and leaves the file as it is', async () => {
    const path = memoryFile();
    const before = readFileSync(path, 'utf8');
    const other = join(path, '..', 'other', 'old.json');
    expect((await reprise('rollback', path, '--to', '2', '--out', other)).code).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe(before);
    expect(read(other)).toMatchObject({ _type: 'hybrid', cheatsheet: 'two' });
  });

  test('what it writes can be loaded by a run, and rolled back again', async () => {
    const path = memoryFile(savedMemory('cheatsheet', parts));
    await reprise('rollback', path, '--to', '1');
    await reprise('rollback', path, '--to', '3');
    const loaded = savedParts(memoryConfigSchema.parse({ _type: 'hybrid' }), read(path));
    expect(loaded).toMatchObject({ cheatsheet: parts.cheatsheet, experiences: [] });
    expect(loaded.versions.map(({ version, content }) => [version, content])).toEqual([
      [1, 'one'],
      [2, 'two'],
      [3, parts.cheatsheet],
      [4, 'one'],
      [5, parts.cheatsheet],
    ]);
    // Written as a run writes it.
    expect(readFileSync(path, 'utf8')).toBe(`${[...savedText('cheatsheet', loaded)].join('')}\n`);
  });
});

describe('what is no memory with a sheet', () => {
  const versionless = savedMemory('experience_db', parts);
  test.each<[string, string | MemorySnapshot | null, string[], string]>([
    ['no file', null, ['show'], 'there is no file at'],
    ['no JSON', '{', ['show'], 'is not JSON'],
    ['null', 'null', ['show'], 'holds a memory of type nothing'],
    ['a text', '"hybrid"', ['show'], 'holds a memory of type nothing'],
    [
      'a list of entries',
      { _type: 'history_list', entries: [] },
      ['show'],
      'holds a memory of type history_list; this command is for cheatsheet, experience_db and hybrid',
    ],
    ['memories by sample', { _type: 'per_sample', memories: {} }, ['show'], 'of type per_sample'],
    ['a broken one', { _type: 'cheatsheet' }, ['show'], 'a saved cheatsheet has a text "cheatsheet"'],
    [
      'versions without numbers',
      { _type: 'cheatsheet', cheatsheet: 'x', versions: [{ content: 'x' }] },
      ['rollback', '--to', '1'],
      'entry 0 of "versions" needs a whole number',
    ],
    ['no versions', versionless, ['rollback', '--to', '1'], 'the memory has no versions of a sheet'],
    ['no such version', savedMemory('hybrid', parts), ['show', '--version', '9'], 'the versions are 1 to 3'],
    ['no such version to go to', savedMemory('hybrid', parts), ['rollback', '--to', '9'], 'no version 9'],
    [
      'a version 0',
      savedMemory('hybrid', parts),
      ['show', '--version', '0'],
      '--version 0: must be a whole number',
    ],
    [
      'a version that is no number',
      savedMemory('hybrid', parts),
      ['rollback', '--to', 'x'],
      '--to x: must be',
    ],
  ])('%s is bad input', async (_name, content, [command = '', ...options], message) => {
    const path = content === null ? '/no/such/memory.json' : memoryFile(content);
    const before = content === null ? '' : readFileSync(path, 'utf8');
    const { code, out } = await reprise(command, path, ...options);
    expect(out).toContain(message);
    expect(code).toBe(2);
    if (content !== null) expect(readFileSync(path, 'utf8')).toBe(before);
  });
});
