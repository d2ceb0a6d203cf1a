import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { asyncLocalStorage, Context, type Info } from '@temporalio/activity';
import {
  ActivityFailure,
  type ActivityOptions,
  type ApplicationFailure,
  CancelledFailure,
  ChildWorkflowFailure,
  ensureApplicationFailure,
  noopMetricMeter,
  RetryState,
} from '@temporalio/common';
import { msToNumber } from '@temporalio/common/lib/time.js';
import { offer, withdraw } from '../runtime/offers.js';
import { beginUnit, withinUnit } from '../storage/in-unit.js';
import type { WorkflowFunction } from '../workflows/kind.js';
import { isCancellation, useSdk } from '../workflows/sdk.js';

type Activity = (...args: never[]) => Promise<unknown>;
type Named = string | { name?: string; type?: string };

/** State shared within one experiment: its activities, and its workflows by ID. */
class World {
  readonly executions = new Map<string, Execution>();
  readonly unit = beginUnit();

  constructor(
    readonly activities: Readonly<Record<string, Activity>>,
    readonly warn: (message: string) => void,
    readonly pause: (milliseconds: number) => Promise<unknown>,
    /** Client of the server that the experiment is on; absent: there is no server. */
    readonly client?: Context['client'],
    /** Called when a workflow has sent a message to one on the server. */
    readonly onSent: () => void = () => undefined,
    /** Called with what a workflow shows of itself. */
    readonly onDetails: (details: string) => void = () => undefined,
  ) {}
}

type Parent = Pick<Execution, 'workflowId' | 'runId'>;
type Receives = (deliver: (signal: string, args: unknown[]) => void) => () => void;

/** Workflow that code runs for, and the newest scope there. One storage: each costs every promise something. */
const frames = new AsyncLocalStorage<{ scope: Scope; execution: Execution | undefined }>();

/** Cancels what was begun within it, as the SDK's class of this name does. */
class Scope {
  readonly cancelRequested: Promise<never>;
  private reject: (error: CancelledFailure) => void = () => undefined;
  private readonly listeners = new Set<(error: CancelledFailure) => void>();
  private cancelled: CancelledFailure | undefined;
  private readonly cancellable: boolean;

  constructor({
    cancellable = true,
    parent = frames.getStore()?.scope,
  }: { cancellable?: boolean; parent?: Scope | undefined } = {}) {
    this.cancellable = cancellable;
    this.cancelRequested = new Promise((_, reject) => {
      this.reject = reject;
    });
    this.cancelRequested.catch(() => undefined);
    if (cancellable) parent?.onCancelled(() => this.cancel());
  }

  static current(): Scope {
    return frames.getStore()?.scope ?? new Scope();
  }

  static nonCancellable<Value>(work: () => Promise<Value>): Promise<Value> {
    return new Scope({ cancellable: false }).run(work);
  }

  get consideredCancelled(): boolean {
    return this.cancelled !== undefined && this.cancellable;
  }

  run<Value>(work: () => Promise<Value>): Promise<Value> {
    return frames.run({ scope: this, execution: frames.getStore()?.execution }, work);
  }

  cancel(): void {
    if (this.cancelled !== undefined) return;
    this.cancelled = new CancelledFailure('cancelled');
    this.reject(this.cancelled);
    for (const listener of [...this.listeners]) listener(this.cancelled);
  }

  /** Calls a listener once the scope is cancelled, or at once if it is. @returns ends that */
  onCancelled(listener: (error: CancelledFailure) => void): () => void {
    if (this.cancelled !== undefined) listener(this.cancelled);
    else this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /**
   * Returns the awaited value, or rejects with the cancellation if that comes first. Nothing of it stays with the scope,
   * which may last for a hundred thousand of them.
   */
  orCancelled<Value>(awaited: Promise<Value>): Promise<Value> {
    if (!this.cancellable) return awaited;
    return new Promise((resolve, reject) => {
      const close = this.onCancelled(reject);
      const end =
        <Given>(settle: (given: Given) => void) =>
        (given: Given) => {
          close();
          settle(given);
        };
      awaited.then(end(resolve), end(reject));
    });
  }
}

/** Workflow in the plain loop: its conditions, its handlers, and its activities. */
class Execution {
  readonly startTime = new Date();
  readonly scope = new Scope({ parent: undefined });
  private readonly handlers = new Map<string, (...args: unknown[]) => unknown>();
  /** Signals that came before there was a handler for them. */
  private early: { name: string; args: unknown[] }[] = [];
  private readonly waiting = new Map<() => boolean, () => void>();
  private isLooking = false;
  private activityCount = 0;

