import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { addStatsCommand } from '../../src/cli/stats.js';
import { textInTerminal } from './in-terminal.js';

const stats = textInTerminal(addStatsCommand, 'stats');

function file(rows: unknown[] | string): string {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-stats-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'rewards.jsonl');
  writeFileSync(path, typeof rows === 'string' ? rows : rows.map((row) => JSON.stringify(row)).join('\n'));
  return path;
}

/** Rows of tasks, a letter a trial: `y` succeeded, `n` failed, `e` is an error. */
function rows(tasks: Record<string, string>) {
  return Object.entries(tasks).flatMap(([task_id, outcomes]) =>
    [...outcomes].map((outcome, trial) =>
      outcome === 'e'
        ? { task_id, trial, reward: null, error: { type: 'timeout', message: '' } }
        : { task_id, trial, reward: outcome === 'y' ? 1 : 0 },
    ),
  );
}

const FOUR_TRIALS = { a: 'yyyn', b: 'nyny', c: 'nnnn' };

/** The cells of each line of a table, by the line's first one. */
function cells(out: string): Record<string, string[]> {
  const lines = out.split('\n').filter((line) => line.startsWith('│'));
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...rest] = line
        .split('│')
        .slice(1, -1)
        .map((cell) => cell.trim());
      return [name, rest];
    }),
  );
}

