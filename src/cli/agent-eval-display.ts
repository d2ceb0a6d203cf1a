import type { AgentEvalProgress } from '../contracts/agent-eval-results.js';
import { agentEvalFigures, agentEvalSummary } from './agent-eval-format.js';
import { type Display, displayFor, LiveFigures, type Screen, type Write } from './live-block.js';

/** Milliseconds between two plain lines, unless a tenth of the rollouts has ended meanwhile. */
const LINE_INTERVAL = 10_000;

/** A line for each tenth of the rollouts, each change of phase, and after a while for whatever else is new. */
export class AgentEvalLines implements Display<AgentEvalProgress> {
  private before = { tenth: -1, phase: '', text: '', at: Number.NEGATIVE_INFINITY };

  constructor(
    private readonly write: Write,
    private readonly now: () => number = Date.now,
  ) {}

  show(progress: AgentEvalProgress): void {
    const { ended, rollouts_planned, phase } = progress;
    if (rollouts_planned === 0) return;
    const { before } = this;
    const tenth = Math.floor((ended / rollouts_planned) * 10);
    const text = agentEvalSummary(progress);
    const at = this.now();
    const isDue = tenth !== before.tenth || phase !== before.phase || at - before.at >= LINE_INTERVAL;
    if (text === before.text || !isDue) return;
    this.before = { tenth, phase, text, at };
    this.say(text);
  }

  say(message: string): void {
    this.write(`${message}\n`);
  }

  end(): void {}
}

/** The figures so far at the foot of the screen. */
export class AgentEvalFigures extends LiveFigures<AgentEvalProgress> {
  constructor(screen: Screen) {
    super(screen, (progress) => agentEvalFigures(progress).split('\n'));
  }
}

export function agentEvalDisplay(json: boolean): Display<AgentEvalProgress> {
  return displayFor(json, {
    terminal: (screen) => new AgentEvalFigures(screen),
    lines: (write) => new AgentEvalLines(write),
  });
}
