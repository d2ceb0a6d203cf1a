import type { ReceivedRequests } from '../../../contracts/experiment.js';
import {
  isAmount,
  isChild,
  isCount,
  isNumber,
  isText,
  listOf,
  orAbsent,
  orNull,
  shaped,
  stepCost,
} from '../../../contracts/incoming.js';
import { SIGNALS } from '../../../contracts/names.js';
import { defineSignal } from '../../../workflows/sdk.js';
import type { EvolveTotals, IterationReport, ScaffoldNode } from '../contracts.js';

export const evolveReportSignal = defineSignal<[IterationReport]>(SIGNALS.report);
export const evolveControlSignal = defineSignal<[ReceivedRequests]>(SIGNALS.control);

const isScored = { iteration: isCount, score: isNumber };

const isNode = shaped<ScaffoldNode>({
  id: isText,
  parent_scaffold_id: orNull(isText),
  iteration: isCount,
  status: isText,
  train: listOf(shaped({ ...isScored, example_id: isText })),
  valid: listOf(shaped(isScored)),
  cost_usd: orAbsent(orNull(isAmount)),
  duplicate_of: orAbsent(isText),
  error: orAbsent(isText),
  fingerprint: orAbsent(isText),
  traits: orAbsent(shaped({ characters: isCount, model_calls: isCount })),
});

export const isIterationReport = shaped<IterationReport>({
  from: isChild,
  lines: listOf(isText),
  nodes: listOf(isNode),
  totals: shaped<EvolveTotals>({ ...stepCost, executions: isCount, executions_failed: isCount }),
});
