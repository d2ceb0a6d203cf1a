import { appendFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Logger } from 'pino';
import { CallStore, type StoredCall } from '../../../activities/call-store.js';
import { calledModel } from '../../../activities/called-model.js';
import { type AskingDependencies, type CalledModel, ModelCalls } from '../../../activities/model-calls.js';
import type { CallRecord } from '../../../contracts/language-model.js';
import type { StepCost } from '../../../contracts/step-cost.js';
import { spendingLeft } from '../../../runtime/budget.js';
import { addStep, noStepCost, spendingOf } from '../../../runtime/step-cost.js';
import type { CallResult, FunctionSandbox } from '../../../sandboxes/sandbox.js';
import { scaffoldSupport } from '../../../sandboxes/scaffold-support.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { jsonLine } from '../../../storage/json-lines.js';
import type { ScaffoldJob } from '../contracts.js';
import type { DatasetExample } from '../evolution/types.js';
import { ExecutorBridge, NothingLeftError } from './executor-bridge.js';
import { lostBy } from './no-result.js';
import type { SavedScaffold } from './saved-scaffold.js';

/** Store of calls that also appends each one to a file as soon as it is stored. */
class RecordedCalls extends CallStore {
  constructor(
    store: ArtifactStore,
    private readonly file: string,
  ) {
    super(store);
  }

  override async save(call: StoredCall): Promise<StoredCall> {
    const kept = await super.save(call);
    await appendFile(this.file, jsonLine(kept.record satisfies CallRecord));
    return kept;
  }
}

export interface SavedRunOptions {
  sandbox: Pick<FunctionSandbox, 'call'>;
  /** Store of calls while programs run. */
  store: ArtifactStore;
  /** File to which each call is appended as a row. */
  callsFile: string;
  dependencies: AskingDependencies & {
    environment: Readonly<Record<string, string | undefined>>;
    logger: Logger;
  };
}

/**
 * Runs a saved scaffold outside of its experiment: in the same sandbox, with the same model and the same limits of one
 * execution.
 */
export class SavedRuns {
  /** Cost of all executions. */
  cost: StepCost = noStepCost();
  private readonly models: ModelCalls;
  private readonly model: CalledModel | null;

  constructor(
    private readonly scaffold: SavedScaffold,
    private readonly options: SavedRunOptions,
  ) {
    const { dependencies, store, callsFile } = options;
    const { models, seed } = scaffold.settings;
    this.models = new ModelCalls(dependencies);
    const calls = new RecordedCalls(store, callsFile);
    const log = dependencies.logger;
    this.model =
      models.executor === null
        ? null
        : calledModel(models.executor, { store, calls, log, seed, resultsDir: store.uri }, dependencies);
  }

  /** Runs the scaffold. @throws Error where the program got no result for reasons that are not its own. */
  async run({ id, input }: Pick<DatasetExample, 'id' | 'input'>, signal: AbortSignal): Promise<CallResult> {
    const { files, settings } = this.scaffold;
    const { type: _type, ...limits } = settings.sandbox;
    const { timeout_sec } = settings;
    const bridge = this.bridgeFor(id, signal);
    try {
      const result = await this.options.sandbox.call(
        {
          files: { ...files, ...(await scaffoldSupport()) },
          module: 'scaffold',
          function: 'process_input',
          input,
        },
        {
          limits: { ...limits, timeout_sec },
          signal,
          respond: bridge?.respond ?? null,
          resources: () => bridge?.resources() ?? { calls: 0, usd: null },
        },
      );
      const why = bridge === null ? null : lostBy(await bridge.ended(), { result, timeout_sec });
      if (why !== null) throw new Error(why);
      return result;
    } catch (error) {
      if (!(error instanceof NothingLeftError)) throw error;
      throw new Error('limits: nothing is left for another call', { cause: error });
    } finally {
      bridge?.close();
      if (bridge !== null) this.cost = addStep(this.cost, bridge.cost);
    }
  }

  private bridgeFor(example: string, signal: AbortSignal): ExecutorBridge | null {
    const { model, models, options } = this;
    const { executor, limits } = this.scaffold.settings;
    if (model === null) return null;
    const name = basename(this.scaffold.address);
    const job: ScaffoldJob = { scaffold: name, iteration: 0, type: 'test', example };
    return new ExecutorBridge(model, models, {
      job,
      limits: {
        max_lm_calls: executor.max_lm_calls_per_execution,
        max_tokens: executor.max_tokens_per_execution,
      },
      left: spendingLeft(limits, spendingOf(this.cost)),
      crashes: 0,
      paid: noStepCost(),
      // Nothing is continued later that would need it.
      noteUnrecorded: async () => undefined,
      notify: options.dependencies.notify,
      onUnreachable: { model: () => undefined, store: () => undefined },
      signal,
    });
  }
}
