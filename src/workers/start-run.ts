import type { Client } from '@temporalio/client';
import { ownCodeOf } from '../activities/own-code.js';
import { configOf } from '../activities/prepare-run.js';
import { holdsRows } from '../activities/run-rows.js';
import { modelNameOf } from '../config/model-name.js';
import type { RunConfig } from '../config/schema.js';
import { WORKFLOW_TYPES } from '../contracts/names.js';
import { RUN_CONFIGS } from '../storage/experiment-folder.js';
import { type StartedRun, startNamed } from './start-named.js';

/** Starts, continues or attaches to a run; see {@link startNamed}. @param folder that it goes on in, and no other */
export function startRun(
  client: Client,
  config: RunConfig,
  taskQueue: string,
  folder?: string,
): Promise<StartedRun> {
  return startNamed(
    client,
    {
      ...(folder === undefined ? {} : { folder }),
      type: WORKFLOW_TYPES.run,
      config,
      kind: RUN_CONFIGS,
      read: (input) => configOf(input, config.name),
      holdsRows: (folder) => holdsRows(folder, config, process.env),
      code: () => ownCodeOf(config),
      summary: `${config.name} · ${modelNameOf(config.lm)}`,
    },
    taskQueue,
  );
}
