import type { Logger } from 'pino';
import { CallStore } from '../../../activities/call-store.js';
import { calledModel } from '../../../activities/called-model.js';
import { ContextCache } from '../../../activities/context-cache.js';
import type { WorkerDependencies } from '../../../activities/dependencies.js';
import type { CalledModel } from '../../../activities/model-calls.js';
import { storeOfRun } from '../../../activities/owners.js';
import { storedConfig } from '../../../activities/stored-config.js';
import type { LanguageModelConfig } from '../../../config/language-model-schema.js';
import { noStepCost } from '../../../runtime/step-cost.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { readJson } from '../../../storage/stored-file.js';
import { codeBegunWith } from '../../../user-code/code-file.js';
import type { ScaffoldJob } from '../contracts.js';
import type { Domain } from '../evolution/domains/domain.js';
import { experimentFiles } from '../evolution/layout.js';
import { inheritedStore } from '../fork.js';
import type { SandboxPython } from '../installed-python.js';
import { ownDomainIn } from '../own-domain.js';
import type { EvolveConfig } from '../schema.js';
import { ExampleReader } from './evolve-data.js';
import { evolveDomain } from './evolve-domain.js';
import { type ScaffoldRunRecord, ScaffoldRuns } from './scaffold-runs.js';

/** Content of `metadata.json` of an experiment. */
export interface ExperimentMetadata {
  experiment_name: string;
  experiment: string;
  /** ISO 8601. */
  created_at: string;
  seed: number;
  domain: string;
  scaffolder_model: string;
  executor_model: string | null;
  num_iterations: number;
  scaffolds_per_iter: number;
  initial_scaffolds: number;
  num_validation_examples: number;
  timeout_sec: number;
  /** Python that runs the scaffolds; null where it is unknown. */
  python: SandboxPython | null;
}

/** State that a worker holds of one evolution. */
export class EvolveContext {
  readonly examples: ExampleReader;
  readonly runs: ScaffoldRuns;
  private inherited: Promise<ScaffoldRuns | null> | undefined;
  private metadata: ExperimentMetadata | null = null;
  readonly calls: CallStore;
  readonly scaffolder: CalledModel;
  /** null where scaffolds have no model. */
  readonly executor: CalledModel | null;

  constructor(
    readonly store: ArtifactStore,
    readonly config: EvolveConfig,
    readonly domain: Domain,
    private readonly dependencies: WorkerDependencies,
  ) {
    this.examples = new ExampleReader(store);
    this.runs = new ScaffoldRuns(store);
    this.calls = new CallStore(store);
    const { scaffolder, executor } = config.models;
    this.scaffolder = this.called(scaffolder);
    this.executor = executor === null ? null : this.called(executor);
  }

  log(component: string): Logger {
    return this.dependencies.runLogs.for(this.store, this.config.output.log_level, component);
  }

  /**
   * Finds a finished run with this key, in this experiment or in the one that it is a fork of. A run that the other
   * experiment paid for costs nothing here.
   */
  async findRun(job: ScaffoldJob, key: string): Promise<ScaffoldRunRecord | null> {
    const own = await this.runs.find(job, key);
    if (own !== null) return own;
    const inherited = await (await this.inheritedRuns())?.find(job, key);
    if (inherited == null) return null;
    return this.runs.save({ ...inherited, ...noStepCost() });
  }

  /** Returns the Python that runs the scaffolds, as found when the experiment began. */
  async python(): Promise<SandboxPython | null> {
    this.metadata ??= await readJson<ExperimentMetadata>(this.store, experimentFiles.metadata);
    return this.metadata?.python ?? null;
  }

  private inheritedRuns(): Promise<ScaffoldRuns | null> {
    if (this.inherited === undefined) {
      this.inherited = inheritedStore(this.store, this.dependencies.openStore).then((store) =>
        store === null ? null : new ScaffoldRuns(store),
      );
      // A store that was unreachable for a moment is tried again.
      this.inherited.catch(() => {
        this.inherited = undefined;
      });
    }
    return this.inherited;
  }

  private called(lm: LanguageModelConfig): CalledModel {
    const { store, calls } = this;
    const log = this.log('model');
    const { seed, output } = this.config;
    return calledModel(lm, { store, calls, log, seed, resultsDir: output.results_dir }, this.dependencies);
  }
}

const EXPERIMENTS_IN_MEMORY = 8;

/** Evolutions that a worker has used recently. */
export class EvolveContexts extends ContextCache<EvolveContext> {
  constructor(private readonly dependencies: WorkerDependencies) {
    super(EXPERIMENTS_IN_MEMORY);
  }

  protected override async open(run: string): Promise<EvolveContext> {
    const store = storeOfRun(this.dependencies.openStore, run);
    const config = await storedConfig<EvolveConfig>(store);
    const { compareSymbolically, userCode, keptCode } = this.dependencies;
    const begunWith = config.domain.name === 'custom' ? await codeBegunWith(store, keptCode) : undefined;
    const ownDomain = (file: string) => ownDomainIn(userCode, file, begunWith);
    const domain = await evolveDomain(config, { compareSymbolically, ownDomain });
    return new EvolveContext(store, config, domain, this.dependencies);
  }
}
