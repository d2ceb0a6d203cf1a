import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { addExportCommand } from '../../src/cli/export.js';
import type { TrajectoryData } from '../../src/trajectories/schema.js';
import { assistant, episode, FAILED, showing, step, trajectory, user } from '../trajectories/support.js';
import { inTerminal } from './in-terminal.js';

const reprise = inTerminal(addExportCommand, 'export');

/** A folder of results with the experiment `mine`, which has these trajectories. */
function resultsWith(trajectories: readonly TrajectoryData[] | string): string {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-export-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'mine'));
  const text =
    typeof trajectories === 'string'
      ? trajectories
      : trajectories.map((one) => JSON.stringify(one)).join('\n');
  writeFileSync(join(folder, 'mine', 'trajectories.jsonl'), text);
  return folder;
}

function rowsOf(text: string): Record<string, unknown>[] {
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

const EPISODES = [
  episode('whole', [0, 1]),
  episode('half', [0.5]),
  episode('none', [0]),
  episode('failed', [1], { error_info: FAILED }),
];

describe('reprise export', () => {
  test('prints the trajectories as they are, whole', async () => {
    const folder = resultsWith(EPISODES);
    const { code, out, said } = await reprise('mine', '--format', 'trajectories', '--results-dir', folder);
    expect(code).toBe(0);
    expect(rowsOf(out)).toEqual(EPISODES);
    expect(said).toBe('4 rows of 4 trajectories; 0 filtered out\n');
  });

  test.each<[string[], string[]]>([
    [
      ['--min-reward', '0.5'],
      ['whole', 'half'],
    ],
    [
      ['--min-reward', '0'],
      ['whole', 'half', 'none'],
    ],
    [['--successful'], ['whole']],
    [['--successful', '--min-reward', '2'], []],
  ])('%j keeps %j', async (options, kept) => {
    const folder = resultsWith(EPISODES);
    const { out, said } = await reprise(
      'mine',
      '--format',
      'trajectories',
      '--results-dir',
      folder,
      ...options,
    );
    const tasks = rowsOf(out).map((row) => (row as unknown as TrajectoryData).reset_kwargs.task_id);
    expect(tasks).toEqual(kept);
    expect(said).toContain(`of 4 trajectories; ${4 - kept.length} filtered out`);
  });

  test.each<[string, string[]]>([
    ['success_reward: 0.5\n', ['whole', 'half']],
    ['success_reward: 2\n', []],
    ['seed: 1\n', ['whole']],
  ])('takes for a success what the experiment does: %j', async (config, kept) => {
    const folder = resultsWith(EPISODES);
    writeFileSync(join(folder, 'mine', 'config.yaml'), config);
    const options = ['--format', 'trajectories', '--results-dir', folder];
    const rows = rowsOf((await reprise('mine', '--successful', ...options)).out);
    expect(rows.map((row) => (row as unknown as TrajectoryData).reset_kwargs.task_id)).toEqual(kept);
    expect(rowsOf((await reprise('mine', ...options)).out)).toHaveLength(4);
  });

  describe('fills in', () => {
    const cut = {
      ...trajectory([step([[user('q'), assistant('a')]], { reward: 0, truncated: true })]),
      reset_kwargs: { task_id: 'a' },
    };
    const three = [
      episode('a', [0, 1]),
      episode('a', [0]),
      cut,
      episode('b', [1]),
      episode('b', [1], { error_info: FAILED }),
    ];
    const exported = async (...options: string[]) => {
      const { code, out } = await reprise(
        'mine',
        '--format',
        'trajectories',
        '--results-dir',
        resultsWith(three),
        ...options,
      );
      expect(code).toBe(0);
      return rowsOf(out).map((row) =>
        (row as unknown as TrajectoryData).timesteps.map(({ mc_return, advantage }) => [
          mc_return,
          advantage,
        ]),
      );
    };

    test('returns', async () => {
      expect(await exported('--returns', '0.5')).toEqual([
        [
          [0.5, null],
          [1, null],
        ],
        [[0, null]],
        [[0, null]],
        [[1, null]],
        [[null, null]],
      ]);
      expect((await exported('--returns', '1', '--truncation-value', '2'))[2]).toEqual([[2, null]]);
    });

    test('advantages over the trials of a task, of those that are kept', async () => {
      const third = 1 / 3;
      expect(await exported('--advantages', 'none')).toEqual([
        [
          [1, 1 - third],
          [1, 1 - third],
        ],
        [[0, -third]],
        [[0, -third]],
        [[1, 0]],
        [[null, null]],
      ]);
      const unknown = ['--advantages', 'none', '--truncation-value', 'unknown'];
      expect(await exported(...unknown)).toEqual(await exported(...unknown, '--credit', 'episode'));
      expect((await exported(...unknown)).slice(0, 3)).toEqual([
        [
          [1, 0.5],
          [1, 0.5],
        ],
        [[0, -0.5]],
        [[null, null]],
      ]);
      expect(await exported('--advantages', 'none', '--without-truncated')).toHaveLength(4);
      const credited = await exported('--advantages', 'none', '--credit', 'step', '--returns', '0.5');
      expect(credited[0]).toEqual([
        [0.5, 0.5 - 0.5 / 3],
        [1, 1 - 0.5 / 3],
      ]);
    });

    test.each<[string, string[], string]>([
      ['trl', ['--returns', '1'], '--returns: trl has no place for it'],
      ['trajectories', ['--returns', '2'], '--returns 2: must be a discount from 0 to 1'],
      ['trajectories', ['--advantages', 'mean'], '--advantages mean: must be none or standard_deviation'],
      ['trajectories', ['--credit', 'step'], '--credit: is of --returns and --advantages'],
      [
        'trajectories',
        ['--returns', '1', '--truncation-value', 'x'],
        "--truncation-value x: must be a number, or 'unknown'",
      ],
    ])('nothing with %s and %j', async (format, options, message) => {
      const { code, said } = await reprise(
        'mine',
        '--format',
        format,
        '--results-dir',
        resultsWith(three),
        ...options,
      );
      expect([code, said]).toEqual([2, expect.stringContaining(message)]);
    });
  });

  test('writes a file to train with, by the experiment’s own address, without what an error ended', async () => {
    const folder = resultsWith(EPISODES);
    const path = join(folder, 'new', 'train.jsonl');
    const { code, out, said } = await reprise(
      join(folder, 'mine'),
      '--format',
      'openai-finetune',
      '--out',
      path,
    );
    expect([code, out]).toEqual([0, '']);
    // The two steps of the first ask the same: both replies were sampled.
    expect(said).toBe('4 rows of 4 trajectories; 1 filtered out\n');
    const row = {
      messages: [
        { role: 'user', content: 'question' },
        { role: 'assistant', content: 'reply' },
      ],
    };
    expect(rowsOf(readFileSync(path, 'utf8'))).toEqual([row, row, row, row]);
  });

  test('has a column of one row in every row, and says what the format cannot hold', async () => {
    const folder = resultsWith([
      trajectory([step([[user('q'), assistant('a')]])]),
      trajectory([step([[showing('look', 'https://example.org/a.png'), assistant('b')]])], {
        episode_id: 'seen/0',
      }),
      trajectory([step([[showing('look', 'data:image/png;base64,AAAA'), assistant('c')]])], {
        episode_id: 'in/1',
      }),
    ]);
    const { code, out, said } = await reprise('mine', '--format', 'trl', '--results-dir', folder);
    expect(code).toBe(0);
    expect(rowsOf(out).map(({ images }) => images)).toEqual([[], ['https://example.org/a.png']]);
    expect(said).toMatch(
      /^2 rows of 3 trajectories; 0 filtered out\n1 conversations that the format cannot hold:\n/,
    );
    expect(said).toMatch(/│ in\/1 +│ 0 +│ 0 +│ an image is a data URL/);
  });
});

describe('images of an export', () => {
  const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2]);
  const JPEG = Buffer.from([0xff, 0xd8, 0xff, 3]);

  async function serving(body: Buffer): Promise<{ address: string; asked: string[] }> {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
  }

  test('are saved once each: from the chat, from hosts and from folders that are named', async () => {
    const { address, asked } = await serving(JPEG);
    const data = `data:image/png;base64,${PNG.toString('base64')}`;
    const seen = [showing('look', data, `${address}/a.jpg`), assistant('a')];
    const folder = resultsWith([
      trajectory([step([seen]), step([[...seen, user('q'), assistant('b')]])]),
      trajectory([step([[showing('again', `${address}/a.jpg`), assistant('c')]])]),
    ]);
    writeFileSync(join(folder, 'b.png'), PNG);
    const images = join(folder, 'images');
    const { code, out, said } = await reprise(
      'mine',
      ...['--format', 'sharegpt', '--results-dir', folder, '--images', `${images}/`],
      ...['--image-host', '127.0.0.1', '--image-folder', folder],
    );
    expect([code, said]).toEqual([0, '2 rows of 2 trajectories; 0 filtered out\n']);
    const [first, second] = rowsOf(out).map((row) => row.images as string[]);
    expect(first?.map((path) => readFileSync(path))).toEqual([PNG, JPEG]);
    expect(first?.[0]).toMatch(/\/images\/[0-9a-f]{32}\.png$/);
    expect(second).toEqual(first?.slice(1));
    expect(asked).toEqual(['/a.jpg']);
  });

  test('are copied from no folder and fetched from no host that is not named', async () => {
    const { address, asked } = await serving(JPEG);
    const folder = resultsWith([
      trajectory([step([[showing('look', `${address}/a.jpg`), assistant('a')]])]),
      trajectory([step([[showing('look', join(tmpdir(), 'b.png')), assistant('b')]])]),
    ]);
    const { out, said } = await reprise(
      'mine',
      ...['--format', 'sharegpt', '--results-dir', folder, '--images', join(folder, 'images')],
    );
    expect(asked).toEqual([]);
    // A path can be in a row as it is; an address cannot.
    expect(rowsOf(out).map(({ images }) => images)).toEqual([[join(tmpdir(), 'b.png')]]);
    expect(said).toContain('2 images that were not saved:');
    expect(said).toContain('host 127.0.0.1 is not among those that images may come from');
    expect(said).toContain('no folder is given that files may be read from');
  });
});

