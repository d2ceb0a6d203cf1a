import type { Logger } from 'pino';
import { CallStore } from '../../../activities/call-store.js';
import { ContextCache } from '../../../activities/context-cache.js';
import type { WorkerDependencies } from '../../../activities/dependencies.js';
import { locatedFiles } from '../../../activities/locate.js';
import type { CalledModel } from '../../../activities/model-calls.js';
import { storeOfRun } from '../../../activities/owners.js';
import { storedConfig } from '../../../activities/stored-config.js';
import type { LanguageModelConfig } from '../../../config/language-model-schema.js';
import type { RetrievalConfig } from '../../../config/memory-schemas.js';
import { modelNameOf } from '../../../config/model-name.js';
import type { Task } from '../../../contracts/environment.js';
import { type CreatedLanguageModel, createLanguageModel } from '../../../language-models/create.js';
import { priceTable } from '../../../language-models/price-table.js';
import { costOf, type PriceTable } from '../../../language-models/prices.js';
import { type KnownAnswer, knownAnswer } from '../../../language-models/simulated-answers.js';
import { readingReplies } from '../../../replies/read-reply.js';
import type { VectorFiles } from '../../../retrieval/kept-vectors.js';
import type { VectorStore } from '../../../retrieval/vector-store.js';
import type { LaneRules } from '../../../runtime/ports.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { artifactKeys } from '../../../storage/paths.js';
import { readRetry } from '../../../storage/retry-marker.js';
import { missingFile, readJson } from '../../../storage/stored-file.js';
import { codeNow, type UserCode } from '../../../user-code/code.js';
import { codeBegunWith } from '../../../user-code/code-file.js';
import { hasOwnCode, type RunPlan } from '../contracts.js';
import {
  type EnvironmentCode,
  environmentCode,
  environmentSource,
  type Playable,
} from '../environment-code.js';
import { laneRulesOf } from '../lane/lane-rules.js';
import { judgeOf } from '../models.js';
import { planKey } from '../paths.js';
import type { RunConfig } from '../schema.js';
import { type Vote, votesOf } from '../scorers/model-graded.js';
import { OwnScorers, scorerFiles } from '../scorers/own-scorer.js';
import type { ScorerOf } from '../scorers/schema.js';
import { atServers, sharedVectorFiles, vectorStoreFor, vectorsIn } from './embeddings.js';
import { ExecutionStore } from './execution-record.js';
import { keptMemory, type LoadedMemory } from './memory-file.js';
import { type IndexFactory, indexFactory } from './retrieval-services.js';
import { TaskReader } from './task-reader.js';

/** Part of `plan.json` that activities need and workflows do not. */
export interface TaskPlan {
  /** Index of each slot's sample; null if slot and index are the same. */
  todo: number[] | null;
  samples_planned: number;
}

/** Content of `plan.json`. */
export interface StoredPlan extends TaskPlan {
  /** Plan that the workflow received. */
  plan: RunPlan;
  /** SHA-256 of the tasks. */
  rows: string;
}

/** Returns the epochs of a run; folders of earlier versions name none. */
export function epochsOf({ runtime }: Pick<RunConfig, 'runtime'>): number {
  return runtime.epochs ?? 1;
}

/**
 * State that a worker holds of one run: its config, dataset, model and answered calls. Read once, shared by activities.
 */
export class RunContext {
  readonly config: RunConfig;
  readonly tasks: TaskReader;
  readonly calls: CallStore;
  readonly executions: ExecutionStore;
  private readonly prices: PriceTable;
  private readonly environments: EnvironmentCode;
  /** Votes of models on each answer, in their order. */
  readonly votes: readonly Vote[];
  /** Models by their configs as JSON. */
  private readonly models = new Map<string, Promise<CreatedLanguageModel>>();
  private own: OwnScorers | undefined;
  private loaded: Promise<LoadedMemory> | undefined;
  private factory: Promise<IndexFactory> | undefined;
  private loadedVectors: Promise<ReadonlyMap<string, Float32Array>> | undefined;

