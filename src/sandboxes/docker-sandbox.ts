import { randomUUID } from 'node:crypto';
import type { ExecutionResult } from '../contracts/execution.js';
import { executeInContainer } from './container-execution.js';
import { containerOptions } from './container-options.js';
import { ownerLabel } from './container-owner.js';
import { ContainerPool, IDLE_MS } from './container-pool.js';
import { ContainerRemoval } from './container-removal.js';
import { START_TIMEOUT_MS, startContainer, type WaitingContainer } from './container-start.js';
import { DockerDaemon } from './docker-daemon.js';
import { dockerErrorAtStart, hasStatus } from './docker-errors.js';
import { ModelRequests } from './model-requests.js';
import { checkFunctionProgram, checkProgram } from './program-files.js';
import { callResult } from './returned-text.js';
import { provideRunnerImage } from './runner-image.js';
import { callLines, maximumAnswerBytes, type ProgramOutcome, runLines } from './runner-protocol.js';
import {
  type CallResult,
  type ExecutionLimits,
  type ExecutionOptions,
  type FunctionCallOptions,
  type FunctionProgram,
  type FunctionSandbox,
  type Program,
  SandboxError,
} from './sandbox.js';
import { LATE, settle } from './settle.js';

/**
 * Milliseconds to wait for a removal: a daemon may take seconds to remove a container that ran out of memory many
 * times.
 */
const REMOVE_PATIENCE_MS = 500;
/** Maximum of removals in progress before a result waits for the removal of its container. */
const MAXIMUM_REMOVALS = 16;
const IMAGE_TIMEOUT_MS = 15 * 60_000;

export interface DockerSandboxDependencies {
  /**
   * Environment, `process.env` in a worker: `DOCKER_HOST`, `DOCKER_TLS_VERIFY`, `DOCKER_CERT_PATH`,
   * `REPRISE_RUNNER_BASE`, `REPRISE_RUNNER_IMAGE`. A program gets nothing of it.
   */
  environment: Readonly<Record<string, string | undefined>>;
  /** Listener for slow work, in a sentence: an image that is built or pulled. */
  say?: (message: string) => void;
  /**
   * True if containers are started ahead of programs that follow each other closely. Default: true. Such a container is
   * removed after 10 s without use.
   */
  warm?: boolean;
}

interface Prepared {
  image: string;
  availableCpus: number;
}

/**
 * Creates a sandbox that runs each program in its own container: no network, no mounts, so that the daemon may be on
 * another machine. `run` returns within the program's time and 2 s, plus the time to start the container and, if its
 * runner does not answer at the deadline, to inspect it. By then, the container is being removed; `close` waits for
 * that. The caller limits the number of parallel programs.
 *
 * @throws SandboxError if `DOCKER_HOST` is no address.
 */
export function dockerSandbox(dependencies: DockerSandboxDependencies): DockerSandbox {
  return new DockerSandbox(dependencies);
}

export class DockerSandbox implements FunctionSandbox {
  readonly type = 'docker';
  private readonly daemon: DockerDaemon;
  private readonly removal: ContainerRemoval;
  private readonly pool: ContainerPool;
  private readonly owner = ownerLabel();
  /** Running programs, each with the controller that ends it. */
  private readonly running = new Map<Promise<unknown>, AbortController>();
  private preparing: Promise<Prepared> | undefined;
  private hasBeenReady = false;
  private closed = false;

  constructor(private readonly dependencies: DockerSandboxDependencies) {
    this.daemon = new DockerDaemon(dependencies.environment);
    this.removal = new ContainerRemoval(this.daemon);
    const start = (limits: ExecutionLimits, signal: AbortSignal) => this.start(limits, signal);
    const discard = (container: WaitingContainer) => this.discard(container);
    this.pool = new ContainerPool({ start, discard }, dependencies.warm ?? true);
  }

  /** Also removes containers that earlier processes left behind. */
  async prepare(): Promise<void> {
    try {
      await this.prepared();
    } catch (error) {
      throw dockerErrorAtStart(error, this.daemon.address);
    }
    await this.sweep();
  }

  async run(program: Program, options: ExecutionOptions): Promise<ExecutionResult> {
    checkProgram(program);
    const { result } = await this.ending(options.signal, (ending) =>
      this.execute({ ...options, signal: ending.signal }, (nonce) =>
        runLines(nonce, program, options.limits),
      ),
    );
    return result;
  }

  async call(program: FunctionProgram, options: FunctionCallOptions): Promise<CallResult> {
    checkFunctionProgram(program);
    const { limits } = options;
    const { result, returned } = await this.ending(options.signal, async (ending) => {
      const requests = new ModelRequests(options, (reason) => ending.abort(reason));
      try {
        const lines = (nonce: string) => callLines(nonce, program, limits);
        return await this.execute({ limits, signal: ending.signal }, lines, requests);
      } finally {
        await requests.end();
      }
    });
    return callResult(program, result, returned, limits);
  }

