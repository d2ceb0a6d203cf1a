import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ApplicationFailure } from '@temporalio/common';
import pino from 'pino';
import type { WorkerDependencies } from '../activities/dependencies.js';
import { createActivities } from '../activities/index.js';
import { RunLogs } from '../activities/run-log.js';
import { InvalidInputError } from '../config/errors.js';
import type { LanguageModel } from '../contracts/language-model.js';
import { child, type Logger } from '../contracts/logger.js';
import { FAILURE_TYPES } from '../contracts/names.js';
import type { SymbolicComparer } from '../grading/grade.js';
import { kindOf } from '../kinds/registry.js';
import { WORKFLOW_KINDS } from '../kinds/workflows.js';
import { ownStarts } from '../language-models/pace.js';
import { readingReplies } from '../replies/read-reply.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { MemoryStore } from '../storage/memory-store.js';
import { openStore } from '../storage/open.js';
import { localCode } from '../user-code/code-runner.js';
import { concurrentExecutions, Sandboxes } from '../workers/sandboxes.js';
import { symbolicComparison } from '../workers/symbolic-comparison.js';
import { dispatcherOf } from '../workflows/dispatch.js';
import { runPlainly } from './plain-sdk.js';

export interface InProcessOptions {
  /** Environment variables with keys and addresses; `process.env` by default. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** Model that replaces the one that `lm` names. */
  languageModel?: LanguageModel;
  /** Compares expressions instead of the time-boxed grading threads. */
  compareSymbolically?: SymbolicComparer;
  /** Also creates the trajectories, which repeat every prompt. */
  trajectories?: boolean;
  /** Replaces the wait before a retry. */
  pause?: (milliseconds: number) => Promise<unknown>;
  /** Receives the lines of `run.log`, which a durable run writes to its folder. */
  logger?: Logger;
  /** Called with sentences for people, such as about a parameter that cannot be sent to the model as configured. */
  notify?: (message: string) => void;
}

/** Returns a function that passes lines of a log to a logger, each to a child with the name of its component. */
function linesInto(logger: Logger): (line: string) => void {
  return (text) => {
    const { level, component, time: _time, msg, ...fields } = JSON.parse(text) as Record<string, string>;
    const method = String(level).toLowerCase() as keyof Logger;
    child(logger, component ?? '')[method](msg ?? '', fields);
  };
}

/** One workflow for those of every kind, selected by the started type. */
const dispatch = dispatcherOf(WORKFLOW_KINDS);

/** Nominal location of the store of experiments in this process. */
const PLACE = join(tmpdir(), `reprise-in-process-${randomUUID()}`);

/** Returns a function that opens in-memory stores below `PLACE`, and all other stores at their own location. */
function storesOver(memory: MemoryStore, environment: NodeJS.ProcessEnv): WorkerDependencies['openStore'] {
  return (address) => {
    const path = address.startsWith('file:') ? fileURLToPath(address) : address;
    if (path === PLACE) return memory;
    const key = path.startsWith(`${PLACE}/`) ? path.slice(PLACE.length + 1) : null;
    return key === null ? openStore(address, { environment }) : memory.within(key);
  };
}

interface Ended {
  artifacts: string;
  metrics: object;
}

/** Returns the result of a failed experiment. @throws InvalidInputError if it has no result. */
function resultOf(error: unknown): Ended {
  if (!(error instanceof ApplicationFailure)) throw error;
  if (error.type === FAILURE_TYPES.runFailed) return error.details?.[0] as Ended;
  throw new InvalidInputError(error.message);
}

/**
 * Runs an experiment of any kind in this process: the workflow and the activities of a durable one, without a server
 * and without durability.
 * @param id of its kind
 * @param config as the workflow of its kind takes it; one without a results folder writes to the folder that it works
 * on
 * @returns its metrics, and the in-memory store of its artifacts.
 * @throws InvalidInputError for a config that cannot be run.
 */
export async function experimentInProcess(
  id: string,
  config: { name?: string; output?: object },
  options: InProcessOptions = {},
): Promise<{ metrics: object; store: ArtifactStore }> {
  const { environment = process.env, languageModel, notify = () => undefined } = options;
  const comparison = await symbolicComparison(options.compareSymbolically);
  const sandboxes = new Sandboxes(environment, notify);
  const runLogs = new RunLogs(options.logger === undefined ? undefined : linesInto(options.logger));
  const open = storesOver(new MemoryStore(pathToFileURL(PLACE).href), environment);
  const kind = kindOf(id);
  if (kind === undefined) throw new Error(`there is no kind of experiment '${id}'`);
  const activities = createActivities(
    {
      openStore: open,
      environment,
      ...(languageModel === undefined ? {} : { languageModel: readingReplies(languageModel) }),
      compareSymbolically: comparison.compare,
      userCode: localCode(comparison.compare),
      logger: pino({ level: 'silent' }),
      notify: notify,
      notices: { listener: () => () => undefined },
      runLogs,
      sandbox: sandboxes.get,
      maxConcurrentExecutions: concurrentExecutions(environment),
      maxConcurrentCalls: Number.MAX_SAFE_INTEGER,
      namespaceId: async () => 'in-process',
      knownSearchAttributes: async () => [],
      grantStarts: (_model, rate) => ownStarts(rate),
    },
    [await kind.activities()],
  );
  try {
    const { name = 'in-process', output } = config;
    const args = [output === undefined ? config : { ...config, output: { ...output, results_dir: PLACE } }];
    const { pause } = options;
    const around = { activities, warn: notify, ...(pause === undefined ? {} : { pause }) };
    const result = runPlainly(dispatch, { workflowId: name, type: id, args }, around);
    const { artifacts, metrics } = (await result.catch(resultOf)) as Ended;
    return { metrics, store: open(artifacts) };
  } finally {
    await runLogs.flush();
    await comparison.close();
    await sandboxes.close();
  }
}
