import { describe, expect, test } from 'vitest';
import { LinesDisplay, LiveDisplay } from '../../src/cli/display.js';
import type { ExperimentProgress } from '../../src/contracts/progress.js';
import type { EvolveProgress } from '../../src/kinds/evolve/results.js';
import {
  ANY_FACTS,
  begunNodes,
  EVALUATION,
  EVOLUTION,
  IN_PROGRESS,
  KINDS,
  node,
} from '../support/experiments.js';

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`);

/** Answers that hold the newest `kept` of so many lines. */
const polled = (count: number, kept = 200): Pick<EvolveProgress, 'lines' | 'line_count'> => ({
  lines: lines(Math.max(count - kept, 0) + 1, count),
  line_count: count,
});

/** What is written of what is shown where no terminal is, one line after the other. */
function written(...shown: [seconds: number, progress: ExperimentProgress][]): string[] {
  let text = '';
  let seconds = 0;
  const display = new LinesDisplay(
    (more) => {
      text += more;
    },
    ANY_FACTS,
    () => seconds * 1000,
  );
  for (const [at, progress] of shown) {
    seconds = at;
    display.show(progress);
  }
  display.end();
  expect(text.endsWith('\n') || text === '').toBe(true);
  return text.split('\n').slice(0, -1);
}

/** Progress whose sentences on the config were said before. */
const withoutMeans = (progress: ExperimentProgress): ExperimentProgress =>
  Object.assign({}, progress, { means: [] });

/** How the units of an evaluation are, and what else is so. */
const evaluation = (ended: number, more: Partial<ExperimentProgress> = {}): ExperimentProgress => ({
  ...EVALUATION,
  units: { noun: 'rollout', planned: 20, ended, running: 1 },
  ...more,
});
const paid = (lm_calls: number) => ({ spending: { ...EVALUATION.spending, lm_calls } });

describe('where no terminal is', () => {
  test.each(KINDS)('a line says the most important of: %s', (kind) => {
    const { noun, ended, planned } = IN_PROGRESS[kind].units;
    const [line, ...others] = written([0, withoutMeans(IN_PROGRESS[kind])]);
    expect(line).toMatch(new RegExp(`^${ended} of ${planned} ${noun}s · .* · 31 LM calls · \\$0\\.5000$`));
    expect(others).toEqual([]);
  });

  test('what the config means is said once, and not again where the command has said it', () => {
    let text = '';
    const display = new LinesDisplay((more) => {
      text += more;
    }, ANY_FACTS);
    const means = ['Samples are independent.', 'Workers run bundles of samples, since there are 400.'];
    display.say(means[0] as string);
    for (const ended of [0, 1]) display.show({ ...evaluation(ended), means } as ExperimentProgress);
    const count = (sentence: string) => text.split(sentence).length - 1;
    expect(means.map(count)).toEqual([1, 1]);
  });

  test('nothing is said before it is known how much there is', () => {
    const units = { noun: 'rollout', planned: 0, ended: 0, running: 0 };
    expect(written([0, evaluation(0, { units, phase: 'preparing' })])).toEqual([]);
  });

  test('a line for each tenth that has ended, and none for less', () => {
    const found = written(
      [0, evaluation(0)],
      [1, evaluation(1)],
      [2, evaluation(2)],
      [3, evaluation(2, paid(40))],
    );
    expect(found.map((line) => line.split(' ')[0])).toEqual(['0', '2']);
  });

  test('after a while what else is new, and nothing where nothing is', () => {
    const found = written(
      [0, evaluation(1, paid(1))],
      [5, evaluation(1, paid(2))],
      [11, evaluation(1, paid(3))],
      [30, evaluation(1, paid(3))],
    );
    expect(found.map((line) => /\d+(?= LM call)/.exec(line)?.[0])).toEqual(['1', '3']);
  });

  test.each<[string, Partial<ExperimentProgress>, string]>([
    ['phase', { phase: 'paused' }, 'paused'],
    ['message', { message: 'waiting for a model' }, 'running: waiting for a model'],
  ])('a change of its %s at once', (_what, change, state) => {
    const found = written([0, evaluation(0)], [1, evaluation(0, change)], [2, evaluation(0, change)]);
    expect(found.map((line) => line.split(' · ').at(-1))).toEqual(['$0.5000', state]);
  });

  test('what it tells is said once, and between that what it has come to, whenever a tenth has ended', () => {
    const at = (ended: number, count: number, more: Partial<EvolveProgress> = {}): EvolveProgress => ({
      ...EVOLUTION,
      best: null,
      errors: 0,
      units: { noun: 'iteration', planned: 4, ended, running: 1 },
      ...polled(count),
      ...more,
    });
    expect(
      written(
        [0, at(0, 1)],
        [20, at(0, 2, paid(50))],
        [21, at(1, 2)],
        [22, at(1, 3, { phase: 'paused' })],
        [23, at(1, 3)],
        [24, at(1, 4, { phase: 'limit_reached', message: 'limits.max_lm_calls' })],
      ),
    ).toEqual([
      'line 1',
      '0 of 4 iterations · 24 executions · 31 LM calls · $0.5000',
      'line 2',
      '1 of 4 iterations · 24 executions · 31 LM calls · $0.5000',
      'line 3',
      '1 of 4 iterations · 24 executions · 31 LM calls · $0.5000 · paused',
      'line 4',
      '1 of 4 iterations · 24 executions · 31 LM calls · $0.5000 · limit_reached: limits.max_lm_calls',
    ]);
  });

  describe('the lines that it tells are given', () => {
    const told = (...polls: Pick<EvolveProgress, 'lines' | 'line_count'>[]) =>
      written(
        ...polls.map((poll, at): [number, EvolveProgress] => [
          at,
          { ...EVOLUTION, units: { noun: 'iteration', planned: 0, ended: 0, running: 0 }, ...poll },
        ]),
      );

    test.each<[string, number[], string[]]>([
      ['once each, however often they are polled', [2, 2, 3, 3, 5], lines(1, 5)],
      ['none where there is none', [0, 0], []],
      ['all from the beginning of another execution', [3, 1, 2], [...lines(1, 3), ...lines(1, 2)]],
      ['all at once to who comes late', [150], lines(1, 150)],
    ])('%s', (_what, counts, expected) => {
      expect(told(...counts.map((count) => polled(count)))).toEqual(expected);
    });

    test('and it is said how many were missed where more came than an answer holds', () => {
      const missed = '(2 lines were missed; they are in run.log)';
      expect(told(polled(10, 5), polled(13, 5), polled(20, 5)).slice(6)).toEqual([
        ...lines(11, 13),
        missed,
        ...lines(16, 20),
      ]);
      expect(told(polled(7, 5))[0]).toBe(missed);
    });
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
  const evolution = (more: Partial<EvolveProgress>): EvolveProgress => ({
    ...EVOLUTION,
    units: { noun: 'iteration', planned: 4, ended: 0, running: 1 },
    ...more,
  });
  const first = evolution({ ...polled(1), nodes: [node('0', 0), node('1', 0)] });
  const second = evolution({
    ...polled(3),
    units: { noun: 'iteration', planned: 4, ended: 1, running: 1 },
    nodes: begunNodes(),
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
    const table = new LiveDisplay(terminal, ANY_FACTS);
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
    expect(terminal.lines.slice(-2)).toEqual([
      '█████░░░░░░░░░░░░░░░ 1 of 4 iterations',
      'best score 0.25 · 24 executions · 1 error · 31 LM calls · $0.5000',
    ]);
  });

  test('nothing is written where nothing has changed', () => {
    const terminal = new Terminal();
    const table = new LiveDisplay(terminal, ANY_FACTS);
    table.show(first);
    table.show({ ...first });
    expect(terminal.writes).toBe(1);
  });

  test('the newest scaffolds are shown where there is no room for all, and every line fits', () => {
    const terminal = new Terminal(20, 40);
    const nodes = Array.from({ length: 30 }, (_, number) => node(String(number), 0));
    new LiveDisplay(terminal, ANY_FACTS).show(evolution({ nodes, best: { id: '3', score: 0.123456 } }));
    expect(terminal.lines.length).toBeLessThanOrEqual(14);
    expect(terminal.lines[0]).toMatch(/^and \d+ before them$/);
    expect(terminal.lines.at(-3)).toMatch(/^└/);
    expect(terminal.lines.some((line) => line.includes(' 29 '))).toBe(true);
    expect(Math.max(...terminal.lines.map((line) => [...line].length))).toBeLessThan(40);
  });

  test('a terminal of a few lines shows a few scaffolds still', () => {
    const terminal = new Terminal(5, 80);
    const nodes = Array.from({ length: 9 }, (_, number) => node(String(number), 0));
    new LiveDisplay(terminal, ANY_FACTS).show(evolution({ nodes }));
    expect(cells(terminal)).toHaveLength(4);
  });

  test('what was drawn last stays when it ends, and later sentences stand below', () => {
    const terminal = new Terminal();
    const table = new LiveDisplay(terminal, ANY_FACTS);
    table.show(second);
    const drawn = [...terminal.lines];
    table.end();
    table.say('Interrupted.');
    table.show(first);
    expect(terminal.lines).toEqual([...drawn, 'Interrupted.']);
  });

  test.each(KINDS)('there is a bar for: %s', (kind) => {
    const terminal = new Terminal(24, 200);
    const { noun, ended, planned } = IN_PROGRESS[kind].units;
    new LiveDisplay(terminal, ANY_FACTS).show({ ...withoutMeans(IN_PROGRESS[kind]), phase: 'paused' });
    const full = Math.floor((20 * ended) / planned);
    const [bar, state] = terminal.lines;
    expect(bar).toContain(`${'█'.repeat(full)}${'░'.repeat(20 - full)} ${ended} of ${planned} ${noun}s · `);
    expect(state).toBe('paused');
  });

  test('how it stands is shown while nothing is known of its work', () => {
    const terminal = new Terminal();
    const units = { noun: 'rollout', planned: 0, ended: 0, running: 0 };
    const display = new LiveDisplay(terminal, ANY_FACTS);
    display.show(evaluation(0, { units, phase: 'preparing' }));
    expect(terminal.lines).toEqual([]);
    display.show(evaluation(0, { units, phase: 'preparing', message: 'waiting for the disk' }));
    expect(terminal.lines).toEqual(['preparing: waiting for the disk']);
  });
});
