import type { AgentEvalProgress } from '../contracts/agent-eval-results.js';
import { agentEvalFigures, agentEvalSummary } from './agent-eval-format.js';
import { type Display, displayFor, LiveFigures, type Screen } from './live-block.js';
import { ProgressLines } from './progress-lines.js';

/** The figures so far at the foot of the screen. */
export class AgentEvalFigures extends LiveFigures<AgentEvalProgress> {
  constructor(screen: Screen) {
    super(screen, (progress) => agentEvalFigures(progress).split('\n'));
  }
}

export function agentEvalDisplay(json: boolean): Display<AgentEvalProgress> {
  return displayFor(json, {
    terminal: (screen) => new AgentEvalFigures(screen),
    lines: (write) =>
      new ProgressLines(write, (progress) => ({
        ended: progress.ended,
        planned: progress.rollouts_planned,
        text: agentEvalSummary(progress),
      })),
  });
}
