import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { CallStore } from '../../../activities/call-store.js';
import { calledModel } from '../../../activities/called-model.js';
import { ContextCache } from '../../../activities/context-cache.js';
import type { WorkerDependencies } from '../../../activities/dependencies.js';
import type { CalledModel, ModelCalls } from '../../../activities/model-calls.js';
import { storeOfRun } from '../../../activities/owners.js';
import { sinkOf } from '../../../activities/run-log.js';
import { storedConfig } from '../../../activities/stored-config.js';
import { withGiven } from '../../../activities/with-given.js';
import type { Task } from '../../../contracts/environment.js';
import type { CallRecord, GenerateRequest, Purpose } from '../../../contracts/language-model.js';
import { PURPOSES } from '../../../contracts/language-model.js';
import type { LogSink } from '../../../contracts/logger.js';
import { EmptyReplyError, emptyReplyText, isMissing, isOwnEnd } from '../../../replies/reply-faults.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { type Retry, readRetry } from '../../../storage/retry-marker.js';
import { codeBegunWith } from '../../../user-code/code-file.js';
import { withLog } from '../../../user-code/log.js';
import { TaskReader } from '../../run/activities/task-reader.js';
import type { Row } from '../define.js';
import { type KindCode, kindCode, type RoleQuestion } from '../definition.js';
import type { OwnKindConfig } from '../schema.js';

/** Number of samples whose replies are kept in memory, for their next pass. */
const SAMPLES_IN_MEMORY = 1024;

/** Type of the error of a sample that an empty reply has ended. */
export const EMPTY_REPLY = 'EmptyReply';

/**
 * Reports whether a reply is empty, without tool calls too, which is its provider's fault. After a tool's result a model
 * may have nothing more to say.
 */
export function isEmptyRecord(record: CallRecord): boolean {
  if (!isMissing(record) || (record.tool_calls ?? []).length > 0) return false;
  return record.messages.at(-1)?.role !== 'tool' || !isOwnEnd(record);
}

/** A call that a kind's code makes, and the reply to it, if that is stored. */
export interface SampleCall {
  role: string;
  key: string;
  request: GenerateRequest;
  record: CallRecord | null;
}

/** Result of a kind's code on a sample: its row, or null if it waits for replies. */
export interface SamplePass {
  calls: SampleCall[];
  row: Row | null;
}

/** Returns the purpose in the records of a role's calls. */
const purposeOf = (role: string): Purpose => PURPOSES.find((purpose) => purpose === role) ?? 'generate';

/** State that a worker holds of one experiment of a user's own kind. */
export class OwnKindContext {
  readonly tasks: TaskReader;
  readonly calls: CallStore;
  private readonly models: ReadonlyMap<string, CalledModel>;
  /** Replies of samples, in the order in which they were requested. */
  private readonly replies = new LRUCache<number, CallRecord[]>({ max: SAMPLES_IN_MEMORY });

  /** Numbers of lines that the kind's code has logged about samples. */
  private readonly logged = new LRUCache<number, number>({ max: SAMPLES_IN_MEMORY });

  constructor(
    readonly store: ArtifactStore,
    readonly config: OwnKindConfig,
    readonly code: KindCode,
    private readonly dependencies: WorkerDependencies,
    /** Samples with an error that are retried; null: all. */
    readonly retry: Retry | null,
  ) {
    this.tasks = new TaskReader(store);
    this.calls = new CallStore(store);
    const { calls } = this;
    const { seed, output } = config;
    const experiment = { store, calls, log: this.log('model'), seed, resultsDir: output.results_dir };
    const asked = Object.entries(config.models).map(([role, lm]): [string, CalledModel] => [
      role,
      { ...calledModel(lm, experiment, dependencies), askedAgain: retry?.at ?? null },
    ]);
    this.models = new Map(asked);
  }

  log(component: string): Logger {
    return this.dependencies.runLogs.for(this.store, this.config.output.log_level, component);
  }

  model(role: string): CalledModel {
    return this.models.get(role) as CalledModel;
  }

  /**
   * Runs the kind's code on a sample with all stored replies. A reply to another question than the present one is not
   * used, as when the code has changed.
   * @throws the errors of {@link KindCode.work}, or EmptyReplyError
   */
  async pass(sample: number, models: ModelCalls): Promise<SamplePass> {
    const task = await this.tasks.get(sample);
    for (let replies = this.replies.get(sample) ?? []; ; ) {
      const { questions, row } = await this.working(sample, task, replies);
      const calls = await this.found(task, questions, replies, models);
      const open = calls.findIndex(({ record }) => record === null);
      const known = (open === -1 ? calls : calls.slice(0, open)).map(({ record }) => record as CallRecord);
      this.replies.set(sample, known);
      const empty = known.find(isEmptyRecord);
      if (empty !== undefined) throw new EmptyReplyError(emptyReplyText(empty));
      if (known.length === Math.min(replies.length, calls.length)) return { calls, row };
      replies = known;
    }
  }

  /** Runs the kind's code. Each pass logs what the one before has logged, and that once. */
  private async working(sample: number, task: Task, replies: readonly CallRecord[]) {
    const before = this.logged.get(sample) ?? 0;
    const sink = sinkOf((component) => this.log(component), 'kind', { sample: task.id });
    let count = 0;
    const write: LogSink['write'] = (line) => {
      count += 1;
      if (count > before) sink.write(line);
    };
    try {
      return await withLog({ ...sink, write }, () => this.code.work(task, replies));
    } finally {
      this.logged.set(sample, Math.max(count, before));
    }
  }

  /** Finds the replies to the calls of a pass. @param replies those that the code has got, in the order of its calls */
  private found(
    { id }: Task,
    questions: readonly RoleQuestion[],
    replies: readonly CallRecord[],
    models: ModelCalls,
  ): Promise<SampleCall[]> {
    const made = questions.map(async ({ role, question }, ordinal): Promise<SampleCall> => {
      const call = { sample_id: id, trial: 0, purpose: purposeOf(role), ordinal, role };
      const { key, request } = models.prepare(this.model(role), call, question);
      const held = replies[ordinal];
      const stored = held?.key === key ? held : (await this.calls.find(call, key))?.record;
      if (stored !== undefined) return { role, key, request, record: stored };
      const own = replies.filter((reply) => reply.role === role);
      const messages = withGiven(request.messages, own);
      return { role, key, request: { ...request, messages }, record: null };
    });
    return Promise.all(made);
  }
}

const EXPERIMENTS_IN_MEMORY = 8;

/** Cache of the experiments of users' own kinds that a worker used recently. */
export class OwnKindContexts extends ContextCache<OwnKindContext> {
  constructor(private readonly dependencies: WorkerDependencies) {
    super(EXPERIMENTS_IN_MEMORY);
  }

  protected override async open(run: string): Promise<OwnKindContext> {
    const { openStore, userCode, keptCode } = this.dependencies;
    const store = storeOfRun(openStore, run);
    const config = await storedConfig<OwnKindConfig>(store);
    const code = kindCode(userCode, config, await codeBegunWith(store, keptCode));
    return new OwnKindContext(store, config, code, this.dependencies, await readRetry(store));
  }
}
