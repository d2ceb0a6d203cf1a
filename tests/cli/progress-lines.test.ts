import { expect, test } from 'vitest';
import { ProgressLines } from '../../src/cli/progress-lines.js';

interface Progress {
  phase: string;
  message: string | null;
  ended: number;
  planned: number;
  running: number;
}

/** What is written of what is shown, one line after the other. */
function linesOf(shown: [seconds: number, progress: Partial<Progress>][]): string[] {
  let written = '';
  let seconds = 0;
  const lines = new ProgressLines<Progress>(
    (text) => {
      written += text;
    },
    ({ ended, planned, running, phase }) => ({
      ended,
      planned,
      text: `${ended} of ${planned} · ${running} · ${phase}`,
    }),
    () => seconds * 1000,
  );
  for (const [at, progress] of shown) {
    seconds = at;
    lines.show({ phase: 'running', message: null, ended: 0, planned: 20, running: 1, ...progress });
  }
  return written.split('\n').slice(0, -1);
}

test('nothing is said before it is known how much there is', () => {
  expect(linesOf([[0, { planned: 0, phase: 'preparing' }]])).toEqual([]);
});

test('a line for each tenth that has ended, and none for less', () => {
  const lines = linesOf([
    [0, { ended: 0 }],
    [1, { ended: 1 }],
    [2, { ended: 2 }],
    [3, { ended: 2, running: 4 }],
  ]);
  expect(lines.map((line) => line.split(' ')[0])).toEqual(['0', '2']);
});

test('after a while what else is new, and nothing where nothing is', () => {
  const lines = linesOf([
    [0, { running: 1 }],
    [5, { running: 2 }],
    [11, { running: 3 }],
    [30, { running: 3 }],
  ]);
  expect(lines.map((line) => line.split(' · ')[1])).toEqual(['1', '3']);
});

test.each([
  ['phase', { phase: 'paused' }],
  ['message', { message: 'waiting for a model', running: 2 }],
])('a change of its %s at once', (_what, change) => {
  const lines = linesOf([
    [0, {}],
    [1, change],
    [2, change],
  ]);
  expect(lines).toHaveLength(2);
});
