import type { Logger } from 'pino';
import { CallStore } from '../../../activities/call-store.js';
import { calledModel } from '../../../activities/called-model.js';
import { ContextCache } from '../../../activities/context-cache.js';
import type { WorkerDependencies } from '../../../activities/dependencies.js';
import type { CalledModel } from '../../../activities/model-calls.js';
import { storeOfRun } from '../../../activities/owners.js';
import { storedConfig } from '../../../activities/stored-config.js';
import { outputLocation } from '../../../config/paths.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { type Retry, readRetry } from '../../../storage/retry-marker.js';
import type { JudgeConfig } from '../schema.js';
import { JudgedTrajectories } from './judged-trajectories.js';

/** State that a worker holds of one judgement. */
export class JudgeContext {
  readonly trajectories: JudgedTrajectories;
  readonly calls: CallStore;
  readonly judge: CalledModel;

  constructor(
    readonly store: ArtifactStore,
    readonly config: JudgeConfig,
    private readonly dependencies: WorkerDependencies,
    /** Retry that selects the steps with an error to request again; null: every step that lacks a reply. */
    readonly retry: Retry | null,
  ) {
    this.trajectories = new JudgedTrajectories(store);
    this.calls = new CallStore(store);
    const { calls } = this;
    const log = this.log('model');
    // The judgements of an experiment share a cache of replies.
    const experiment = { store, calls, log, seed: 0, resultsDir: config.experiment };
    this.judge = { ...calledModel(config.lm, experiment, dependencies), askedAgain: retry?.at ?? null };
  }

  log(component: string): Logger {
    return this.dependencies.runLogs.for(this.store, this.config.log_level, component);
  }
}

/**
 * Reads the {@link storedConfig} of a judgement, and checks the experiment's folder that it names.
 * @throws NotPermittedError
 */
export async function storedJudgeConfig(store: ArtifactStore): Promise<JudgeConfig> {
  const config = await storedConfig<JudgeConfig>(store);
  outputLocation(config.experiment, 'experiment', process.cwd());
  return config;
}

const JUDGEMENTS_IN_MEMORY = 8;

/** Cache of the judgements that a worker used most recently. */
export class JudgeContexts extends ContextCache<JudgeContext> {
  constructor(private readonly dependencies: WorkerDependencies) {
    super(JUDGEMENTS_IN_MEMORY);
  }

  protected override async open(run: string): Promise<JudgeContext> {
    const store = storeOfRun(this.dependencies.openStore, run);
    const config = await storedJudgeConfig(store);
    return new JudgeContext(store, config, this.dependencies, await readRetry(store));
  }
}
