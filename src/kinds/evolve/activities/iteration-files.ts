import type { Logger } from 'pino';
import { heartbeating } from '../../../activities/attempt-journal.js';
import { unlessOver } from '../../../activities/unless-over.js';
import { scoreText } from '../../../statistics/figure-text.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { readableJson } from '../../../storage/json-lines.js';
import { keysBelow } from '../../../storage/read-ahead.js';
import type { FinishIterationInput, ScaffoldJob } from '../contracts.js';
import { executionLog } from '../evolution/execution-log.js';
import { judgementText } from '../evolution/feedback.js';
import {
  closingLogPath,
  closingScoringPath,
  experimentFiles,
  iterationFolder,
  logPath,
  type RunType,
  scaffoldFile,
  scoringPath,
} from '../evolution/layout.js';
import { type LineageNode, lineageFile, nodeOf } from '../evolution/lineage.js';
import { bestSoFarLine } from '../evolution/progress-lines.js';
import { scoringFile } from '../evolution/scores.js';
import { evolveStateKey } from '../paths.js';
import type { EvolveContext, EvolveContexts } from './evolve-context.js';
import { copyScaffold } from './scaffold-files.js';
import type { ScaffoldRunRecord } from './scaffold-runs.js';

/** Writes the log of a scaffold's runs for people. */
function logText(records: readonly ScaffoldRunRecord[]): string {
  return records
    .map(({ example, score, message, metrics, result }) => {
      const parts = [
        `=== example ${example}: score ${scoreText(score)}`,
        judgementText({ message, ...(metrics === undefined ? {} : { metrics }) }),
        `--- output\n${result.output ?? '(none)'}`,
        `--- log\n${executionLog(result)}`,
        ...(result.stdout === '' ? [] : [`--- printed\n${result.stdout}`]),
      ];
      return parts.join('\n');
    })
    .join('\n\n')
    .concat('\n');
}

async function writeLog(
  { store, context: { runs } }: { store: ArtifactStore; context: EvolveContext },
  { scaffold, examples }: { scaffold: string; examples: string[] },
  { iteration, type, closing }: { iteration: number; type: RunType; closing: boolean },
): Promise<void> {
  const jobs = examples.map((example): ScaffoldJob => ({ scaffold, iteration, type, example }));
  const records = await Promise.all(jobs.map((job) => runs.get(job)));
  const rows = records.map(({ key: _key, at: _at, ...row }) => row);
  const path = (format: 'json' | 'log') =>
    closing ? closingLogPath(scaffold, type, format) : logPath(iteration, scaffold, type, format);
  await store.write(path('json'), readableJson(rows));
  await store.write(path('log'), logText(records));
}

function scoresOf(
  nodes: readonly LineageNode[],
  iteration: number,
  pick: (node: LineageNode) => readonly { iteration: number; score: number }[],
): Record<string, number> {
  return Object.fromEntries(
    nodes.flatMap((node) => {
      const found = pick(node).find((score) => score.iteration === iteration);
      return found === undefined ? [] : [[node.id, found.score] as const];
    }),
  );
}

type Lineage = Pick<FinishIterationInput, 'plan' | 'state'>;

function lineageText({ plan, state }: Lineage): string {
  const nodes = state.nodes.map(
    ({ fingerprint: _fingerprint, traits: _traits, ...node }): LineageNode => node,
  );
  return readableJson(lineageFile(plan.selection.kind, nodes));
}

export async function writeLineage(store: ArtifactStore, lineage: Lineage): Promise<void> {
  await store.write(experimentFiles.lineage, lineageText(lineage));
}

/** Deletes scaffolds that an earlier attempt at the iteration made, and this one did not. */
async function deleteStrays(
  store: ArtifactStore,
  iteration: number,
  nodes: readonly LineageNode[],
): Promise<void> {
  const made = new Set(nodes.filter((node) => node.iteration === iteration).map(({ id }) => id));
  const folder = `${iterationFolder(iteration)}/scaffolds/new/`;
  const there = new Set(
    (await keysBelow(store, folder)).map((key) => key.slice(folder.length).split('/')[0]),
  );
  for (const id of there) {
    if (id !== undefined && !made.has(id)) await store.deleteFolder(`${folder}${id}`);
  }
}

/** Reports whether an iteration's last file is written: its state, or the lineage of a closing, which has no state. */
async function isFinished(store: ArtifactStore, input: FinishIterationInput): Promise<boolean> {
  const { iteration, closing, state } = input;
  return closing
    ? (await store.readText(experimentFiles.lineage)) === lineageText(input)
    : (await store.readText(evolveStateKey(iteration))) === readableJson(state);
}

/** Logs progress lines, each with its time, or with the current one if it has none. */
export function logLines(
  log: Logger,
  { lines, line_times = [] }: { lines: readonly string[]; line_times?: readonly number[] },
  names: object = {},
): void {
  for (const [index, line] of lines.entries()) {
    const said = line_times[index];
    log.info(said === undefined ? { ...names } : { time: new Date(said).toISOString(), ...names }, line);
  }
}

async function writeIteration(
  context: EvolveContext,
  input: FinishIterationInput,
  store: ArtifactStore,
): Promise<void> {
  const { iteration, closing, state, parents, validated, trained } = input;
  // From a closing before the experiment was extended.
  if (closing) await store.deleteFolder('closing');
  else await deleteStrays(store, iteration, state.nodes);
  for (const id of parents) {
    const place = { iteration: nodeOf(state.nodes, id).iteration, generation: 'new' as const, id };
    await copyScaffold(store, place, (path) => scaffoldFile(iteration, 'old', id, path));
  }
  const writeLogs = async (type: RunType, runs: FinishIterationInput['trained']) => {
    for (const one of runs) await writeLog({ store, context }, one, { iteration, type, closing });
  };
  await writeLogs('valid', validated);
  await writeLogs('train', trained);
  const scoring = scoringFile(
    scoresOf(state.nodes, iteration, ({ train }) => train),
    scoresOf(state.nodes, iteration, ({ valid }) => valid),
  );
  await store.write(closing ? closingScoringPath() : scoringPath(iteration), readableJson(scoring));
  await writeLineage(store, input);
  if (!closing) await store.write(evolveStateKey(iteration), readableJson(state));
  const log = context.log('iteration');
  logLines(log, input, closing ? {} : { iteration });
  const best = bestSoFarLine(state.nodes);
  if (best !== null) log.info(closing ? {} : { iteration }, best);
  const named = closing ? {} : { iteration };
  log.info({ ...named, scores: scoring.valid }, closing ? 'closing finished' : 'iteration finished');
}

/**
 * Creates the activity that writes an iteration's results: scores, logs, evolved scaffolds, and last the state that the
 * next one begins with. May be repeated.
 */
export function createFinishIteration(contexts: EvolveContexts) {
  return (input: FinishIterationInput): Promise<void> =>
    heartbeating(async () => {
      const context = await contexts.get(input.plan.run);
      await unlessOver(
        async () => ((await isFinished(context.store, input)) ? true : null),
        async (guard) => {
          await writeIteration(context, input, guard(context.store));
          return true;
        },
      );
    });
}