describe('what cannot be exported is bad input', () => {
  test.each<[string, string[], RegExp]>([
    [
      'an unknown format',
      ['--format', 'csv'],
      /'--format <format>' argument 'csv' is invalid\. Allowed choices are trajectories, openai/,
    ],
    [
      'a reward that is no number',
      ['--format', 'trl', '--min-reward', 'x'],
      /^--min-reward x: must be a number/,
    ],
    ['no reward', ['--format', 'trl', '--min-reward', ''], /^--min-reward : must be a number/],
    [
      'images that no row names',
      ['--format', 'openai-finetune', '--images', 'images'],
      /^--images: openai-finetune holds no paths of images; sharegpt and trl do/,
    ],
    [
      'a host for no images',
      ['--format', 'trl', '--image-host', 'a.org'],
      /name the folder to save in with --images/,
    ],
  ])('%s', async (_name, options, message) => {
    const { code, said } = await reprise('mine', '--results-dir', resultsWith(EPISODES), ...options);
    expect(said).toMatch(message);
    expect(code).toBe(2);
  });

  test('an experiment that is not there, or not finished', async () => {
    const folder = resultsWith(EPISODES);
    for (const id of ['other', join(folder, 'other'), '../mine', '']) {
      const { code, said } = await reprise(id, '--format', 'trl', '--results-dir', folder);
      expect(said).toBe(
        `there is no finished experiment '${id}' in ${folder}; name its folder, or the folder of results with --results-dir`,
      );
      expect(code).toBe(2);
    }
    expect((await reprise('other', '--format', 'trl')).said).toContain("'other' in results or experiments;");
  });

  test('a line that is no trajectory, which is named', async () => {
    const folder = resultsWith(`${JSON.stringify(EPISODES[0])}\n{"timesteps": []}\n`);
    const path = join(folder, 'train.jsonl');
    const { code, said } = await reprise('mine', '--format', 'trl', '--results-dir', folder, '--out', path);
    expect(said).toMatch(/^line 2 of .*mine\/trajectories\.jsonl: .*a trajectory needs at least one step/);
    expect(code).toBe(2);
    expect(() => readFileSync(path)).toThrow('ENOENT');
  });
});
