import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { explain } from '../../src/cli/exit.js';
import { addGenerateCommand } from '../../src/cli/generate.js';
import { addGradeCommand } from '../../src/cli/grade.js';

function temporaryPath(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, name);
}

/** Runs a command as the terminal would; answers what it printed and how it exited. */
async function reprise(...words: string[]): Promise<{ code: number; out: string }> {
  let out = '';
  const write = (chunk: unknown) => {
    out += String(chunk);
    return true;
  };
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(write),
    vi.spyOn(process.stderr, 'write').mockImplementation(write),
  ];
  let code = -1;
  const program = new Command().exitOverride();
  const finish = (finished: number) => {
    code = finished;
  };
  addGradeCommand(program, finish);
  addGenerateCommand(program, finish);
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    const explained = explain(error);
    return { code: explained.code, out: explained.message };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return { code, out };
}

function grade(rows: unknown[] | string, ...options: string[]) {
  const path = temporaryPath('rows.jsonl');
  writeFileSync(
    path,
    typeof rows === 'string' ? rows : rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
  );
  return reprise('grade', path, ...options);
}

describe('reprise grade', () => {
  test.each([
    [
      { output: 'A', target: 'gold', choices: ['red', 'green'] },
      `line 1: 'target' "gold" is none of the choices red`,
    ],
    [{ output: 'A', target: '2', choices: ['red', 'green'] }, `line 1: 'target' "2" is none of the choices`],
    [{ output: 'A', target: [], choices: ['red', 'green'] }, "line 1: 'target' must be a text, or a list"],
    [
      { output: 'A', target: true, choices: ['red', 'green'] },
      `line 1: 'target' "true" is none of the choices`,
    ],
    [{ output: 'A', target: {}, choices: ['red', 'green'] }, "line 1: 'target' must be a text"],
  ])('%j is refused', async (row, message) => {
    const { code, out } = await grade([row], '--task-type', 'mcq');
    expect([code, out]).toEqual([2, expect.stringContaining(message)]);
  });

  test.each<[string, unknown[], number]>([
    [
      'exact',
      [
        { output: 'Paris', target: 'Paris' },
        { output: 'paris', target: 'Paris' },
      ],
      1,
    ],
    [
      'numeric',
      [
        { output: 'Answer: 073', target: 73 },
        { output: '\\boxed{1/2}', target: '0.5' },
      ],
      2,
    ],
    [
      'mcq',
      [
        { output: 'Answer: B', target: 'B', choices: ['x', 'y'] },
        { output: 'Answer: C', target: 'A', choices: ['x', 'y'] },
      ],
      1,
    ],
    [
      'exact',
      [
        { output: 'Answer: Kiev', target: ['Kyiv', 'Kiev'] },
        { output: 'Answer: Lviv', target: ['Kyiv', 'Kiev'] },
      ],
      1,
    ],
    ['numeric', [{ output: 'Answer: 7', target: [5, '14/2'] }], 1],
    [
      'mcq',
      [
        { output: 'Answer: Aa', target: ['AA', 'Aa'], choices: ['AA', 'Aa', 'aa'] },
        { output: 'Answer: C', target: ['AA', 'Aa'], choices: ['AA', 'Aa', 'aa'] },
      ],
      1,
    ],
  ])('%s counts the correct rows', async (type, rows, correct) => {
    const { code, out } = await grade(rows, '--task-type', type, '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ rows: rows.length, correct });
    const shown = (await grade(rows, '--task-type', type)).out;
    expect(shown.split('\n')[0]).toBe(`${correct} of ${rows.length} correct`);
    expect(shown.includes('why it is wrong')).toBe(correct < rows.length);
  });

  test('shows the rows that are wrong, and every row with --json', async () => {
    const rows = [
      { output: 'a', target: 'a' },
      { output: 'Answer: b', target: 'a' },
      { output: '', target: 'a', correct: false },
    ];
    const { out } = await grade(rows, '--task-type', 'exact');
    expect(out).toMatch(/│ 2 +│ b +│ a +│ b is not a\./);
    expect(out).toMatch(/│ 3 +│ – +│ a +│ The reply is empty\./);
    expect(out).not.toMatch(/│ 1 +│/);
    expect(JSON.parse((await grade(rows, '--task-type', 'exact', '--json')).out).graded).toEqual([
      { line: 1, output: 'a', target: 'a', correct: true, extracted: 'a', message: 'a is a.' },
      { line: 2, output: 'Answer: b', target: 'a', correct: false, extracted: 'b', message: 'b is not a.' },
      {
        line: 3,
        output: '',
        target: 'a',
        correct: false,
        extracted: null,
        message: 'The reply is empty.',
        expected: false,
      },
    ]);
  });

  test('takes numbers as they are written, and NaN where nobody asks for it', async () => {
    const rows =
      '{"output": "1.10", "target": 1.10, "score": NaN}\n{"output": 12345678901234567890, "target": "12345678901234567890"}\n{"output": "true", "target": true}\n';
    expect((await grade(rows, '--task-type', 'exact')).out).toBe('3 of 3 correct\n');
    const { code, out } = await grade('{"output": "a", "target": NaN}', '--task-type', 'exact');
    expect([code, out]).toEqual([2, "line 1: 'target' must be a text; it is NaN (line 1, column 27)"]);
  });

  test('where rows carry `correct` it says how far it agrees, and lists the rest', async () => {
    const rows = [
      { output: 'a', target: 'a', correct: true },
      { output: 'b', target: 'a', correct: false },
      { output: 'a', target: 'a', correct: false },
      { output: 'c', target: 'a', correct: true },
      { output: 'a', target: 'a' },
    ];
    const { out } = await grade(rows, '--task-type', 'exact', '--json');
    expect(JSON.parse(out)).toMatchObject({
      rows: 5,
      correct: 3,
      agreed: 2,
      false_positives: 1,
      false_negatives: 1,
      disagreements: [
        { line: 3, expected: false, graded: true, extracted: 'a' },
        { line: 4, expected: true, graded: false, extracted: 'c', message: expect.any(String) },
      ],
    });
    const shown = (await grade(rows, '--task-type', 'exact')).out;
    expect(shown).toContain('agreed 2, false positives 1, false negatives 1');
    expect(shown).toMatch(/│ 4 +│ c +│ a +│ correct +│ wrong/);
  });

  test('--tolerance lets a number differ', async () => {
    const rows = [{ output: 'Answer: 101', target: '100' }];
    const correct = async (...options: string[]) =>
      JSON.parse((await grade(rows, '--task-type', 'numeric', '--json', ...options)).out).correct;
    expect([await correct(), await correct('--tolerance', '0.02')]).toEqual([0, 1]);
  });

  test.each<[string, unknown[] | string, string[], string]>([
    ['a missing output', [{ target: 'a' }], ['--task-type', 'exact'], "line 1: 'output' must be a text"],
    ['a row that is a list', '\n[]\n', ['--task-type', 'exact'], "line 2: 'output'"],
    ['a null', 'null\n', ['--task-type', 'exact'], "line 1: 'output'"],
    ['no JSON', '{"output": "a", "target": "a"}\n{oops\n', ['--task-type', 'exact'], 'line 2 of'],
    ['no choices', [{ output: 'A', target: 'A' }], ['--task-type', 'mcq'], "needs 'choices'"],
    ['an unknown task type', [], ['--task-type', 'math'], 'Allowed choices are numeric, mcq, exact'],
    ['a bad tolerance', [], ['--task-type', 'numeric', '--tolerance', 'x'], '--tolerance x: must be'],
  ])('%s is bad input', async (_name, rows, options, message) => {
    const { code, out } = await grade(rows, ...options);
    expect(out).toContain(message);
    expect(code).toBe(2);
  });

  test('so is a file that is not there', async () => {
    const { code, out } = await reprise('grade', '/no/such/file', '--task-type', 'exact');
    expect([code, out]).toEqual([2, 'there is no file at /no/such/file']);
  });
});

describe('reprise generate', () => {
  test('prints rows, the same for the same seed, or writes them to a file', async () => {
    const { code, out } = await reprise('generate', 'game24', '--count', '5', '--seed', '1');
    expect(code).toBe(0);
    const rows = out.trim().split('\n');
    expect(rows).toHaveLength(5);
    expect(JSON.parse(rows[0] as string)).toMatchObject({ id: 'game24-0' });
    const path = temporaryPath('made.jsonl');
    const said = await reprise('generate', 'game24', '--count', '5', '--seed', '1', '--out', path);
    expect(readFileSync(path, 'utf8')).toBe(out);
    expect(said.out).toContain('env_class Game24Env');
  });

  test.each([
    [['generate', 'sudoku'], "'sudoku' is invalid for argument 'kind'. Allowed choices are game24"],
    [['generate', 'toString'], "'toString' is invalid"],
    [['generate', 'game24', '--count', '0'], '--count 0: must be a whole number from 1 to 1362'],
    [['generate', 'game24', '--count', '1363'], 'from 1 to 1362'],
    [['generate', 'arithmetic', '--seed', '-1'], '--seed -1'],
    [['generate', 'arithmetic', '--seed', '1.5'], '--seed 1.5'],
  ])('%j is bad input', async (words, message) => {
    const { code, out } = await reprise(...words);
    expect(out).toContain(message);
    expect(code).toBe(2);
  });
});