  constructor(
    readonly store: ArtifactStore,
    config: RunConfig,
    readonly plan: TaskPlan,
    private readonly dependencies: WorkerDependencies,
    /** Time from which on errors are requested again, in ISO 8601; null if none are. */
    readonly askedAgain: string | null = null,
    environments?: EnvironmentCode,
    /** Version of the user's files that the run began with, if it is kept here. */
    private begunWith?: UserCode,
  ) {
    this.config = atServers(config, dependencies.environment);
    this.tasks = new TaskReader(store);
    this.calls = new CallStore(store);
    this.executions = new ExecutionStore(store);
    this.prices = priceTable(dependencies.environment);
    this.environments = environments ?? environmentCode(dependencies.userCode);
    this.votes = votesOf(this.config.scorers ?? {}, judgeOf(this.config));
  }

  /** Model as `provider/model`, as in rows and metrics. */
  get modelName(): string {
    return modelNameOf(this.config.lm);
  }

  /** Returns a model as calls of this run ask it. @param lm that of the run by default */
  calledModel(lm: LanguageModelConfig = this.config.lm): CalledModel {
    const { provider, model, base_url } = lm;
    const modelName = modelNameOf(lm);
    return {
      lm,
      store: this.store,
      resultsDir: this.config.output.results_dir,
      seed: this.config.seed,
      calls: this.calls,
      log: this.log('model'),
      modelName,
      // Two servers may call different models by the same name.
      modelAddress: base_url === undefined ? modelName : `${modelName} at ${base_url}`,
      costOf: (usage) => costOf(provider, model, usage, { baseUrl: base_url, table: this.prices }),
      languageModel: () => this.languageModel(lm),
      askedAgain: this.askedAgain,
    };
  }

  /** Independent repetitions of each row of the dataset. */
  get epochs(): number {
    return epochsOf(this.config);
  }

  /** Number of tasks; each has a sample for every epoch. */
  get taskCount(): number {
    return this.plan.samples_planned / this.epochs;
  }

  /** Reads the task of a sample: the epochs of a task have successive indices. */
  taskOf(index: number): Promise<Task> {
    return this.tasks.get(Math.floor(index / this.epochs));
  }

  epochOf(index: number): number {
    return index % this.epochs;
  }

  indexOfSlot(slot: number): number {
    return this.plan.todo === null ? slot : (this.plan.todo[slot] ?? -1);
  }

  get slots(): number {
    return this.plan.todo?.length ?? this.plan.samples_planned;
  }

  get rules(): LaneRules {
    return laneRulesOf(this.config);
  }

  /** Code of the user's agent, memory and scorers: as the run began with it, or else as it is at the first lane. */
  get ownCode(): UserCode {
    const { agent, memory, scorers } = this.config;
    const named = [
      'file' in agent ? agent.file : undefined,
      memory._type === 'own' ? memory.file : undefined,
      ...scorerFiles(scorers),
    ];
    this.begunWith ??= codeNow(named.filter((file) => typeof file === 'string'));
    return this.begunWith;
  }

  get compareSymbolically(): WorkerDependencies['compareSymbolically'] {
    return this.dependencies.compareSymbolically;
  }

  /** Returns the scorers of the user. */
  get ownScorers(): OwnScorers {
    const { userCode, sandbox } = this.dependencies;
    this.own ??= new OwnScorers(userCode, sandbox, this.config.sandbox, this.ownCode);
    return this.own;
  }

  playable(task: Task): Playable {
    return this.environments.playable(environmentSource(this.config), task);
  }

  log(component: string): Logger {
    return this.dependencies.runLogs.for(this.store, this.config.output.log_level, component);
  }

  /** Reads the saved memory that the run began with, as it was when the run was prepared. */
  loadedMemory(): Promise<LoadedMemory> {
    this.loaded ??= keptMemory(this.store).catch((error: unknown) => {
      this.loaded = undefined;
      throw error;
    });
    return this.loaded;
  }

