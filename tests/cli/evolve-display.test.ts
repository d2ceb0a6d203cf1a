import { describe, expect, test } from 'vitest';
import { EvolveLines, LineFeed, LiveTable } from '../../src/cli/evolve-display.js';
import type { EvolveProgress } from '../../src/contracts/evolve-results.js';
import { node, progressOf } from './evolve-support.js';

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`);

/** Answers that hold the newest `kept` of so many lines. */
const polled = (count: number, kept = 200): Pick<EvolveProgress, 'lines' | 'line_count'> => ({
  lines: lines(Math.max(count - kept, 0) + 1, count),
  line_count: count,
});

describe('the lines of an experiment', () => {
  test.each<[string, number[], string[][]]>([
    [
      'once each, however often they are polled',
      [2, 2, 3, 3, 5],
      [lines(1, 2), [], lines(3, 3), [], lines(4, 5)],
    ],
    ['none where there is none', [0, 0], [[], []]],
    ['all from the beginning of another execution', [3, 1, 2], [lines(1, 3), lines(1, 1), lines(2, 2)]],
    ['all at once to who comes late', [150], [lines(1, 150)]],
  ])('are given %s', (_what, counts, expected) => {
    const feed = new LineFeed();
    expect(counts.map((count) => feed.next(polled(count)))).toEqual(expected);
  });

  test('are missed where more came than an answer holds, and it is said how many', () => {
    const feed = new LineFeed();
    feed.next(polled(10, 5));
    expect(feed.next(polled(13, 5))).toEqual(lines(11, 13));
    expect(feed.next(polled(20, 5))).toEqual([
      '(2 lines were missed; they are in run.log)',
      ...lines(16, 20),
    ]);
    expect(new LineFeed().next(polled(7, 5))[0]).toBe('(2 lines were missed; they are in run.log)');
  });
});

/** What a display wrote, line by line. */
function written(show: (write: (text: string) => void) => void): string[] {
  let text = '';
  show((more) => {
    text += more;
  });
  expect(text.endsWith('\n') || text === '').toBe(true);
  return text.split('\n').slice(0, -1);
}

describe('where no terminal is', () => {
  test('a line is written for each event, and after each iteration what it has cost so far', () => {
    const totals = {
      executions: 24,
      executions_failed: 2,
      lm_calls: 3,
      usage: { input_tokens: 1, output_tokens: 1 },
      cost_usd: 0.0123,
    };
    const best = { id: '2-0', score: 0.75 };
    const shown = written((write) => {
      const display = new EvolveLines(write);
      display.say('Started game');
      display.show(progressOf({ phase: 'preparing' }));
      display.show(progressOf({ ...polled(1) }));
      display.show(progressOf({ ...polled(2), iteration: 1, totals }));
      display.show(progressOf({ ...polled(2), iteration: 1, totals }));
      display.show(progressOf({ ...polled(3), iteration: 1, totals, phase: 'paused' }));
      display.show(progressOf({ ...polled(3), iteration: 1, totals }));
      display.show(progressOf({ ...polled(4), iteration: 2, totals: { ...totals, cost_usd: null }, best }));
      display.show(progressOf({ ...polled(4), iteration: 2, totals, best, phase: 'writing' }));
      display.show(
        progressOf({
          ...polled(5),
          iteration: 2,
          totals,
          best,
          phase: 'limit_reached',
          message: 'limits.max_lm_calls',
        }),
      );
      display.end();
    });
    expect(shown).toEqual([
      'Started game',
      'line 1',
      'line 2',
      'So far: 24 executions, 2 failed · 3 LM calls · $0.0123',
      'line 3',
      'iteration 1 of 3 · 24 executions, 2 failed · 3 LM calls · $0.0123 · paused',
      'line 4',
      'So far: 24 executions, 2 failed · 3 LM calls · cost unknown',
      'line 5',
      'iteration 2 of 3 · best 2-0 with 0.75 · 24 executions, 2 failed · 3 LM calls · $0.0123 · limit_reached: limits.max_lm_calls',
    ]);
  });
});

/** A terminal that understands what is written: cursor up, erase to the end, line by line. */
class Terminal {
  readonly lines: string[] = [];
  writes = 0;

  constructor(
    public rows = 24,
    public columns = 80,
  ) {}

  write = (text: string): void => {
    this.writes += 1;
    const parts = text.split('\u001b[');
    const rest = parts.length === 1 ? text : (parts[2] as string).slice('0J'.length);
    if (parts.length > 1) {
      expect([parts.length, parts[0], parts[2]?.slice(0, 2)]).toEqual([3, '', '0J']);
      expect(parts[1]).toMatch(/^\d+A$/);
      this.lines.splice(this.lines.length - Number.parseInt(parts[1] as string, 10));
    }
    this.lines.push(...rest.split('\n').slice(0, -1));
  };

  size = () => ({ rows: this.rows, columns: this.columns });
}

describe('on a terminal', () => {
  const first = progressOf({ ...polled(1), nodes: [node('0', 0), node('1', 0)] });
  const second = progressOf({
    ...polled(3),
    iteration: 1,
    nodes: [
      node('0', 0, {
        status: 'validated',
        valid: [{ iteration: 1, score: 0.25 }],
        train: [{ iteration: 1, example_id: 'a', score: 1 }],
        cost_usd: 0.0125,
      }),
      node('1', 0, { status: 'failed', cost_usd: null }),
      node('0-0', 1),
      node('2', 0, { status: 'duplicate', duplicate_of: '0' }),
    ],
    best: { id: '0', score: 0.25 },
  });

  const cells = (terminal: Terminal) =>
    terminal.lines
      .filter((line) => line.startsWith('│'))
      .map((line) =>
        line
          .split('│')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      );

  test('the table stands below the lines, and is drawn over with every answer', () => {
    const terminal = new Terminal();
    const table = new LiveTable(terminal);
    table.say('Started game');
    table.show(first);
    expect(terminal.lines.slice(0, 2)).toEqual(['Started game', 'line 1']);
    expect(cells(terminal)).toEqual([
      ['iteration', 'scaffold', 'parent', 'train', 'valid', 'cost'],
      ['0', '0', '–', '–', '–', '–'],
      ['0', '1', '–', '–', '–', '–'],
    ]);
    table.show(second);
    table.say('A sentence');
    expect(terminal.lines.slice(0, 5)).toEqual(['Started game', 'line 1', 'line 2', 'line 3', 'A sentence']);
    expect(cells(terminal)).toEqual([
      ['iteration', 'scaffold', 'parent', 'train', 'valid', 'cost'],
      ['0', '0', '–', '1', '0.25', '$0.0125'],
      ['0', '1', '–', '–', 'failed', 'unknown'],
      ['0', '2', '–', '–', 'same as 0', '–'],
      ['1', '0-0', '0', '–', '–', '–'],
    ]);
    expect(terminal.lines.at(-1)).toBe(
      'iteration 1 of 3 · best 0 with 0.25 · 0 executions · 0 LM calls · $0.0000',
    );
  });

  test('nothing is written where nothing has changed', () => {
    const terminal = new Terminal();
    const table = new LiveTable(terminal);
    table.show(first);
    table.show({ ...first });
    expect(terminal.writes).toBe(1);
  });

  test('the newest scaffolds are shown where there is no room for all, and every line fits', () => {
    const terminal = new Terminal(20, 40);
    const nodes = Array.from({ length: 30 }, (_, number) => node(String(number), 0));
    new LiveTable(terminal).show(progressOf({ nodes, best: { id: '3', score: 0.123456 } }));
    expect(terminal.lines.length).toBeLessThanOrEqual(14);
    expect(terminal.lines[0]).toMatch(/^and \d+ before them$/);
    expect(terminal.lines.at(-2)).toMatch(/^└/);
    expect(terminal.lines.some((line) => line.includes(' 29 '))).toBe(true);
    expect(Math.max(...terminal.lines.map((line) => [...line].length))).toBeLessThan(40);
  });

  test('a terminal of a few lines shows a few scaffolds still', () => {
    const terminal = new Terminal(5, 80);
    const nodes = Array.from({ length: 9 }, (_, number) => node(String(number), 0));
    new LiveTable(terminal).show(progressOf({ nodes }));
    expect(cells(terminal)).toHaveLength(4);
  });

  test('what was drawn last stays when it ends, and later sentences stand below', () => {
    const terminal = new Terminal();
    const table = new LiveTable(terminal);
    table.show(second);
    const drawn = [...terminal.lines];
    table.end();
    table.say('Interrupted.');
    table.show(first);
    expect(terminal.lines).toEqual([...drawn, 'Interrupted.']);
  });
});