  constructor(
    readonly world: World,
    readonly workflowId: string,
    readonly workflowType: string,
    readonly parent?: Parent,
    readonly runId: string = randomUUID(),
    /** Begins the IDs of its activities. */
    private readonly idPrefix = '',
  ) {
    world.executions.set(workflowId, this);
  }

  static current(): Execution {
    const execution = frames.getStore()?.execution;
    if (execution === undefined) throw new Error('nothing of an experiment runs here');
    return execution;
  }

  /** Runs a workflow to its end. */
  async run(workflow: WorkflowFunction, args: unknown[]): Promise<unknown> {
    try {
      return await this.enter(() => workflow(...(args as never[])));
    } finally {
      this.world.executions.delete(this.workflowId);
    }
  }

  private enter<Value>(work: () => Promise<Value>): Promise<Value> {
    return frames.run({ scope: this.scope, execution: this }, work);
  }

  /** Passes a message to its handler, or keeps it until there is one. */
  onSignal(name: string, args: unknown[]): void {
    const handler = this.handlers.get(name);
    if (handler === undefined) {
      this.early.push({ name, args });
      return;
    }
    void this.enter(async () => handler(...args));
    this.look();
  }

  setHandler(name: string, handler: (...args: unknown[]) => unknown): void {
    this.handlers.set(name, handler);
    const { early } = this;
    this.early = early.filter((signal) => signal.name !== name);
    for (const signal of early) if (signal.name === name) this.onSignal(name, signal.args);
  }

  condition(fn: () => boolean): Promise<void> {
    if (fn()) return Promise.resolve();
    const met = new Promise<void>((resolve) => void this.waiting.set(fn, resolve));
    // The condition may become true by work of this process alone, and by nothing from outside.
    this.look();
    return met;
  }

  /** Checks the awaited conditions, once all work that follows from the latest event is done. */
  look(): void {
    if (this.isLooking || this.waiting.size === 0) return;
    this.isLooking = true;
    setImmediate(() => {
      this.isLooking = false;
      let found = false;
      for (const [fn, resolve] of this.waiting) {
        if (!fn()) continue;
        this.waiting.delete(fn);
        found = true;
        resolve();
      }
      if (found) this.look();
    });
  }

