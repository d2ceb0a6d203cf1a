import type { FinalizeInput } from '../contracts/activities.js';
import type { CallRecord } from '../contracts/language-model.js';
import type { Metrics } from '../contracts/results.js';
import { environmentName } from '../environments/registry.js';
import { RunMetricsBuilder } from '../statistics/run-metrics.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { jsonLines, readJsonLines } from '../storage/json-lines.js';
import { artifactKeys, callsPrefix, everyPartPrefix, logPartsPrefix, partsPrefix } from '../storage/paths.js';
import { trajectoryOf } from '../trajectories/from-episode.js';
import { identityHash } from './call-key.js';
import type { StoredCall } from './call-store.js';
import type { WorkerDependencies } from './dependencies.js';
import { heartbeating } from './heartbeating.js';
import { writeMemory } from './memory-file.js';
import { MergedParts } from './part-file.js';
import type { RunContext, RunContexts } from './run-context.js';

async function keysBelow(store: ArtifactStore, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list(prefix)) keys.push(key);
  return keys;
}

/** Calls that were answered but belong to no finished episode, because a limit or a stop cut it off. */
async function* looseCalls(store: ArtifactStore, listed: ReadonlySet<string>): AsyncGenerator<CallRecord> {
  for (const key of await keysBelow(store, callsPrefix())) {
    const name =
      key
        .split('/')
        .at(-1)
        ?.replace(/\.json$/, '') ?? '';
    if (listed.has(name)) continue;
    const text = await store.readText(key);
    if (text !== null) yield (JSON.parse(text) as StoredCall).record;
  }
}

async function mergeLogs(store: ArtifactStore): Promise<void> {
  const lines: { time: string; line: object }[] = [];
  for (const key of await keysBelow(store, logPartsPrefix())) {
    const stream = await store.openRead(key);
    if (stream === null) continue;
    for await (const line of readJsonLines<{ time: string }>(stream)) lines.push({ time: line.time, line });
  }
  lines.sort((left, right) => (left.time < right.time ? -1 : left.time > right.time ? 1 : 0));
  await store.writeStream(artifactKeys.log, jsonLines(lines.map(({ line }) => line)));
}

/** Every artifact but the metrics, in one pass a file; the rows' figures are added up on the way. */
async function writeArtifacts(
  run: RunContext,
  parts: MergedParts,
  metrics: RunMetricsBuilder,
): Promise<void> {
  const { store, config } = run;
  const listed = new Set<string>();
  await store.writeStream(
    artifactKeys.results,
    jsonLines(
      (async function* () {
        for await (const { row, calls } of parts.episodes()) {
          metrics.add(row, calls);
          for (const call of calls) listed.add(identityHash(call));
          yield row;
        }
      })(),
    ),
  );
  await store.writeStream(
    artifactKeys.calls,
    jsonLines(
      (async function* () {
        for await (const { calls } of parts.episodes()) yield* calls;
        for await (const call of looseCalls(store, listed)) {
          metrics.addCall(call);
          yield call;
        }
      })(),
    ),
  );
  await store.writeStream(
    artifactKeys.trajectories,
    jsonLines(
      (async function* () {
        for await (const { row, calls } of parts.episodes()) {
          const trajectory = trajectoryOf(row, calls, config.seed);
          if (trajectory !== null) yield trajectory;
        }
      })(),
    ),
  );
}

/** What only an unfinished run needs: parts to continue from, and single calls. */
async function removeWorkingFiles(store: ArtifactStore): Promise<void> {
  for (const prefix of [everyPartPrefix(), callsPrefix(), logPartsPrefix()]) {
    await store.deleteFolder(prefix.replace(/\/$/, ''));
  }
}

/**
 * Merges the parts into the run's artifacts. `metrics.json` is written last: a folder that has one with status `done`
 * is complete. Of an unfinished run the parts are kept, so that it can be continued. May be repeated.
 */
export function createFinalizeRun(runs: RunContexts, dependencies: WorkerDependencies) {
  return (input: FinalizeInput): Promise<Metrics> =>
    heartbeating(async () => {
      const { plan, status, message, started_at, ended_at } = input;
      const run = await runs.get(plan.run);
      const { store, config } = run;
      const log = dependencies.runLogs.for(store, config.output.log_level);
      // A second attempt, after the artifacts were complete, has only the working files left to remove.
      const before = await store.readText(artifactKeys.metrics);
      if (before !== null && (JSON.parse(before) as Metrics).status === 'done') {
        await removeWorkingFiles(store);
        return JSON.parse(before) as Metrics;
      }
      const parts = await MergedParts.open(store, await keysBelow(store, partsPrefix(plan.execution)));
      const builder = new RunMetricsBuilder(config.runtime.num_trials);
      await writeArtifacts(run, parts, builder);
      await writeMemory(run, parts, dependencies.openStore);
      const metrics = builder.finish({
        name: config.name,
        experiment: plan.experiment,
        status,
        status_message: message,
        model: run.modelName,
        simulated: plan.simulated,
        agent: config.agent.type,
        seed: config.seed,
        feedback_in_memory: config.agent.feedback ?? 'full',
        samples_planned: plan.samples_planned,
        wall_seconds: plan.spent_wall_seconds + (ended_at - started_at) / 1000,
        started_at: new Date(started_at).toISOString(),
        ended_at: new Date(ended_at).toISOString(),
        num_trials: config.runtime.num_trials,
        environment: environmentName(config.dataset),
      });
      const { samples, correct, errors, accuracy, cost_usd } = metrics;
      log.info({ status, samples, correct, errors, accuracy, cost_usd, message }, 'run ended');
      await dependencies.runLogs.flush(store.uri);
      await mergeLogs(store);
      await store.write(artifactKeys.metrics, `${JSON.stringify(metrics, null, 2)}\n`);
      if (status === 'done') await removeWorkingFiles(store);
      return metrics;
    });
}
