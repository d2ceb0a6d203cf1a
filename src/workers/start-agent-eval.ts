import type { Client } from '@temporalio/client';
import { agentEvalConfigOf } from '../activities/agent-eval/agent-eval-config.js';
import { holdsRows } from '../activities/agent-eval/agent-eval-folder.js';
import { askedRows, bundleCode } from '../activities/agent-eval/asked-rows.js';
import type { StoredRow } from '../activities/agent-eval/bundle-code.js';
import type { AgentEvalConfig } from '../config/agent-eval-schema.js';
import { modelNameOf } from '../config/model-name.js';
import { WORKFLOW_TYPES } from '../contracts/names.js';
import { AGENT_EVAL_CONFIGS } from '../storage/experiment-folder.js';
import { tryModuleApart } from './code-trial.js';
import { type StartedRun, startNamed } from './start-named.js';

/**
 * Starts, continues or attaches to an evaluation on task bundles; see {@link startNamed}.
 * @param folder that it goes on in, and no other
 */
export function startAgentEval(
  client: Client,
  config: AgentEvalConfig,
  taskQueue: string,
  folder?: string,
): Promise<StartedRun> {
  const { lm } = config.agent;
  const asked = (of: AgentEvalConfig, now: string) => askedRows(of, now, tryModuleApart);
  let rows: StoredRow[] = [];
  return startNamed(
    client,
    {
      ...(folder === undefined ? {} : { folder }),
      type: WORKFLOW_TYPES.agentEval,
      config,
      kind: AGENT_EVAL_CONFIGS,
      // With the modules that the rows of its bundles name.
      read: async (input) => {
        rows = await asked(agentEvalConfigOf(input), config.now ?? new Date().toISOString());
      },
      holdsRows: async (there, earlier) =>
        holdsRows(there, await asked(config, config.now ?? earlier.now ?? new Date().toISOString())),
      code: () => bundleCode(rows),
      summary: `${config.name} · ${modelNameOf(lm)}`,
    },
    taskQueue,
  );
}
