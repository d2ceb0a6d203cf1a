import type { JudgeConfig } from '../config/judge-schema.js';
import { WORKFLOW_TYPES } from '../contracts/names.js';
import { noTotals } from '../runtime/totals.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import {
  callsPrefix,
  everyPartPrefix,
  evolveStatesPrefix,
  judgedStepOf,
  judgeErrorsPrefix,
  rolloutsFolder,
  scaffoldRunsPrefix,
} from '../storage/paths.js';
import { keysBelow, recordsBelow } from '../storage/read-ahead.js';
import { readStoredConfig } from '../storage/stored-config.js';
import type { StoredResult } from './agent-eval/rollout-results.js';
import type { StoredCall } from './call-store.js';
import { verdictOf } from './judge/judge-replies.js';
import { JudgedTrajectories } from './judge/judged-trajectories.js';
import { book } from './keep-finished.js';
import { MergedParts } from './part-file.js';

/** Counts by name. */
export type Held = Record<string, number>;

async function count(store: ArtifactStore, prefix: string): Promise<number> {
  return (await keysBelow(store, prefix)).length;
}

async function heldOfRun(store: ArtifactStore): Promise<Held> {
  const parts = await MergedParts.open(store, await keysBelow(store, everyPartPrefix()));
  const totals = noTotals();
  for await (const episodes of parts.samples()) book(totals, episodes);
  const { samples, correct, errors, episodes } = totals;
  return { samples, correct, errors, episodes };
}

async function heldOfAgentEval(store: ArtifactStore): Promise<Held> {
  const held = { rollouts: 0, errors: 0 };
  for await (const { row } of recordsBelow<StoredResult>(store, `${rolloutsFolder()}/`)) {
    if (row.status === 'error') held.errors += 1;
    else held.rollouts += 1;
  }
  return held;
}

async function heldOfEvolution(store: ArtifactStore): Promise<Held> {
  const [iterations, scaffold_runs] = await Promise.all([
    count(store, evolveStatesPrefix()),
    count(store, scaffoldRunsPrefix()),
  ]);
  return { iterations, scaffold_runs };
}

/** Steps with a verdict, and those that were given up and have none. */
async function heldOfJudgement(store: ArtifactStore): Promise<Held> {
  const config = (await readStoredConfig(store)) as JudgeConfig | null;
  if (config === null) return {};
  const judged = new Set<string>();
  for await (const { record } of recordsBelow<StoredCall>(store, callsPrefix())) {
    if (verdictOf(config, record).ok) judged.add(record.sample_id);
  }
  const trajectories = new JudgedTrajectories(store);
  let errors = 0;
  for (const key of await keysBelow(store, judgeErrorsPrefix())) {
    const { trajectory, step } = judgedStepOf(key);
    const { name } = await trajectories.get(trajectory);
    if (!judged.has(`${name}/${step}`)) errors += 1;
  }
  return { steps: judged.size, errors };
}

const OF_KIND: Record<string, (store: ArtifactStore) => Promise<Held>> = {
  [WORKFLOW_TYPES.run]: heldOfRun,
  [WORKFLOW_TYPES.agentEval]: heldOfAgentEval,
  [WORKFLOW_TYPES.evolve]: heldOfEvolution,
  [WORKFLOW_TYPES.judge]: heldOfJudgement,
};

/**
 * What the folder of an experiment holds that was cut off before it wrote its figures: the same command goes on from it.
 * @param type of its workflow
 */
export async function heldIn(store: ArtifactStore, type: string): Promise<Held> {
  const finished = await OF_KIND[type]?.(store);
  return { ...finished, answered_calls: await count(store, callsPrefix()) };
}
