import { basename } from 'node:path/posix';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { CallStore } from '../../../activities/call-store.js';
import { calledModel } from '../../../activities/called-model.js';
import { ContextCache } from '../../../activities/context-cache.js';
import type { WorkerDependencies } from '../../../activities/dependencies.js';
import { loadedOnce } from '../../../activities/loaded-once.js';
import type { CalledModel } from '../../../activities/model-calls.js';
import { storeOfRun } from '../../../activities/owners.js';
import { storedConfig } from '../../../activities/stored-config.js';
import type { LanguageModelConfig } from '../../../config/language-model-schema.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { readRetry } from '../../../storage/retry-marker.js';
import { missingFile, readJson } from '../../../storage/stored-file.js';
import { codeBegunWith } from '../../../user-code/code-file.js';
import { type BundleCode, bundleCodeIn, type StoredRow } from '../bundle-code.js';
import { KnownDatabases, RolloutDatabase } from '../bundles/rollout-database.js';
import { bundleRowKey } from '../paths.js';
import { DEFAULT_STOP_TOKEN } from '../rollouts/simulated-user.js';
import type { AgentEvalConfig } from '../schema.js';
import { Conversations } from './conversation.js';
import { type NamedRollout, rolloutId } from './rollout-names.js';

/** Number of rows in memory; with their seeds they may be large. */
const ROWS_IN_MEMORY = 64;

/** A rollout as its activities use it. */
export interface OpenRollout extends NamedRollout {
  stored: StoredRow;
  /** UUID of the rollout. */
  id: string;
  database: RolloutDatabase;
}

/** State that a worker holds of one evaluation. */
export class AgentEvalContext {
  readonly calls: CallStore;
  readonly conversations: Conversations;
  readonly agent: CalledModel;
  /** Model of the simulated user; null if a person answers, or nobody. */
  readonly user: CalledModel | null;
  readonly stopToken: string;
  private readonly rows = new LRUCache<string, Promise<StoredRow>>({ max: ROWS_IN_MEMORY });
  private readonly databases = new KnownDatabases();

  constructor(
    readonly store: ArtifactStore,
    readonly config: AgentEvalConfig,
    readonly code: BundleCode,
    private readonly dependencies: WorkerDependencies,
    private readonly askedAgain: string | null = null,
  ) {
    const { agent, user } = config.models;
    this.calls = new CallStore(store);
    this.stopToken = user === 'human' || user === null ? DEFAULT_STOP_TOKEN : config.user.stop_token;
    const { max_tool_calls_per_reply } = config.agent;
    this.conversations = new Conversations(this.calls, this.stopToken, max_tool_calls_per_reply);
    this.agent = this.called(agent);
    this.user = user === 'human' || user === null ? null : this.called(user);
  }

  log(component: string): Logger {
    return this.dependencies.runLogs.for(this.store, this.config.output.log_level, component);
  }

  /** Name of the experiment, which is its folder's name. */
  get experiment(): string {
    return basename(this.store.uri);
  }

  async rollout({ row, rollout }: NamedRollout): Promise<OpenRollout> {
    const stored = await loadedOnce(this.rows, row, () => this.readRow(row));
    const id = rolloutId(this.experiment, row, rollout);
    // Independent of the rollout's id: the same evaluation in another folder draws the same random values.
    const draws = `${this.config.seed}/${rollout}`;
    const database = new RolloutDatabase(this.store, stored.row, id, draws, this.databases);
    return { row, rollout, stored, id, database };
  }

  private async readRow(id: string): Promise<StoredRow> {
    const row = await readJson<StoredRow>(this.store, bundleRowKey(id));
    if (row !== null) return row;
    throw missingFile(this.store, bundleRowKey(id));
  }

  private called(lm: LanguageModelConfig): CalledModel {
    const { store, calls } = this;
    const log = this.log('model');
    const { seed, output } = this.config;
    const model = calledModel(
      lm,
      { store, calls, log, seed, resultsDir: output.results_dir },
      this.dependencies,
    );
    return { ...model, askedAgain: this.askedAgain };
  }
}

const EXPERIMENTS_IN_MEMORY = 8;

/** Cache of the evaluations that a worker used recently. */
export class AgentEvalContexts extends ContextCache<AgentEvalContext> {
  constructor(
    private readonly dependencies: WorkerDependencies,
    private readonly codeIn = bundleCodeIn,
  ) {
    super(EXPERIMENTS_IN_MEMORY);
  }

  protected override async open(run: string): Promise<AgentEvalContext> {
    const store = storeOfRun(this.dependencies.openStore, run);
    const config = await storedConfig<AgentEvalConfig>(store);
    const retry = await readRetry(store);
    const { userCode, keptCode } = this.dependencies;
    const code = this.codeIn(userCode, await codeBegunWith(store, keptCode));
    return new AgentEvalContext(store, config, code, this.dependencies, retry?.at ?? null);
  }
}
