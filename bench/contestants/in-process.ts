import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metrics } from '../../src/contracts/results.js';
import { startProgram, success } from '../measure/command.js';
import { UsageWatch } from '../measure/process-usage.js';
import { IN_PROCESS_CHILD } from '../paths.js';
import { assertDone, type Contestant } from './contestant.js';

/** The same agent, environment and model client without a server: what durability is measured against. */
export const inProcess: Contestant = {
  name: 'in-process',
  title: 'plain loop (runInProcess)',
  run: async (contest, workspace) => {
    const results = join(workspace.folder, 'results', 'bench');
    await mkdir(results, { recursive: true });
    const args = [IN_PROCESS_CHILD, workspace.config, join(results, 'calls.jsonl')];
    const program = startProgram(process.execPath, args, workspace);
    const watch = new UsageWatch([program.pid]);
    try {
      const { stdout, seconds } = await success('runInProcess', program);
      const metrics = JSON.parse(stdout) as Metrics;
      assertDone(metrics, contest);
      return { own_seconds: metrics.wall_seconds, command_seconds: seconds, ...(await watch.stop()) };
    } finally {
      await watch.stop();
    }
  },
};
