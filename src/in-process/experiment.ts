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
import { dispatcherOf } from '../workflows/dispatch.js';
import { runPlainly } from './plain-sdk.js';
import { symbolicComparison } from './symbolic-comparison.js';

export interface InProcessOptions {
  /** Where keys and addresses are looked up; `process.env` by default. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** Answers instead of the model that `lm` names. */
  languageModel?: LanguageModel;
  /** Compares expressions instead of the time-boxed grading threads. */
  compareSymbolically?: SymbolicComparer;
  /** Also makes the trajectories, which repeat every prompt. */
  trajectories?: boolean;
  /** Waits these milliseconds until a call is asked again, instead of the clock. */
  pause?: (milliseconds: number) => Promise<unknown>;
  /** Hears sentences for people, such as a parameter that the model cannot be sent as asked. */
  notice?: (message: string) => void;
}

/** The workflows of every kind as one, which the type that is started tells apart. */
const dispatch = dispatcherOf(WORKFLOW_KINDS);

/** Where the store of experiments in this process is said to lie. */
const PLACE = join(tmpdir(), `reprise-in-process-${randomUUID()}`);

/** Opens what lies in this process from it, and everything else from where it lies. */
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

/** What an experiment that failed has come to until then. @throws InvalidInputError where it has come to nothing. */
function resultOf(error: unknown): Ended {
  if (!(error instanceof ApplicationFailure)) throw error;
  if (error.type === FAILURE_TYPES.runFailed) return error.details?.[0] as Ended;
  throw new InvalidInputError(error.message);
}

/**
 * Runs an experiment of any kind in this process: the workflow and the activities of a durable one, without a server and
 * without durability.
 * @param id of its kind
 * @param config as the workflow of its kind takes it; what has no results folder of its own is written to
 *   the folder of what it is about
 * @returns its metrics, and the store in this process that holds its artifacts.
 * @throws InvalidInputError for a config that cannot be run.
 */
export async function experimentInProcess(
  id: string,
  config: { name?: string; output?: object },
  options: InProcessOptions = {},
): Promise<{ metrics: object; store: ArtifactStore }> {
  const { environment = process.env, languageModel, notice = () => undefined } = options;
  const comparison = await symbolicComparison(options.compareSymbolically);
  const sandboxes = new Sandboxes(environment, notice);
  const runLogs = new RunLogs();
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
      notify: notice,
      news: { listener: () => () => undefined },
      runLogs,
      sandbox: sandboxes.get,
      maxConcurrentExecutions: concurrentExecutions(environment),
      maxConcurrentCalls: Number.MAX_SAFE_INTEGER,
      namespaceId: async () => 'in-process',
      knownSearchAttributes: async () => [],
      leaseStarts: (_model, rate) => ownStarts(rate),
    },
    [await kind.activities()],
  );
  try {
    const { name = 'in-process', output } = config;
    const args = [output === undefined ? config : { ...config, output: { ...output, results_dir: PLACE } }];
    const { pause } = options;
    const around = { activities, warn: notice, ...(pause === undefined ? {} : { pause }) };
    const result = runPlainly(dispatch, { workflowId: name, type: id, args }, around);
    const { artifacts, metrics } = (await result.catch(resultOf)) as Ended;
    return { metrics, store: open(artifacts) };
  } finally {
    await runLogs.flush();
    await comparison.close();
    await sandboxes.close();
  }
}
