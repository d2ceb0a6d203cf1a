import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { WORKFLOW_TYPES } from '../contracts/names.js';
import type { RunPhase } from '../contracts/run.js';
import { agentEvalReport, agentEvalStanding } from './agent-eval-format.js';
import { cutOff, cutOffReport, isCutOff } from './cut-off.js';
import { evolveReport, evolveStanding } from './evolve-format.js';
import { askProgress, QUERY_TIMEOUT, resultOf } from './follow.js';
import { withoutWorker } from './format.js';
import { judgeReport, judgeStanding } from './judge-format.js';
import { printJson, printText } from './print.js';
import { runReport, runStanding } from './run-format.js';

/** How an experiment of a kind is told to people. */
interface Telling {
  /** One in progress, by what its `progress` query answers. */
  standing(progress: never): string;
  /** One that has ended, by what its workflow answers. */
  report(result: never): string;
}

const TELLINGS: Record<string, Telling> = {
  [WORKFLOW_TYPES.evolve]: { standing: evolveStanding, report: evolveReport },
  [WORKFLOW_TYPES.agentEval]: { standing: agentEvalStanding, report: agentEvalReport },
  [WORKFLOW_TYPES.judge]: { standing: judgeStanding, report: judgeReport },
};

const OF_A_RUN: Telling = { standing: runStanding, report: runReport };

/** Prints what there is to say of an experiment: its result, what it left where it has none, or where it stands. */
export async function printExperiment(
  client: Client,
  described: WorkflowExecutionDescription,
  json: boolean,
): Promise<void> {
  const id = described.workflowId;
  const handle = client.workflow.getHandle(id);
  const { standing, report } = TELLINGS[described.type] ?? OF_A_RUN;
  if (isCutOff(described)) {
    const left = await cutOff(client, described);
    const { artifacts, metrics } = left;
    if (json) printJson({ id, ...left });
    else
      printText(`${id}\n${metrics === null ? cutOffReport(left) : report({ artifacts, metrics } as never)}`);
    return;
  }
  if (described.status.name !== 'RUNNING') {
    const result = await resultOf<{ metrics: { status: RunPhase } }>(handle);
    if (json) printJson({ id, phase: result.metrics.status, ...result });
    else printText(`${id}\n${report(result as never)}`);
    return;
  }
  const progress = await askProgress<{ phase: RunPhase }>(handle, QUERY_TIMEOUT);
  if (json) {
    printJson({ id, phase: progress?.phase ?? 'waiting for a worker', progress });
  } else printText(progress === null ? withoutWorker(id) : `${id}\n${standing(progress as never)}`);
}
