import type { Contestant } from '../contestants/contestant.js';
import type { Mock } from '../mock.js';
import { makeWorkspace } from '../workspace.js';
import { readCalls } from './history.js';
import { type Spread, spreadOf } from './spread.js';

export interface SequentialResult {
  contestant: Contestant['name'];
  title: string;
  calls: number;
  /** Milliseconds from one reply to the next, on average over the run. */
  milliseconds: Spread;
}

/** Calls one after another against a model that answers at once: what a call costs on top of its model. */
export async function measureSequential(
  contestant: Contestant,
  { mock, calls, repetitions }: { mock: Mock; calls: number; repetitions: number },
): Promise<SequentialResult> {
  const means: number[] = [];
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const contest = { samples: calls, concurrency: 1, latency: 0, memoryScope: 'run' as const };
    const workspace = await makeWorkspace(contest, mock.baseUrl);
    try {
      await mock.reset(0);
      await contestant.run(contest, workspace);
      const times = (await readCalls(workspace.folder)).map(({ at }) => Date.parse(at));
      means.push((Math.max(...times) - Math.min(...times)) / (times.length - 1));
    } finally {
      await workspace.remove();
    }
  }
  const { name, title } = contestant;
  return { contestant: name, title, calls, milliseconds: spreadOf(means) };
}
