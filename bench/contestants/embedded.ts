import type { RunResult } from '../../src/kinds/run/contracts.js';
import { startReprise, success } from '../measure/command.js';
import { UsageWatch } from '../measure/process-usage.js';
import type { Contest, Workspace } from '../workspace.js';
import { assertDone, type Contestant, type Outcome } from './contestant.js';

/** One `reprise run` with whatever else it finds in the workspace; other processes may be watched along. */
export async function runCommand(
  contest: Contest,
  workspace: Workspace,
  others: readonly number[] = [],
): Promise<Outcome> {
  const program = startReprise(['run', workspace.config, '--json'], workspace);
  const watch = new UsageWatch([program.pid, ...others]);
  try {
    const { stdout, seconds } = await success('reprise run', program);
    const { metrics } = JSON.parse(stdout) as RunResult;
    assertDone(metrics, contest);
    return { own_seconds: metrics.wall_seconds, command_seconds: seconds, ...(await watch.stop()) };
  } finally {
    await watch.stop();
  }
}

/** What a user types: server, worker and progress in one command. */
export const embedded: Contestant = {
  name: 'embedded',
  title: 'Reprise, embedded server',
  run: (contest, workspace) => runCommand(contest, workspace),
};
