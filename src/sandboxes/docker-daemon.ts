import Docker from 'dockerode';
import { dockerAddress } from './docker-connection.js';
import { dockerError } from './docker-errors.js';
import { SandboxError } from './sandbox.js';
import { LATE, settle } from './settle.js';

/** Timeout of a call: a busy daemon may take seconds to create or start a container; a slower one counts as hung. */
const CALL_TIMEOUT_MS = 60_000;

/** Docker daemon behind dockerode, with time limits for calls and plain error messages. */
export class DockerDaemon {
  readonly client: Docker;
  readonly address: string;

  constructor(environment: Readonly<Record<string, string | undefined>>) {
    const { options, name } = dockerAddress(environment);
    this.client = new Docker(options);
    this.address = name;
  }

  /**
   * Makes one call, with a signal that ends it after `timeoutMs`. Not every call of the client respects a signal: a
   * call that does not end is abandoned.
   * @throws SandboxError whose cause is the client's own error.
   */
  async call<Result>(
    action: (client: Docker, abortSignal: AbortSignal) => Promise<Result>,
    timeoutMs = CALL_TIMEOUT_MS,
  ): Promise<Result> {
    // AbortSignal.timeout would fire long after the call, on a connection that is reused.
    const controller = new AbortController();
    try {
      const result = await settle(action(this.client, controller.signal), timeoutMs);
      if (result !== LATE) return result;
      controller.abort();
      throw controller.signal.reason;
    } catch (error) {
      throw dockerError(error, this.address);
    }
  }

  /**
   * Returns the capacity of the daemon's machine.
   * @throws SandboxError if it cannot enforce the limits of programs.
   */
  async capacity(): Promise<{ cpus: number }> {
    const info = await this.call((client) => client.info());
    if (info.OSType !== undefined && info.OSType !== 'linux') {
      throw new SandboxError(
        `the Docker daemon at ${this.address} runs ${info.OSType} containers, not Linux`,
        false,
      );
    }
    const missing = [
      ...(info.MemoryLimit === false ? ['memory'] : []),
      ...(info.PidsLimit === false ? ['pids'] : []),
      ...(info.CpuCfsQuota === false ? ['cpu'] : []),
    ];
    if (missing.length > 0) {
      throw new SandboxError(
        `the Docker daemon at ${this.address} cannot limit ${missing.join(', ')}: its cgroup controllers are off ` +
          '(rootless Docker needs them delegated: https://docs.docker.com/engine/security/rootless/)',
        false,
      );
    }
    return { cpus: info.NCPU || 1 };
  }
}
