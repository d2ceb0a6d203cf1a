import { describe, expect, test } from 'vitest';
import {
  EXPORT_FORMATS,
  exportRows,
  exportTrajectories,
  isSuccessful,
  NO_COLUMNS,
  type TrajectoryFilter,
  withColumnsOf,
} from '../../../src/trajectories/exports/index.js';
import type { Message } from '../../../src/trajectories/message.js';
import { episodeReturn } from '../../../src/trajectories/returns.js';
import { Trajectory } from '../../../src/trajectories/trajectory.js';
import {
  assistant,
  calling,
  episode,
  FAILED,
  showing,
  step,
  toolResult,
  trajectory,
  user,
} from '../support.js';

const episodes = [
  episode('whole', [0, 1]),
  episode('half', [0.5]),
  episode('sum', [0.1, 0.1, 0.1, 0.7]),
  episode('none', [0]),
  episode('unknown', [null]),
  episode('failed', [1, null], { error_info: FAILED }),
];

function kept(filter: TrajectoryFilter): unknown[] {
  return exportTrajectories('trajectories', episodes, filter).rows.map(
    (row) => (row as { reset_kwargs: { task_id: string } }).reset_kwargs.task_id,
  );
}

describe('filters', () => {
  test('are not misled by rounding', () => {
    const [, , sum] = episodes;
    expect(sum === undefined ? null : episodeReturn(sum)).toBe(0.9999999999999999);
  });

  test.each<[TrajectoryFilter, string[]]>([
    [{}, ['whole', 'half', 'sum', 'none', 'unknown', 'failed']],
    [{ withoutErrors: true }, ['whole', 'half', 'sum', 'none', 'unknown']],
    [{ successful: true }, ['whole', 'sum']],
    [{ successful: true, successReward: 0.5 }, ['whole', 'half', 'sum']],
    [{ successful: true, successReward: 0 }, ['whole', 'half', 'sum', 'none']],
    [{ successReward: 2 }, ['whole', 'half', 'sum', 'none', 'unknown', 'failed']],
    [{ minimumReward: 0.5 }, ['whole', 'half', 'sum']],
    [{ minimumReward: 1 }, ['whole', 'sum']],
    [{ minimumReward: 0 }, ['whole', 'half', 'sum', 'none']],
    [{ minimumReward: 2, successful: true }, []],
    [{ successful: false }, ['whole', 'half', 'sum', 'none', 'unknown', 'failed']],
  ])('%j keeps %j', (filter, expected) => {
    expect(kept(filter)).toEqual(expected);
    expect(exportTrajectories('trajectories', episodes, filter).filtered).toBe(
      episodes.length - expected.length,
    );
  });

  test('leave out what was cut, where they are asked to', () => {
    const cut = trajectory([step([[user('q'), assistant('a')]], { reward: 1, truncated: true })]);
    const rows = (filter: TrajectoryFilter) =>
      exportTrajectories('trl', [cut, ...episodes], filter).rows.length;
    expect(rows({}) - rows({ withoutTruncated: true })).toBe(1);
    expect(isSuccessful(cut)).toBe(true);
  });

  test('the evaluation says whether an evaluated episode succeeded, unless an error ended it', () => {
    const are = (success: unknown, reward: number) => ({
      ...episode('t', [reward]),
      are_evaluation: { success },
    });
    expect([isSuccessful(are(true, 0)), isSuccessful(are(false, 1))]).toEqual([true, false]);
    const judged = (judge_response: unknown) => ({ ...episode('t', [1]), judge_response }) as never;
    expect(
      [{ success: 0 }, { success: 1 }, { score: 0 }, null].map((said) => isSuccessful(judged(said))),
    ).toEqual([false, true, true, true]);
    expect(isSuccessful({ ...are(true, 1), error_info: FAILED })).toBe(false);
  });
});

