import type { Client } from '@temporalio/client';
import { closestWord, InvalidInputError } from '../config/errors.js';
import type { ConfigKind, WrittenConfig } from '../config/kind.js';
import { readConfig } from '../config/load.js';
import { KINDS, type LoadedKind, loadKind } from '../kinds/registry.js';
import { connectClient, resolveServer } from '../workers/connection.js';
import { Experiment } from './experiment.js';
import { describeRun } from './in-progress.js';
import { type ListedExperiment, type ListOptions, listExperiments } from './list.js';
import { OwnNotices } from './own-notices.js';
import { seldom } from './seldom.js';
import { openSession, type Session, taskQueueName } from './session.js';
import type { Started } from './start.js';
import { startWithNotes } from './start-with-notes.js';

export interface ConnectOptions {
  /**
   * Temporal server, as `host:port`. Default: that of `TEMPORAL_ADDRESS` or of a profile of the Temporal CLI, with its
   * TLS and API key; else the embedded server of this folder.
   */
  address?: string;
  namespace?: string;
  /** Task queue that experiments are started on. Default: `REPRISE_TASK_QUEUE`, or `reprise`. */
  taskQueue?: string;
  /**
   * Works on experiments in this process, as `reprise run` does: no other worker is needed, and without an address the
   * embedded server is started. Default: false, other processes work on them.
   */
  worker?: boolean;
  /** Maximum calls in flight of that worker, for each model. Default: 500. */
  maxConcurrentCalls?: number;
  /** Receives sentences for people, such as how an experiment was started, or what it waits for. */
  notify?: (message: string) => void;
}

export interface StartOptions {
  /** ID to start, to continue or to attach to. Default: the first one of the name that is free or unfinished. */
  id?: string;
  /** Name of the experiment and of its folder, in place of the config's. */
  name?: string;
  /** Folder of results, or `s3://bucket/prefix`, in place of the config's. */
  resultsDir?: string;
  /** Assignments such as `runtime.num_trials=3`, as `--set` takes them. */
  set?: readonly string[];
}

/** Loads a kind. @throws InvalidInputError that lists the kinds. */
async function kindNamed(id: string): Promise<LoadedKind> {
  const ids = KINDS.map((kind) => kind.id);
  if (ids.includes(id)) return loadKind(id);
  const meant = closestWord(id, ids);
  const hint = meant === null ? '' : `; did you mean '${meant}'?`;
  throw new InvalidInputError(`there is no kind of experiment '${id}' (there are ${ids.join(', ')})${hint}`);
}

/** Reads a config from a file, or a value with paths relative to the working folder. @throws InvalidInputError */
async function configOf(
  kind: ConfigKind,
  given: string | object,
  { id, name, resultsDir: results_dir, set }: StartOptions,
): Promise<object> {
  const flags = Object.fromEntries(
    Object.entries({ name, results_dir }).filter(([, value]) => value !== undefined),
  );
  const foreign = Object.keys(flags).find((flag) => !(flag in kind.flags));
  if (foreign !== undefined) throw new InvalidInputError(`${foreign}: ${kind.noun} takes none`, foreign);
  const options = { flags, overrides: set ?? [] };
  if (typeof given === 'string') return readConfig(kind, given, options);
  const fallbackName = kind.nameOf === undefined ? (id ?? null) : null;
  const beside = structuredClone(given) as WrittenConfig;
  return readConfig(kind, null, { ...options, beside, source: 'the config', fallbackName });
}

/** Connection to a Temporal server, for starting and following experiments of any kind. */
export class ExperimentClient {
  private closing: Promise<void> | undefined;

  private constructor(
    private readonly client: Client,
    private readonly taskQueue: string,
    private readonly session: Session | null,
    private readonly notices: OwnNotices,
    private readonly notify: (message: string) => void,
    private readonly over: AbortController,
    private readonly release: () => Promise<void>,
  ) {}

  /** @throws InvalidInputError if there is no server, or it cannot be reached. */
  static async connect(options: ConnectOptions = {}): Promise<ExperimentClient> {
    const { address, namespace, taskQueue, maxConcurrentCalls, notify: say = () => undefined } = options;
    const environment = {
      ...process.env,
      ...(address !== undefined && { TEMPORAL_ADDRESS: address }),
      ...(namespace !== undefined && { TEMPORAL_NAMESPACE: namespace }),
    };
    const notices = new OwnNotices(seldom(say));
    const over = new AbortController();
    if (options.worker !== true) {
      const server = await resolveServer({ start: false, environment, say });
      const client = await connectClient(server);
      const close = () => client.connection.close();
      return new ExperimentClient(client, taskQueueName(taskQueue), null, notices, say, over, close);
    }
    const session = await openSession({
      say,
      received: (message, workflow) => notices.received(message, workflow),
      isOwn: (workflow) => notices.isOwn(workflow),
      environment,
      ...(taskQueue !== undefined && { taskQueue }),
      ...(maxConcurrentCalls !== undefined && { maxConcurrentCalls }),
    });
    session.working.catch((error: unknown) => over.abort(error));
    const { client, worker, close } = session;
    return new ExperimentClient(client, worker.taskQueue, session, notices, say, over, close);
  }

  /**
   * Starts an experiment, attaches to the one in progress with its name, or continues an unfinished one; a finished one
   * is never written over.
   * @param config path of a YAML file, or its content
   * @throws InvalidInputError that names the field that is wrong.
   */
  async start(kindId: string, config: string | object, options: StartOptions = {}): Promise<Experiment> {
    const loaded = await kindNamed(kindId);
    const read = await configOf(loaded.kind.config, config, options);
    // Where others work on it, their keys and files count.
    const notes = this.session === null ? [] : await loaded.command.check(read);
    const { taskQueue } = this;
    const where = options.id === undefined ? { taskQueue } : { taskQueue, only: options.id };
    const { id, how, says } = await startWithNotes(this.client, loaded, read, { ...where, notes });
    for (const sentence of says) this.notify(sentence);
    return this.experiment(id, how, loaded);
  }

  /**
   * Finds an experiment by its ID, in progress or ended.
   * @throws InvalidInputError if there is none, or it is of another kind.
   */
  async attach(id: string, kind?: string): Promise<Experiment> {
    const { type } = await describeRun(this.client, id);
    if (kind !== undefined && type !== kind) {
      throw new InvalidInputError(`'${id}' is of the kind '${type}', not '${kind}'`);
    }
    if (!KINDS.some((one) => one.id === type)) {
      throw new InvalidInputError(`'${id}' is a part of an experiment, or none; attach to the whole`);
    }
    return this.experiment(id, 'attached', await loadKind(type));
  }

  /** Lists the experiments of the server, the newest first. A new one may be missing for a second. */
  list(options: ListOptions = {}): Promise<ListedExperiment[]> {
    return listExperiments(this.client, options);
  }

  /**
   * Closes the connection, once calls in flight of a worker here have finished. Experiments in progress stay as they
   * are, and continue with the next worker; those that are followed here reject.
   */
  close(): Promise<void> {
    this.over.abort(new Error('the client was closed'));
    this.closing ??= this.release();
    return this.closing;
  }

  private async experiment(id: string, how: Started['how'], loaded: LoadedKind): Promise<Experiment> {
    const { client, notify: say, over } = this;
    this.notices.carry(id);
    await this.session?.workOn(client.workflow.getHandle(id), say);
    return new Experiment(id, how, { client, loaded, say, signal: over.signal });
  }
}
