import { describe, expect, test } from 'vitest';
import { AgentEvalFigures, AgentEvalLines } from '../../src/cli/agent-eval-display.js';
import type { AgentEvalProgress } from '../../src/contracts/agent-eval-results.js';
import { evaluationProgress } from './agent-eval-support.js';

function linesOf(shown: [seconds: number, progress: Partial<AgentEvalProgress>][]): string[] {
  let written = '';
  let seconds = 0;
  const lines = new AgentEvalLines(
    (text) => {
      written += text;
    },
    () => seconds * 1000,
  );
  for (const [at, progress] of shown) {
    seconds = at;
    lines.show(evaluationProgress(progress));
  }
  return written.split('\n').slice(0, -1);
}

describe('plain lines', () => {
  test('nothing is said before the rows are known', () => {
    expect(linesOf([[0, { rollouts_planned: 0, phase: 'preparing' }]])).toEqual([]);
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
    expect(lines.map((line) => /(\d) running/.exec(line)?.[1])).toEqual(['1', '3']);
  });

  test('a change of phase at once', () => {
    const lines = linesOf([
      [0, {}],
      [1, { phase: 'paused' }],
    ]);
    expect(lines[1]).toContain('paused');
  });
});

describe('figures on a terminal', () => {
  function screen(columns: number) {
    let written = '';
    const write = (text: string) => {
      written += text;
    };
    return { write, size: () => ({ rows: 24, columns }), written: () => written };
  }

  test('are drawn in their own place again; what is said stands above them', () => {
    const terminal = screen(120);
    const figures = new AgentEvalFigures(terminal);
    figures.show(evaluationProgress({ ended: 1 }));
    const lines = terminal.written().split('\n').length - 1;
    figures.show(evaluationProgress({ ended: 1 }));
    figures.say('hello');
    figures.show(evaluationProgress({ ended: 2 }));
    const [, said, again] = terminal.written().split(`\x1b[${lines}A\x1b[0J`);
    expect(said).toMatch(/^hello\n[\s\S]*1 of 20/);
    expect(again).toContain('2 of 20');
  });

  test('fit the screen, and stay when it is over', () => {
    const terminal = screen(20);
    const figures = new AgentEvalFigures(terminal);
    figures.show(evaluationProgress());
    const lengths = terminal
      .written()
      .split('\n')
      .map((line) => [...line].length);
    expect(Math.max(...lengths)).toBe(19);
    const before = terminal.written();
    figures.end();
    figures.show(evaluationProgress({ ended: 5 }));
    expect(terminal.written()).toBe(before);
  });
});
