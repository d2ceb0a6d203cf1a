import Docker from 'dockerode';
import { dockerAddress } from './docker-connection.js';
import { dockerError } from './docker-errors.js';
import { SandboxError } from './sandbox.js';
import { LATE, settle } from './settle.js';

/** A busy daemon may take seconds to create or start a container; one that takes this long is taken for hung. */
const CALL_TIMEOUT_MS = 60_000;

/** The daemon behind dockerode: calls that end, and errors in plain words. */
export class DockerDaemon {
  readonly client: Docker;
  readonly address: string;

  constructor(environment: Readonly<Record<string, string | undefined>>) {
    const { options, name } = dockerAddress(environment);
    this.client = new Docker(options);
    this.address = name;
  }

  /**
   * Makes one call, with a signal that ends it after `timeoutMs`. Not every call of the client heeds a signal: what has
   * not ended then is left behind.
   * @throws SandboxError whose cause is the client's own error.
   */
  async call<Result>(
    action: (client: Docker, abortSignal: AbortSignal) => Promise<Result>,
    timeoutMs = CALL_TIMEOUT_MS,
  ): Promise<Result> {
    // Not AbortSignal.timeout: it would fire long after the call, on a connection that lives on.
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
   * What the daemon's machine can give.
   * @throws SandboxError where it could not keep programs in their limits.
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
