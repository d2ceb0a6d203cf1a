import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { addBundleCommands } from '../../../../src/kinds/agent-eval/commands/bundle.js';
import { textInTerminal } from '../../../cli/in-terminal.js';
import { builtTrial } from '../../../support/built-code.js';

const reprise = textInTerminal((program, finish) => addBundleCommands(program, finish, builtTrial), 'bundle');

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'reprise-bundle-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return join(path, 'library');
}

/** The bundle that `bundle new` writes, with some of it changed. */
async function started(changes: Record<string, [from: string, to: string]> = {}): Promise<string> {
  const path = folder();
  await reprise('new', path);
  for (const [name, [from, to]] of Object.entries(changes)) {
    const file = join(path, name);
    const text = readFileSync(file, 'utf8');
    expect(text).toContain(from);
    writeFileSync(file, text.replace(from, to));
  }
  return path;
}

describe('reprise bundle new', () => {
  test('writes a bundle that is proven solvable, with nothing to say about it', async () => {
    const path = folder();
    const made = await reprise('new', path);
    expect(made.code).toBe(0);
    expect(made.out).toContain(`${join(path, 'task.jsonl')}\n`);
    expect(made.out).toContain(`Next: reprise bundle check ${path}, and reprise bundle test ${path}\n`);
    const { code, out } = await reprise('check', path, '--strict');
    expect(out).toContain('2 rows, 2 with an oracle, 2 proven solvable\n');
    expect(out).toContain('tools: library_tools (search_books, lend_book, decline)\n0 errors, 0 warnings\n');
    expect(code).toBe(0);
  });

  test('overwrites nothing', async () => {
    const path = await started({ 'tools.ts': ['library_tools', 'mine'] });
    const { code, out } = await reprise('new', path);
    expect([code, out]).toEqual([2, `${join(path, 'tools.ts')} is there already; choose another folder`]);
    expect(readFileSync(join(path, 'tools.ts'), 'utf8')).toContain("'mine'");
    const file = join(path, 'tools.ts', 'x');
    expect((await reprise('new', file)).code).toBe(2);
    expect(existsSync(file)).toBe(false);
  });
});

describe('reprise bundle check', () => {
  test('says what is wrong with a line for each, and exits with 2', async () => {
    const path = await started({ 'seed.sql': ['copies_in INTEGER', 'copies INTEGER'] });
    const { code, out } = await reprise('check', path);
    const file = join(path, 'task.jsonl');
    expect(out).toContain(
      `error: ${file} line 1 (library.lend.001): seed_sql: seed.sql line 4: no such column: copies_in`,
    );
    expect(out).toContain('0 proven solvable');
    expect(code).toBe(2);
  });

  const SHORT: [string, string] = ['"max_turns":12', '"max_turns":1'];

  test('a warning alone exits with 0', async () => {
    const { code, out } = await reprise('check', await started({ 'task.jsonl': SHORT }));
    expect(out).toContain('0 errors, 1 warning\n');
    expect(code).toBe(0);
  });

  test('a warning exits with 2 where --strict is asked for', async () => {
    expect((await reprise('check', await started({ 'task.jsonl': SHORT }), '--strict')).code).toBe(2);
  });

  test('one row can be tried alone', async () => {
    const path = await started({ 'task.jsonl': SHORT });
    const { code, out } = await reprise('check', path, '--strict', '--row', 'library.decline.001');
    expect(out).toContain(': 1 rows, 1 with an oracle, 1 proven solvable');
    expect(code).toBe(0);
  });

  test('prints JSON for machines', async () => {
    const sound = await reprise('check', await started(), '--json', '--now', '2026-03-02');
    expect(JSON.parse(sound.out)).toMatchObject({ rows: 2, proven_solvable: 2, findings: [] });
  });

  test('prints JSON of a bundle that does not load', async () => {
    const path = await started({ 'task.jsonl': ['"max_turns":12', '"max_turns":0'] });
    const { code, out } = await reprise('check', path, '--json');
    expect(JSON.parse(out).findings).toEqual([
      {
        severity: 'error',
        file: join(path, 'task.jsonl'),
        line: 1,
        row: 'library.lend.001',
        field: 'max_turns',
        message: 'must be at least 1, not 0',
      },
    ]);
    expect(code).toBe(2);
  });

  test('a module that ends its process is a fault, not a check that passed', async () => {
    const path = await started({ 'reward.ts': ['export default', 'process.exit(0);\nexport default'] });
    const { code, out } = await reprise('check', path);
    expect(out).toContain(`${path}: reward.ts ended the thread that it was tried in: `);
    expect(code).toBe(2);
  });

  test.each<[string, string[], string]>([
    ['no folder', ['/no/such/bundle'], '/no/such/bundle: there is no such folder or file'],
    [
      'an unknown row',
      ['HERE', '--row', 'x'],
      '--row x: there is no such row; there are library.lend.001, library',
    ],
    ['a time that is none', ['HERE', '--now', 'tomorrow'], '--now tomorrow: write 2026-03-02 or'],
  ])('%s is bad input', async (_name, words, message) => {
    const path = words[0] === 'HERE' ? await started() : '';
    const { code, out } = await reprise('check', ...words.map((word) => (word === 'HERE' ? path : word)));
    expect(out).toContain(message);
    expect(code).toBe(2);
  });
});