  /** Runs an activity in this process, as often as its retry policy allows. @throws ActivityFailure as the SDK does. */
  async activity(name: string, args: unknown[], options: ActivityOptions): Promise<unknown> {
    const scope = Scope.current();
    const id = `${this.idPrefix}${++this.activityCount}`;
    const fail = (cause: Error) =>
      new ActivityFailure('Activity task failed', name, id, RetryState.NON_RETRYABLE_FAILURE, '', cause);
    if (scope.consideredCancelled) throw fail(new CancelledFailure('cancelled'));
    const work = this.world.activities[name];
    if (work === undefined) throw new Error(`no activity is called ${name}`);
    const { maximumAttempts = Number.POSITIVE_INFINITY, nonRetryableErrorTypes = [] } = options.retry ?? {};
    const input = plain(args) as never[];
    const scheduledTimestampMs = Date.now();
    let heartbeatDetails: unknown;
    for (let attempt = 1; ; attempt += 1) {
      const { workflowId, runId, workflowType } = this;
      const info = {
        activityId: id,
        activityType: name,
        attempt,
        workflowType,
        heartbeatDetails,
        scheduledTimestampMs,
      };
      const heartbeat = (details: unknown) => {
        heartbeatDetails = plain(details);
      };
      const execution = { workflowId, runId };
      const { client } = this.world;
      const cancelled = new AbortController();
      const close = scope.onCancelled((error) => cancelled.abort(error));
      const { signal } = cancelled;
      const around = { scope, signal, heartbeat, client };
      const context = contextOf({ ...info, workflowExecution: execution }, around);
      const run = () => asyncLocalStorage.run(context, () => work(...input));
      try {
        return plain(await scope.orCancelled(withinUnit(this.world.unit, run)));
      } catch (error) {
        if (isCancellation(error) || scope.consideredCancelled) throw fail(new CancelledFailure('cancelled'));
        const failure = ensureApplicationFailure(error);
        const isFinal = failure.nonRetryable === true || nonRetryableErrorTypes.includes(failure.type ?? '');
        if (isFinal || attempt >= maximumAttempts) throw fail(failure);
        await scope.orCancelled(this.world.pause(pauseAfter(attempt, failure, options)));
      } finally {
        close();
        this.look();
      }
    }
  }
}

const nothing = () => undefined;
const QUIET = { log: nothing, trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing };

/** Creates an activity's context, as far as Reprise's activities use it. */
function contextOf(
  info: Partial<Info>,
  {
    scope,
    signal,
    heartbeat,
    client,
  }: {
    scope: Scope;
    signal: AbortSignal;
    heartbeat: (details: unknown) => void;
    client: Context['client'] | undefined;
  },
): Context {
  return new Context(
    info as Info,
    scope.cancelRequested,
    signal,
    heartbeat,
    client,
    QUIET,
    noopMetricMeter,
    {},
  );
}

/** Returns the milliseconds until the next attempt. */
function pauseAfter(
  attempt: number,
  { nextRetryDelay }: ApplicationFailure,
  { retry }: ActivityOptions,
): number {
  if (nextRetryDelay != null) return msToNumber(nextRetryDelay);
  const first = msToNumber(retry?.initialInterval ?? '1s');
  return Math.min(first * 2 ** (attempt - 1), msToNumber(retry?.maximumInterval ?? '100s'));
}

/** Returns a value as it would arrive through a server. */
function plain<Value>(value: Value): Value {
  return value === undefined ? value : JSON.parse(JSON.stringify(value));
}

const nameOf = (named: Named): string =>
  typeof named === 'string' ? named : (named.name ?? named.type ?? '');

const PLAIN = {
  CancellationScope: Scope,
  allHandlersFinished: () => true,
  condition: async (fn: () => boolean, timeout?: string | number) => {
    const scope = Scope.current();
    const met = Execution.current().condition(fn);
    if (timeout === undefined) return scope.orCancelled(met);
    const late = new AbortController();
    const ended = pause(msToNumber(timeout), false, { signal: late.signal, ref: false }).catch(() => false);
    return scope.orCancelled(Promise.race([met.then(() => true), ended])).finally(() => late.abort());
  },
  continueAsNew: async () => {
    throw new Error('the plain loop has no history that could grow long');
  },
  getExternalWorkflowHandle: (workflowId: string) => {
    const { world } = Execution.current();
    const here = () => world.executions.get(workflowId);
    const there = () => {
      if (world.client === undefined) throw new Error(`workflow ${workflowId} not found`);
      return world.client.workflow.getHandle(workflowId);
    };
    return {
      signal: async (signal: Named, ...args: unknown[]) => {
        const found = here();
        if (found !== undefined) return found.onSignal(nameOf(signal), plain(args));
        await there().signal(nameOf(signal), ...args);
        world.onSent();
      },
      cancel: async () => {
        const found = here();
        if (found === undefined) await there().cancel();
        else found.scope.cancel();
      },
    };
  },
  offer: (functions: Record<string, (...given: unknown[]) => unknown>) => {
    const execution = Execution.current();
    const here = AsyncLocalStorage.snapshot();
    const bound = Object.entries(functions).map(([name, call]) => {
      const look = async (...given: unknown[]) => {
        try {
          return await here(() => call(...given));
        } finally {
          execution.look();
        }
      };
      return [name, look] as const;
    });
    return offer(Object.fromEntries(bound));
  },
  withdraw,
  log: { warn: (message: string) => Execution.current().world.warn(message) },
  scheduleActivity: (name: string, args: unknown[], options: ActivityOptions) =>
    Execution.current().activity(name, args, options),
  setCurrentDetails: (details: string) => Execution.current().world.onDetails(details),
  setHandler: (message: Named, handler: (...args: unknown[]) => unknown) =>
    Execution.current().setHandler(nameOf(message), handler),
  sleep: async (time: string | number) => {
    const execution = Execution.current();
    await Scope.current().orCancelled(execution.world.pause(msToNumber(time)));
    execution.look();
  },
  startChild: async (
    workflow: WorkflowFunction,
    { workflowId, args }: { workflowId: string; args: unknown[] },
  ) => {
    const parent = Execution.current();
    const child = new Execution(parent.world, workflowId, workflow.name, parent);
    const close = Scope.current().onCancelled(() => child.scope.cancel());
    const ended = child.run(workflow, plain(args)).then(plain);
    ended.catch(nothing).finally(() => {
      close();
      parent.look();
    });
    const result = () =>
      ended.catch((error: Error) => {
        const cause = isCancellation(error) ? error : ensureApplicationFailure(error);
        const execution = { workflowId, runId: child.runId };
        const state = RetryState.NON_RETRYABLE_FAILURE;
        throw new ChildWorkflowFailure('default', execution, workflow.name, state, cause);
      });
    return { workflowId, firstExecutionRunId: child.runId, result };
  },
  upsertSearchAttributes: nothing,
  workflowInfo: () => {
    const { workflowId, runId, workflowType, startTime, parent } = Execution.current();
    const of = (one: Parent) => ({ workflowId: one.workflowId, runId: one.runId, namespace: 'default' });
    return {
      ...{ workflowId, runId, workflowType, startTime, firstExecutionRunId: runId },
      ...{ continueAsNewSuggested: false, namespace: 'default', historyLength: 0 },
      ...(parent === undefined ? {} : { parent: of(parent) }),
    };
  },
};

/**
 * Runs a workflow and its activities in this process: the same code, with no messages that could be lost or repeated.
 *
 * @param input `runId` is that of the execution on a server that it works for, if there is one; `parent` is that
 * execution, if the workflow would be a child of it; `idPrefix` makes the IDs of its activities different from those of
 * others that work for it
 * @param around `signal` cancels the workflow; `receives` is given what delivers signals from the server to it, until the
 * returned function is called; the workflow begins once `isReady` has ended; `onSent` is called after a signal to the server, `onDetails` with what it shows of itself
 * @returns the workflow's result
 * @throws the workflow's failure
 */
export function runPlainly(
  workflow: WorkflowFunction,
  input: {
    workflowId: string;
    runId?: string;
    parent?: Parent;
    type: string;
    args: unknown[];
    idPrefix?: string;
  },
  {
    activities,
    warn,
    pause: waiting = pause,
    client,
    signal,
    receives = () => nothing,
    isReady = async () => undefined,
    onSent,
    onDetails,
  }: { activities: object; signal?: AbortSignal; receives?: Receives; isReady?: () => Promise<void> } & Pick<
    World,
    'warn'
  > &
    Partial<Pick<World, 'pause' | 'client' | 'onSent' | 'onDetails'>>,
): Promise<unknown> {
  useSdk(PLAIN as unknown as Parameters<typeof useSdk>[0]);
  const world = new World(activities as Record<string, Activity>, warn, waiting, client, onSent, onDetails);
  const { workflowId, type, parent, runId, idPrefix } = input;
  const execution = new Execution(world, workflowId, type, parent, runId, idPrefix);
  const cancel = () => execution.scope.cancel();
  if (signal?.aborted) cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  const close = receives((name, args) => execution.onSignal(name, args));
  const running = isReady().then(() => execution.run(workflow, plain(input.args)));
  return running.finally(() => {
    close();
    signal?.removeEventListener('abort', cancel);
  });
}
