import { startWorker, stopWorker } from '../measure/command.js';
import type { Contestant } from './contestant.js';
import { runCommand } from './embedded.js';

/** A second worker process beside the one of `reprise run`, on the same server. */
export const twoWorkers: Contestant = {
  name: 'two-workers',
  title: 'Reprise, two workers',
  run: async (contest, workspace) => {
    const second = await startWorker(workspace);
    try {
      return await runCommand(contest, workspace, [second.pid]);
    } finally {
      await stopWorker(second);
    }
  },
};