describe('every training format', () => {
  test.each(EXPORT_FORMATS.filter((format) => format !== 'trajectories'))(
    '%s leaves out episodes that an error ended, unless told otherwise',
    (format) => {
      // Each step of these repeats one exchange: as many rows as steps.
      expect(exportTrajectories(format, episodes).rows).toHaveLength(9);
      expect(exportTrajectories(format, episodes).filtered).toBe(1);
      const all = exportTrajectories(format, episodes, { withoutErrors: false });
      expect(all.rows).toHaveLength(11);
      expect(all.filtered).toBe(0);
    },
  );

  test.each(EXPORT_FORMATS)('%s takes instances as well as data', (format) => {
    const [data] = episodes;
    if (data === undefined) throw new Error('there is one');
    const rows = exportRows(format, Trajectory.parse(data), { columns: NO_COLUMNS });
    expect(rows).toEqual(exportRows(format, data, { columns: NO_COLUMNS }));
    expect(rows.rows.length).toBeGreaterThan(0);
  });

  test('tells which conversation it refused, and writes the others', () => {
    const mixed = trajectory([
      step([[user('q'), assistant('a')]]),
      step([
        [user('q2'), assistant('b')],
        [user('q3'), assistant('')],
      ]),
    ]);
    const { rows, refused } = exportTrajectories('trl', [mixed]);
    expect(rows).toHaveLength(2);
    expect(refused).toEqual([{ episode_id: 't1/0', step: 1, chat: 1, reason: 'the reply is empty' }]);
  });
});

describe.each(['openai-finetune', 'sharegpt'] as const)('an empty reply at the end, as %s', (format) => {
  const booked = [
    user('book it'),
    calling(['1', 'book', '{}']),
    toolResult('1', 'done'),
    assistant('Anything else?'),
  ];
  /** The rows of an agent that sends its whole history with every call. */
  const rowsOf = (messages: Message[], replies: number[]) => {
    const steps = replies.map((reply) => step([messages.slice(0, reply + 1)]));
    return exportTrajectories(format, [trajectory(steps)]);
  };

  test.each<[string, Message[], number[], Message[]]>([
    ['after an answer', [...booked, user('no'), assistant('')], [1, 3, 5], booked],
    ['after a tool', [...booked.slice(0, 3), assistant(' ')], [1, 3], booked.slice(0, 2)],
  ])('is left out %s', (_where, messages, replies, kept) => {
    const { rows, refused } = rowsOf(messages, replies);
    expect(refused).toEqual([]);
    expect(rows).toEqual(rowsOf(kept, replies.slice(0, -1)).rows);
    expect(rows).toHaveLength(1);
  });

  test('is refused where the model has said nothing else, and so is one in the middle', () => {
    const reasons = [
      rowsOf([user('q'), assistant('')], [1]),
      rowsOf([user('q'), assistant(''), user('hello?'), assistant('')], [1, 3]),
    ].map(({ refused }) => refused.map(({ reason }) => reason));
    expect(reasons).toEqual([['a reply is empty'], ['a reply is empty']]);
  });
});

test('a column that one trajectory needs is in every row', () => {
  const tools = { available_tool_schemas: [{ name: 'look' }] };
  const all = [
    episode('plain', [1]),
    trajectory([step([[user('q'), assistant('a')]], tools)]),
    trajectory([step([[showing('look', 'a.png'), assistant('a')]])]),
  ];
  expect(all.map((one) => withColumnsOf(NO_COLUMNS, one))).toEqual([
    { images: false, tools: false },
    { images: false, tools: true },
    { images: true, tools: false },
  ]);
  expect(all.reduce(withColumnsOf, NO_COLUMNS)).toEqual({ images: true, tools: true });
  for (const format of ['sharegpt', 'trl'] as const) {
    const columns = exportTrajectories(format, all).rows.map((row) => Object.keys(row).sort().join());
    expect(columns).toHaveLength(3);
    expect(new Set(columns).size).toBe(1);
    expect(columns[0]).toContain('images');
    expect(columns[0]).toContain('tools');
  }
});