  /** Returns the factory of indexes of the kind that the memory needs. */
  indexes(): Promise<IndexFactory> {
    const { memory } = this.config;
    if (!('retrieval' in memory)) throw new Error(`a ${memory._type} has no experiences to search`);
    this.factory ??= indexFactory(memory.retrieval, async () => ({
      store: await this.vectorStore(memory.retrieval),
      known: await this.knownVectors(memory.retrieval),
    })).catch((error: unknown) => {
      this.factory = undefined;
      throw error;
    });
    return this.factory;
  }

  /** Opens the vectors that the runs of this results folder share. */
  vectorFiles(retrieval: RetrievalConfig): VectorFiles {
    return sharedVectorFiles(this.dependencies.openStore(this.config.output.results_dir), retrieval);
  }

  /** Reads the vectors that came with the loaded memory, by hash. */
  knownVectors(retrieval: RetrievalConfig): Promise<ReadonlyMap<string, Float32Array>> {
    this.loadedVectors ??= vectorsIn({ store: this.store, key: artifactKeys.loadedVectors }, retrieval).catch(
      (error: unknown) => {
        this.loadedVectors = undefined;
        throw error;
      },
    );
    return this.loadedVectors;
  }

  private vectorStore(retrieval: RetrievalConfig): Promise<VectorStore> {
    const { environment } = this.dependencies;
    return vectorStoreFor(retrieval, {
      environment,
      prices: this.prices,
      files: this.vectorFiles(retrieval),
    });
  }

  /** Returns the vectors of a scorer's model. */
  scorerVectors(scorer: ScorerOf<'similarity'>): Promise<VectorStore> {
    const { model, base_url, dimensions } = scorer;
    return this.vectorStore({ backend: 'embedding', correct_only: false, model, base_url, dimensions });
  }

  private languageModel(lm: LanguageModelConfig): Promise<CreatedLanguageModel> {
    const key = JSON.stringify(lm);
    const held = this.models.get(key);
    if (held !== undefined) return held;
    const created = this.createModel(lm);
    this.models.set(key, created);
    created.catch(() => this.models.delete(key));
    return created;
  }

  private async createModel(lm: LanguageModelConfig): Promise<CreatedLanguageModel> {
    const { seed } = this.config;
    const { environment, languageModel, notify, openStore } = this.dependencies;
    if (languageModel !== undefined) {
      return { model: readingReplies(languageModel), provider: lm.provider, modelName: lm.model };
    }
    const answers = lm.provider === 'simulated' ? await this.knownAnswers() : undefined;
    return createLanguageModel(lm, {
      environment,
      seed,
      notify: notify,
      openRecording: locatedFiles(openStore),
      ...(answers === undefined ? {} : { answerFor: (sampleId: string) => answers.get(sampleId) }),
    });
  }

  /** Reads the right answers for the simulated model, which only pretends to find them. */
  private async knownAnswers(): Promise<Map<string, KnownAnswer>> {
    const answers = new Map<string, KnownAnswer>();
    for await (const task of this.tasks.all(this.taskCount)) {
      const known = knownAnswer(task);
      if (known !== undefined) answers.set(task.id, known);
    }
    return answers;
  }
}

const RUNS_IN_MEMORY = 16;

/** Cache of the runs that a worker used most recently. */
export class RunContexts extends ContextCache<RunContext> {
  constructor(
    private readonly dependencies: WorkerDependencies,
    private readonly codeIn = environmentCode,
  ) {
    super(RUNS_IN_MEMORY);
  }

  protected override async open(run: string): Promise<RunContext> {
    const store = storeOfRun(this.dependencies.openStore, run);
    const [config, plan] = await Promise.all([
      storedConfig<RunConfig>(store),
      readJson<StoredPlan>(store, planKey()),
    ]);
    if (plan === null) throw missingFile(store, planKey());
    const retry = await readRetry(store);
    const isOwn =
      config.dataset.env_file !== undefined || hasOwnCode(config) || scorerFiles(config.scorers).length > 0;
    const { userCode, keptCode } = this.dependencies;
    const begunWith = isOwn ? await codeBegunWith(store, keptCode) : undefined;
    const code = this.codeIn(userCode, begunWith);
    return new RunContext(store, config, plan, this.dependencies, retry?.at ?? null, code, begunWith);
  }
}
