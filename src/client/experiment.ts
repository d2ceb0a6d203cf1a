import type { Client, WorkflowHandle } from '@temporalio/client';
import { InvalidInputError } from '../config/errors.js';
import type { ExperimentProgress } from '../contracts/progress.js';
import type { ExperimentMetrics } from '../contracts/results.js';
import { type Ended, progressAtEnd } from '../facts/kind-facts.js';
import type { LoadedKind } from '../kinds/registry.js';
import { cancel, control } from './control.js';
import { askProgress, ExperimentFailedError, endedOf, follow, QUERY_TIMEOUT, untilEnded } from './follow.js';
import type { Started } from './start.js';
import { cutOff } from './state.js';

interface ExperimentTools {
  client: Client;
  loaded: LoadedKind;
  /** Receives sentences for people. */
  say: (message: string) => void;
  /** Aborted when nothing more can be learned of the experiment, such as when its client is closed. */
  signal: AbortSignal;
}

/** Experiment that was started or found, in progress or ended. */
export class Experiment<
  Kind extends string = string,
  Progress extends object = ExperimentProgress,
  Metrics extends object = ExperimentMetrics,
> {
  readonly kind: Kind;
  private readonly handle: WorkflowHandle;

  constructor(
    /** ID of its workflow. */
    readonly id: string,
    /** `continued` from its artifacts, or `attached` to one that was found. */
    readonly how: Started['how'],
    private readonly tools: ExperimentTools,
  ) {
    this.kind = tools.loaded.kind.config.id as Kind;
    this.handle = tools.client.workflow.getHandle(id);
  }

  /**
   * Yields the progress of the experiment whenever it has changed, and at last how it ended; then it is over. No error
   * is thrown if the experiment fails: `result` does that.
   * @param options.signal ends the iteration with the reason of the signal.
   */
  async *progress(options: { signal?: AbortSignal } = {}): AsyncGenerator<Progress, void, void> {
    const { kind, command } = this.tools.loaded;
    const following = this.following(options.signal);
    let before = '';
    for await (const progress of follow<Progress>(this.handle, following)) {
      const text = JSON.stringify(progress);
      if (text !== before) yield progress;
      before = text;
    }
    const ended = await untilEnded<Ended>(this.handle, following).catch(endedOf).catch(noResult);
    if (ended === null) return;
    const asked = command.asksAtEnd ? await askProgress<Progress>(this.handle, QUERY_TIMEOUT) : null;
    yield asked ?? (progressAtEnd(ended, kind.facts) as unknown as Progress);
  }

  /**
   * Waits until the experiment ends, and returns the content of `metrics.json` and the URI of its folder. One that was
   * stopped, reached a limit or has errors left has a result: `metrics.status` says so.
   * @throws InvalidInputError if its config was refused; ExperimentFailedError if it failed or was cut off.
   */
  async result(): Promise<{ artifacts: string; metrics: Metrics }> {
    try {
      return await untilEnded<{ artifacts: string; metrics: Metrics }>(this.handle, this.following());
    } catch (error) {
      if (!(error instanceof ExperimentFailedError) || error.metrics !== null) throw error;
      throw new ExperimentFailedError<Metrics>(error.message, error.status, await this.left());
    }
  }

  /** Starts nothing further until `resume`; what is in flight ends. */
  async pause(): Promise<void> {
    await control(this.tools.client, this.id, 'pause');
  }

  async resume(): Promise<void> {
    await control(this.tools.client, this.id, 'resume');
  }

  /** Finishes what is in flight and writes the results, with the status `stopped`. */
  async stop(): Promise<void> {
    await control(this.tools.client, this.id, 'stop');
  }

  /** @param concurrency number of units in flight at once: lanes of a run, rollouts, steps, … */
  async setConcurrency(concurrency: number): Promise<void> {
    await control(this.tools.client, this.id, 'setConcurrency', concurrency);
  }

  /** Ends what is in flight, and writes what there is; `result` rejects with the status `cancelled`. */
  async cancel(): Promise<void> {
    await cancel(this.tools.client, this.id);
  }

  private following(signal?: AbortSignal) {
    const { tools } = this;
    return {
      say: tools.say,
      signal: signal === undefined ? tools.signal : AbortSignal.any([signal, tools.signal]),
    };
  }

  /** Returns what an experiment without a result has written, as far as it can be read from here. */
  private async left(): Promise<{ artifacts?: string | null; metrics?: Metrics | null }> {
    const { client, loaded } = this.tools;
    try {
      const { artifacts, metrics } = await cutOff(client, await this.handle.describe(), loaded.kind);
      return { artifacts, metrics: metrics as Metrics | null };
    } catch {
      return {};
    }
  }
}

/** Returns null for the error of an experiment that has no result. @throws any other error */
function noResult(error: unknown): null {
  if (error instanceof ExperimentFailedError || error instanceof InvalidInputError) return null;
  throw error;
}
