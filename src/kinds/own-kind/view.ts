import type { StepCost } from '../../contracts/step-cost.js';
import type { ArtifactStore } from '../../storage/artifact-store.js';
import { keysBelow } from '../../storage/read-ahead.js';
import { readJson, readRows } from '../../storage/stored-file.js';
import type { KindView, LiveRow } from '../kind.js';
import { ownKindComparison } from './comparison.js';
import type { OwnKindMetrics, OwnKindRow } from './contracts.js';
import { sampleOf, samplesPrefix } from './paths.js';
import { ownKindReport } from './report.js';

type Task = Pick<OwnKindRow, 'id' | 'question' | 'target'>;

async function tasksOf(store: ArtifactStore): Promise<Task[]> {
  const tasks: Task[] = [];
  for (const key of await keysBelow(store, 'dataset/'))
    for await (const { id, question, target } of readRows<Task>(store, key))
      tasks.push({ id, question, target });
  return tasks;
}

/** Reads the rows of the samples that have ended, with the tasks of the dataset. */
function liveRows(store: ArtifactStore) {
  let tasks: Promise<Task[]> | undefined;
  return {
    below: samplesPrefix(),
    read: async (key: string): Promise<LiveRow[]> => {
      const place = sampleOf(key);
      tasks ??= tasksOf(store);
      const [stored, { [place]: task }] = await Promise.all([
        readJson<{ row: object; cost: StepCost }>(store, key),
        tasks,
      ]);
      if (stored === null || task === undefined) return [];
      const { lm_calls, usage, cost_usd } = stored.cost;
      return [{ place, row: { scores: {}, error: null, ...stored.row, ...task, lm_calls, usage, cost_usd } }];
    },
  };
}

export const ownKindView: KindView<OwnKindMetrics, OwnKindRow> = {
  unit: 'sample',
  outcomeOf: ownKindComparison.outcomeOf,
  report: ownKindReport,
  liveRows,
};