  /** Resolves when all containers of this sandbox are removed, provided that the daemon still answers. */
  async close(): Promise<void> {
    this.closed = true;
    this.removal.stopSweeping();
    for (const ending of this.running.values()) ending.abort(closedError());
    await Promise.allSettled(this.running.keys());
    await this.pool.close();
    await this.removal.settled();
  }

  /**
   * Removes abandoned containers: of dead processes of this host, and of any machine if their deadline is long past.
   * Returns their number.
   */
  sweep(): Promise<number> {
    return this.removal.sweep();
  }

  /** Runs an action with a controller that ends it: by the caller's signal, by `close`, or by the action itself. */
  private async ending<Result>(
    signal: AbortSignal | undefined,
    action: (ending: AbortController) => Promise<Result>,
  ): Promise<Result> {
    signal?.throwIfAborted();
    if (this.closed) throw closedError();
    const ending = new AbortController();
    const abort = () => ending.abort(signal?.reason);
    signal?.addEventListener('abort', abort);
    const acting = action(ending);
    this.running.set(acting, ending);
    try {
      return await acting;
    } finally {
      signal?.removeEventListener('abort', abort);
      this.running.delete(acting);
    }
  }

  private execute(
    options: ExecutionOptions & { signal: AbortSignal },
    lines: (nonce: string) => string,
    requests: ModelRequests | null = null,
  ): Promise<ProgramOutcome> {
    return this.pool.use(options.limits, options.signal, async (waiting) => {
      let hasEnded = false;
      try {
        const outcome = await executeInContainer(
          this.daemon,
          waiting,
          lines(waiting.nonce),
          options,
          requests,
        );
        // After any other result the container ends by itself.
        hasEnded = outcome.result.status !== 'timeout';
        return outcome;
      } finally {
        const removal = this.removal.remove(waiting.container.id);
        const mayGoOn = hasEnded && this.removal.count <= MAXIMUM_REMOVALS;
        if (!mayGoOn) await settle(removal, REMOVE_PATIENCE_MS);
      }
    });
  }

  private async start(limits: ExecutionLimits, signal: AbortSignal): Promise<WaitingContainer> {
    try {
      return await this.startWithImage(limits, signal);
    } catch (error) {
      const isMissing =
        error instanceof SandboxError && hasStatus(error, 404) && /no such image/i.test(error.message);
      if (!isMissing) throw error;
      // The image was removed after it had been found.
      this.preparing = undefined;
      return this.startWithImage(limits, signal);
    }
  }

  private async startWithImage(limits: ExecutionLimits, signal: AbortSignal): Promise<WaitingContainer> {
    const prepared = await settle(this.prepared(), IMAGE_TIMEOUT_MS, signal);
    if (prepared === LATE) throw new SandboxError('the image that code is run in is not ready in time', true);
    const name = `reprise-${randomUUID()}`;
    const deadline = (Date.now() + START_TIMEOUT_MS + IDLE_MS) / 1000 + limits.timeout_sec;
    const options = containerOptions({ ...prepared, name, limits, owner: this.owner, deadline });
    try {
      return await startContainer(this.daemon, options, maximumAnswerBytes(limits), signal);
    } catch (error) {
      await settle(this.removal.remove(name), REMOVE_PATIENCE_MS);
      throw error;
    }
  }

  private discard({ container, stream }: WaitingContainer): void {
    stream.destroy();
    void this.removal.remove(container.id);
  }

  /** Finds the image once; after a failure, the next caller tries again. */
  private prepared(): Promise<Prepared> {
    this.preparing ??= this.findImage().catch((error) => {
      this.preparing = undefined;
      throw this.hasBeenReady ? passing(error) : error;
    });
    return this.preparing;
  }

  private async findImage(): Promise<Prepared> {
    const { environment, say = () => {} } = this.dependencies;
    const { cpus } = await this.daemon.capacity();
    const image = await this.daemon.call(
      (client) => provideRunnerImage(client, environment, say),
      IMAGE_TIMEOUT_MS,
    );
    this.hasBeenReady = true;
    if (!this.closed) this.removal.startSweeping();
    return { image, availableCpus: cpus };
  }
}

/** Makes an error retryable, because the same has worked before: an unreachable registry or disk, a removed image. */
function passing(error: unknown): unknown {
  if (!(error instanceof SandboxError) || error.retryable) return error;
  return new SandboxError(error.message, true, { cause: error });
}

function closedError(): SandboxError {
  return new SandboxError('the sandbox is closed', true);
}
