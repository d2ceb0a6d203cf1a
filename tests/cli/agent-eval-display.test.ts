import { describe, expect, test } from 'vitest';
import { AgentEvalFigures } from '../../src/cli/agent-eval-display.js';
import { evaluationProgress } from './agent-eval-support.js';

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
