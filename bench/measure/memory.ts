import { embedded } from '../contestants/embedded.js';
import type { Mock } from '../mock.js';
import { makeWorkspace } from '../workspace.js';
import { type HistorySize, historySize } from './history.js';
import type { WatchedUsage } from './process-usage.js';

export interface MemoryResult extends WatchedUsage {
  samples: number;
  own_seconds: number;
  command_seconds: number;
  history: HistorySize;
}

/** One run of many samples against a model that answers at once: how much memory its length costs. */
export async function measureMemory(mock: Mock, samples: number, concurrency: number): Promise<MemoryResult> {
  const contest = { samples, concurrency, latency: 0 };
  const workspace = await makeWorkspace(contest, mock.baseUrl);
  try {
    await mock.reset(0);
    const outcome = await embedded.run(contest, workspace);
    return { samples, ...outcome, history: await historySize(workspace, samples) };
  } finally {
    await workspace.remove();
  }
}
