import type { StepCost } from '../../contracts/step-cost.js';
import type { ArtifactStore } from '../../storage/artifact-store.js';
import { keysBelow } from '../../storage/read-ahead.js';
import { readJson, readRows } from '../../storage/stored-file.js';
import type { KindView } from '../kind.js';
import { ownKindComparison } from './comparison.js';
import type { OwnKindMetrics, OwnKindRow } from './contracts.js';
import { sampleKey } from './paths.js';
import { ownKindReport } from './report.js';

/** Reads the rows of the samples that have ended, with the tasks of the dataset. */
async function* liveRows(store: ArtifactStore): AsyncGenerator<OwnKindRow> {
  let sample = 0;
  for (const key of await keysBelow(store, 'dataset/'))
    for await (const task of readRows<Pick<OwnKindRow, 'id' | 'question' | 'target'>>(store, key)) {
      const stored = await readJson<{ row: object; cost: StepCost }>(store, sampleKey(sample++));
      if (stored === null) continue;
      const { lm_calls, usage, cost_usd } = stored.cost;
      const { id, question, target } = task;
      yield {
        scores: {},
        error: null,
        ...stored.row,
        id,
        question,
        target,
        lm_calls,
        usage,
        cost_usd,
      } as OwnKindRow;
    }
}

export const ownKindView: KindView<OwnKindMetrics, OwnKindRow> = {
  unit: 'sample',
  outcomeOf: ownKindComparison.outcomeOf,
  report: ownKindReport,
  liveRows,
};
