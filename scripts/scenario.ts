import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';

/** Something that an experiment may go through, whose histories are recorded. */
export interface Scenario {
  /** Also the workflow's id. */
  name: string;
  /** Written to `<name>.yaml`; of a run, unless there is a command. */
  config?: object;
  /** What is started in place of a run. */
  command?: string[];
  /** The exit code of a recording that shows what it should; 0 by default. */
  code?: number;
  /** Acts on the experiment while it works. */
  meanwhile?: (id: string, client: Client) => Promise<void>;
  /** Which of its workflows are recorded, by their ids; all of them by default. */
  isRecorded?: (id: string) => boolean;
  /** So many histories there are where it shows what it should. */
  leastHistories?: number;
}

/** Gives an experiment fewer lanes, pauses it, and lets it continue. */
export async function steered(id: string, client: Client): Promise<void> {
  const handle = client.workflow.getHandle(id);
  await handle.executeUpdate('setConcurrency', { args: [2] });
  await handle.executeUpdate('pause');
  await sleep(500);
  await handle.executeUpdate('resume');
}
