import type { AgentEvalMetrics, AgentEvalResult } from '../../src/kinds/agent-eval/results.js';
import { type Finished, type Program, startProgram, startReprise, success } from '../measure/command.js';
import { UsageWatch } from '../measure/process-usage.js';
import { PLAIN_ROLLOUTS_CHILD } from '../paths.js';
import type { RolloutContest } from '../rollouts-workspace.js';
import type { BenchFolder } from '../workspace.js';
import type { Outcome } from './contestant.js';

/** What is looked at to tell whether the work was done, and how long it took. */
export type RolloutFigures = Pick<
  AgentEvalMetrics,
  'status' | 'rollouts' | 'mean_reward' | 'tool_calls' | 'tool_calls_failed' | 'wall_seconds'
>;

export interface RolloutContestant {
  name: 'durable' | 'plain';
  title: string;
  /** @throws Error where not every rollout was ended with every tool call, and rewarded. */
  run(contest: RolloutContest, folder: BenchFolder): Promise<Outcome>;
}

/** A figure counts only where the work was done. */
export function assertRolledOut(figures: RolloutFigures, contest: RolloutContest): void {
  const { status, rollouts, mean_reward, tool_calls, tool_calls_failed } = figures;
  const wanted = contest.rows * contest.rollouts_a_row;
  const calls = wanted * contest.tool_calls;
  const wholeWork = rollouts === wanted && tool_calls === calls && tool_calls_failed === 0;
  if (status === 'done' && wholeWork && mean_reward === 1) return;
  throw new Error(
    `the evaluation ended ${status}: ${rollouts} of ${wanted} rollouts, ${tool_calls} of ${calls} tool calls, ${tool_calls_failed} of them failed, mean reward ${mean_reward}`,
  );
}

async function outcomeOf(
  contest: RolloutContest,
  { what, program }: { what: string; program: Program },
  read: (finished: Finished) => RolloutFigures,
): Promise<Outcome> {
  const watch = new UsageWatch([program.pid]);
  try {
    const finished = await success(what, program);
    const usage = await watch.stop();
    const figures = read(finished);
    assertRolledOut(figures, contest);
    return { own_seconds: figures.wall_seconds, command_seconds: finished.seconds, ...usage };
  } finally {
    await watch.stop();
  }
}

/** What a user types: server, worker and progress in one command. */
const durable: RolloutContestant = {
  name: 'durable',
  title: 'Reprise, embedded server',
  run: (contest, folder) =>
    outcomeOf(
      contest,
      {
        what: 'reprise agent-eval',
        program: startReprise(['agent-eval', folder.config, '--json'], folder),
      },
      ({ stdout }) => (JSON.parse(stdout) as AgentEvalResult).metrics,
    ),
};

/** The same rules, tools, databases and model client in a plain loop that keeps nothing. */
const plain: RolloutContestant = {
  name: 'plain',
  title: 'plain loop (playRow)',
  run: (contest, folder) =>
    outcomeOf(
      contest,
      {
        what: 'rollouts in a plain loop',
        program: startProgram(process.execPath, [PLAIN_ROLLOUTS_CHILD, folder.config], folder),
      },
      ({ stdout }) => JSON.parse(stdout) as RolloutFigures,
    ),
};

export const rolloutContestants: readonly RolloutContestant[] = [durable, plain];
