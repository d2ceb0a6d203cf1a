import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metrics } from '../../src/kinds/run/results.js';
import { startProgram, success } from '../measure/command.js';
import { UsageWatch } from '../measure/process-usage.js';
import { PLAIN_LOOP_CHILD } from '../paths.js';
import { assertDone, type Contestant } from './contestant.js';

/** The same lanes, agent, environment and model client in a loop that keeps nothing: what durability is measured against. */
export const plainLoop: Contestant = {
  name: 'plain-loop',
  title: 'plain loop',
  run: async (contest, workspace) => {
    const results = join(workspace.folder, 'results', 'bench');
    await mkdir(results, { recursive: true });
    const args = [PLAIN_LOOP_CHILD, workspace.config, join(results, 'calls.jsonl')];
    const program = startProgram(process.execPath, args, workspace);
    const watch = new UsageWatch([program.pid]);
    try {
      const { stdout, seconds } = await success('the plain loop', program);
      const metrics = JSON.parse(stdout) as Metrics;
      assertDone(metrics, contest);
      return { own_seconds: metrics.wall_seconds, command_seconds: seconds, ...(await watch.stop()) };
    } finally {
      await watch.stop();
    }
  },
};
