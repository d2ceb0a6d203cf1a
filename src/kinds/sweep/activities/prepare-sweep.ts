import { Context } from '@temporalio/activity';
import { heartbeating } from '../../../activities/attempt-journal.js';
import { checkModels } from '../../../activities/check-model.js';
import type { WorkerDependencies } from '../../../activities/dependencies.js';
import { wallSecondsBefore } from '../../../activities/end-experiment.js';
import { OwnerClaims } from '../../../activities/owner-claims.js';
import { referenceTo } from '../../../activities/run-reference.js';
import { configOf } from '../../../config/load.js';
import { modelNameOf } from '../../../config/model-name.js';
import type { ExperimentMetrics } from '../../../contracts/results.js';
import { chooseFolder, foundFolder } from '../../../storage/experiment-folder.js';
import { artifactKeys } from '../../../storage/paths.js';
import { writeStoredConfig } from '../../../storage/stored-config.js';
import { readJson } from '../../../storage/stored-file.js';
import { kindOfCells } from '../cells.js';
import { sweepConfigs } from '../config.js';
import type { CellCost, PlannedCell, SweepInput, SweepPlan } from '../contracts.js';
import { cellKey } from '../paths.js';
import { SweepContext, type SweepContexts } from './sweep-context.js';

const MODELS_NAMED = 3;

/** Returns the first of several models, and how many others there are. */
function modelsText(models: ReadonlySet<string>): string {
  const named = [...models].slice(0, MODELS_NAMED);
  const others = models.size - named.length;
  return `${named.join(', ')}${others === 0 ? '' : ` and ${others} more`}`;
}

/**
 * Creates the activity that validates the config of a sweep and of each of its cells, and finds what earlier executions
 * have done. May be repeated: it writes the same objects again.
 */
export function createPrepareSweep(contexts: SweepContexts, dependencies: WorkerDependencies) {
  const claims = new OwnerClaims(dependencies);

  return (input: SweepInput): Promise<SweepPlan> =>
    heartbeating(async () => {
      const { workflowExecution } = Context.current().info;
      const { workflowId, runId } = workflowExecution as { workflowId: string; runId: string };
      const config = await configOf(sweepConfigs, input, workflowId);
      const kind = await kindOfCells(config);
      const results = dependencies.openStore(config.output.results_dir);
      const { folder, store } = await claims.take(async () => {
        const folder = await chooseFolder(workflowId, (id) =>
          foundFolder(results.within(id), id, config, sweepConfigs, async () => true),
        );
        return { folder, store: results.within(folder.experiment) };
      });
      const context = new SweepContext(store, config, kind, dependencies);
      const models = new Set<string>();
      let simulated = false;
      const cells: PlannedCell[] = [];
      for (const [index, cell] of context.cells.entries()) {
        const { config: own, workflow_id } = context.begun(cell);
        const asked = kind.config.modelsOf(own);
        await checkModels(asked, config.limits, dependencies.environment);
        for (const lm of Object.values(asked)) {
          models.add(modelNameOf(lm));
          simulated ||= lm.provider === 'simulated';
        }
        const found = await kind.find(workflow_id, own);
        const metrics =
          found.done?.metrics ?? (await readJson<ExperimentMetrics>(found.store, artifactKeys.metrics));
        const isDone = found.done !== null;
        if (isDone) {
          const ended = { status: 'done', message: null, artifacts: found.done?.artifacts };
          await store.write(cellKey(index), JSON.stringify(ended));
        }
        cells.push({ ...cell, workflow_id, done: isDone, cost: metrics === null ? null : costOf(metrics) });
      }
      await writeStoredConfig(store, config);
      const run = referenceTo(store, runId);
      contexts.forget(run);
      context
        .log('experiment')
        .info({ cells: cells.length, done: cells.filter(({ done }) => done).length }, 'sweep prepared');
      return {
        run,
        artifacts: store.uri,
        experiment: folder.experiment,
        name: config.name,
        command: config.command,
        model: modelsText(models),
        simulated,
        cells,
        concurrency: config.concurrency,
        limits: config.limits,
        search_attributes: await dependencies.knownSearchAttributes(),
        spent_wall_seconds: await wallSecondsBefore(store),
      };
    });
}

function costOf({ lm_calls, usage, cost_usd, unrecorded }: ExperimentMetrics): CellCost {
  return { lm_calls, usage, cost_usd, ...(unrecorded === undefined ? {} : { unrecorded }) };
}