describe('reprise stats', () => {
  test('estimates pass@k and pass^k for every k, and the mean reward with its interval', async () => {
    const { code, out } = await stats(file(rows(FOUR_TRIALS)));
    expect(code).toBe(0);
    // Of 4 trials, 3, 2 and 0 succeeded: pass^2 is (3/6 + 1/6 + 0) / 3, pass@2 is (1 + 5/6 + 0) / 3.
    expect(cells(out)).toMatchObject({
      tasks: ['3'],
      trials: ['12, 4 a task'],
      errors: ['0'],
      successes: ['5'],
      1: ['0.417', '0.417', '3'],
      2: ['0.611', '0.222', '3'],
      3: ['0.667', '0.083', '3'],
      4: ['0.667', '0.000', '3'],
    });
    expect(cells(out)['mean reward']?.[0]).toMatch(
      /^0\.417, stderr 0\.220, 95 % interval 0\.000 to 0\.\d{3}$/,
    );
  });

  test('tells tasks apart by every digit of their ids, and refuses NaN for a reward', async () => {
    const row = (id: string, reward: string) => `{"task_id":${id},"trial":0,"reward":${reward},"x":NaN}\n`;
    const two = row('12345678901234567890', '1') + row('12345678901234567891', '0');
    expect(cells((await stats(file(two))).out).tasks).toEqual(['2']);
    const { code, out } = await stats(file(row('1', '1') + row('2', 'NaN')));
    expect([code, out]).toEqual([2, expect.stringMatching(/^line 2 of .*neither a reward nor an error/)]);
  });

  test('leaves errors out, and says so', async () => {
    const { out } = await stats(file(rows({ a: 'ye', b: 'nn', c: 'e' })));
    expect(out).toContain('Warning: the tasks have 1 to 2 judged trials');
    expect((await stats(file(rows(FOUR_TRIALS)))).out).not.toContain('Warning');
    expect(cells(out)).toMatchObject({
      tasks: ['2, and 1 of errors only'],
      trials: ['3, 1 to 2 a task'],
      errors: ['2, left out'],
      1: ['0.500', '0.500', '2'],
      2: ['0.000', '0.000', '1'],
    });
  });

  test('warns of rewards on another scale than 0 to 1, unless it is said what a success is', async () => {
    const path = file([1, 2, 5].map((reward, index) => ({ task_id: index, trial: 0, reward })));
    const warning =
      'rewards go up to 5.000, and each of at least 1 is taken for a success; --success-reward says what is one';
    expect((await stats(path)).out).toContain(`Warning: ${warning}.`);
    expect(JSON.parse((await stats(path, '--json')).out).success_warning).toBe(warning);
    expect((await stats(path, '--success-reward', '4')).out).not.toContain('Warning');
    for (const most of [0.1 + 0.2 + 0.7 + 1e-15, 1.0000001, 1.05]) {
      const above = file([{ task_id: 1, trial: 0, reward: most }]);
      expect((await stats(above)).out).not.toContain('Warning');
    }
  });

  test('has every figure for machines, the same for the same seed', async () => {
    const path = file(rows(FOUR_TRIALS));
    const json = async (...options: string[]) => JSON.parse((await stats(path, '--json', ...options)).out);
    const report = await json('--resamples', '50');
    expect(report).toMatchObject({
      tasks: 3,
      mean_reward: { estimate: 5 / 12, confidence: 0.95, resamples: 50, clusters: 3 },
      pass: [{ k: 1 }, { k: 2 }, { k: 3 }, { k: 4, pass_at_k: 2 / 3, pass_hat_k: 0, tasks: 3 }],
    });
    expect(await json('--resamples', '50')).toEqual(report);
    expect((await json('--success-reward', '2')).successes).toBe(0);
    expect((await json('--confidence', '0.5')).mean_reward.confidence).toBe(0.5);
    const upper = new Set();
    for (const seed of ['1', '2', '3', '4']) {
      upper.add((await json('--resamples', '50', '--seed', seed)).mean_reward.upper);
    }
    expect(upper.size).toBeGreaterThan(1);
  });

  test('reads the results of a run, and compares two of them task by task', async () => {
    const row = (id: string, reward: number) => ({ id, trial: 0, action: 'x', reward, error: null });
    const [left, right] = [
      file([row('a', 1), row('b', 1), row('c', 1), row('only', 0)]),
      file([row('a', 0), row('b', 1), row('c', 0.5)]),
    ];
    const { code, out } = await stats(left, '--against', right);
    expect(code).toBe(0);
    expect(out).toContain(`Against ${right}:`);
    expect(cells(out)).toMatchObject({
      'tasks in both': ['3; 1 in one only, left out'],
      'there, here': ['0.5, 1'],
      // scipy 1.17.1, ttest_rel([1, 1, 1], [0, 1, 0.5]).confidence_interval(0.95).
      difference: ['+0.5, 95 % interval -0.7421 to 1.7421'],
      'better, worse, equal': ['2, 0, 1'],
      'exact permutation test': ['p = 0.500'],
    });
    const { comparison, against } = JSON.parse((await stats(left, '--against', right, '--json')).out);
    expect(against).toMatchObject({ trials: 3, pass: [{ k: 1, pass_hat_k: 1 / 3, tasks: 3 }] });
    expect(comparison).toMatchObject({ pairs: 3, unpaired: 1, better: 2, difference: 0.5 });
    const wide = await stats(left, '--against', right, '--confidence', '0.5', '--json');
    expect(JSON.parse(wide.out).comparison.interval).toMatchObject({ confidence: 0.5, method: 'student_t' });
  });

  test('tests right and wrong of one trial a task as McNemar does, and says where nothing is in both', async () => {
    const [left, right] = [
      file(rows({ a: 'y', b: 'y', c: 'n', d: 'n' })),
      file(rows({ a: 'n', b: 'y', c: 'n', d: 'n' })),
    ];
    expect(cells((await stats(left, '--against', right)).out)).toMatchObject({
      'right: both, there, here, none': ['1, 0, 1, 2'],
      'McNemar’s exact test': ['p = 1.000'],
    });
    const { code, out } = await stats(left, '--against', file(rows({ other: 'y' })));
    expect([code, out]).toEqual([
      0,
      expect.stringContaining('No task was judged in both: nothing can be compared.'),
    ]);
  });

  test('says of a mean without an interval why it has none', async () => {
    const mean = async (tasks: Record<string, string>) =>
      cells((await stats(file(rows(tasks)))).out)['mean reward'];
    expect(await mean({ a: 'nn', b: 'nn' })).toEqual(['0.000, equal in all tasks: no interval']);
    expect(await mean({ a: 'y', b: 'y', c: 'y' })).toEqual(['1.000, equal in all tasks: no interval']);
    expect(await mean({ a: 'yn' })).toEqual(['0.500, of one task: no interval']);
  });

  test('reads one list of rows as it reads a row a line', async () => {
    const given = rows(FOUR_TRIALS).map((row) => ({ ...row, info: {}, traj: [{ role: 'user' }] }));
    const { out } = await stats(file(given));
    for (const text of [JSON.stringify(given), `\n ${JSON.stringify(given, null, 2)}\n`]) {
      expect((await stats(file(text))).out).toBe(out);
    }
  });

  test('takes for a success what the evaluation takes for one, unless told otherwise', async () => {
    const folder = dirname(file(rows({ a: 'y' })));
    const half = [0.5, 0.4]
      .map((reward, trial) => JSON.stringify({ task_id: 'a', trial, reward }))
      .join('\n');
    for (const [name, config] of Object.entries({
      half: 'success_reward: 0.5',
      other: 'seed: 1',
      none: null,
    })) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'results.jsonl'), half);
      writeFileSync(join(folder, name, 'beside.jsonl'), half);
      if (config !== null) writeFileSync(join(folder, name, 'config.yaml'), `${config}\n`);
    }
    const successes = async (name: string, ...options: string[]) =>
      JSON.parse((await stats(join(folder, name), '--json', ...options)).out).successes;
    expect(await successes('half')).toBe(1);
    expect(await successes('half/results.jsonl')).toBe(1);
    expect(await successes('half', '--success-reward', '0.4')).toBe(2);
    expect(await successes('half', '--success-reward', '1')).toBe(0);
    for (const name of ['half/beside.jsonl', 'other', 'none']) expect(await successes(name)).toBe(0);
    const { out } = await stats(join(folder, 'none'), '--against', join(folder, 'half'), '--json');
    expect(JSON.parse(out)).toMatchObject({ successes: 0, against: { successes: 1 } });
  });

  test('takes an experiment by its id or its folder', async () => {
    const folder = dirname(file(rows({ a: 'y' })));
    mkdirSync(join(folder, 'mine'));
    writeFileSync(join(folder, 'mine', 'results.jsonl'), JSON.stringify({ id: 's', trial: 0, reward: 1 }));
    const expected = cells((await stats(join(folder, 'mine', 'results.jsonl'))).out);
    expect(expected).toMatchObject({ tasks: ['1'] });
    for (const words of [
      ['mine', '--results-dir', folder],
      [join(folder, 'mine')],
      [`${join(folder, 'mine')}/`],
    ]) {
      expect(cells((await stats(...words)).out)).toEqual(expected);
    }
    const { code, out } = await stats('gone', '--results-dir', folder);
    expect([code, out]).toEqual([
      2,
      expect.stringContaining(
        `there is no file at gone, and no experiment 'gone' with results.jsonl in ${folder}`,
      ),
    ]);
  });

  const good = rows({ a: 'y' });
  test.each<[string, unknown[] | string, string[], RegExp]>([
    ['no reward', [...good, { task_id: 'b', trial: 0 }], [], /^line 2 of .*neither a reward nor an error/],
    ['no task', '\n{"trial": 0, "reward": 1}', [], /^line 2 of .*task_id/],
    ['no JSON', '{oops', [], /^line 1 of .* is no JSON/],
    ['a list that is cut off', '[\n{"task_id": 1,', [], /rewards.jsonl is no JSON: /],
    ['a list of something else', '[{"trial": 0, "reward": 1}]', [], /^item 1 of .*task_id/],
    ['a list of nothing', '[]', [], /has no rows/],
    ['a trial twice', [...good, ...good], [], /trial 0 of task a is there twice/],
    ['no rows', '\n', [], /has no rows/],
    ['a bad reward', good, ['--success-reward', 'all'], /^--success-reward all: must be a number/],
    ['an empty reward', good, ['--success-reward', ''], /^--success-reward : must be a number/],
    ['a bad confidence', good, ['--confidence', '95'], /^--confidence 95: must be a number between 0 and 1/],
    ['no resamples', good, ['--resamples', '0'], /^--resamples 0: must be a whole number from 1/],
    ['a second file that is not there', good, ['--against', '/no/such/file'], /no file at \/no\/such\/file/],
  ])('%s is bad input', async (_name, content, options, message) => {
    const { code, out } = await stats(file(content), ...options);
    expect(out).toMatch(message);
    expect(code).toBe(2);
  });
});
