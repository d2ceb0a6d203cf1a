import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import Docker, { type DockerOptions } from 'dockerode';
import { dockerError } from './docker-errors.js';
import { SandboxError } from './sandbox.js';
import { LATE, settle } from './settle.js';

/** Timeout of a call: a busy daemon may take seconds to create or start a container; a slower one counts as hung. */
const CALL_TIMEOUT_MS = 60_000;

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_SOCKET = '/var/run/docker.sock';
const DEFAULT_PIPE = '//./pipe/docker_engine';

interface DockerAddress {
  options: DockerOptions;
  /** Name for messages. */
  name: string;
}

/**
 * Returns the address of the daemon: `DOCKER_HOST` with `DOCKER_TLS_VERIFY` and `DOCKER_CERT_PATH`, as in Docker's own
 * command, or else its usual socket, the system's before the user's. Docker's contexts are ignored.
 * @throws SandboxError if `DOCKER_HOST` is no address, or a certificate is missing.
 */
export function dockerAddress(environment: Environment): DockerAddress {
  const host = environment.DOCKER_HOST?.trim();
  if (!host) return socket(usualSocket(environment));
  if (host.startsWith('unix://')) return socket(host.slice('unix://'.length) || usualSocket(environment));
  if (host.startsWith('npipe://')) return socket(host.slice('npipe://'.length) || DEFAULT_PIPE);
  return { options: remote(host, environment), name: host };
}

function socket(path: string): DockerAddress {
  return { options: { socketPath: path, host: undefined }, name: path };
}

function usualSocket(environment: Environment): string {
  if (process.platform === 'win32') return DEFAULT_PIPE;
  const home = environment.HOME || homedir();
  const places = [
    DEFAULT_SOCKET,
    // Docker Desktop, then rootless Docker.
    join(home, '.docker/run/docker.sock'),
    join(home, '.docker/desktop/docker.sock'),
    ...(environment.XDG_RUNTIME_DIR ? [join(environment.XDG_RUNTIME_DIR, 'docker.sock')] : []),
  ];
  return places.find(isUsable) ?? places.find((place) => existsSync(place)) ?? DEFAULT_SOCKET;
}

function isUsable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function remote(host: string, environment: Environment): DockerOptions {
  let url: URL;
  try {
    url = new URL(host.includes('//') ? host : `tcp://${host}`);
  } catch (error) {
    throw new SandboxError(`DOCKER_HOST: ${host} is no address such as tcp://host:2375`, false, {
      cause: error,
    });
  }
  if (url.protocol === 'ssh:') {
    return {
      protocol: 'ssh',
      host: url.hostname,
      port: url.port || 22,
      username: decodeURIComponent(url.username) || undefined,
      sshOptions: { agent: environment.SSH_AUTH_SOCK },
    };
  }
  const secure = Boolean(environment.DOCKER_TLS_VERIFY) || url.port === '2376' || url.protocol === 'https:';
  return {
    protocol: secure ? 'https' : 'http',
    host: url.hostname,
    port: url.port || (secure ? 2376 : 2375),
    ...(secure ? certificates(environment) : {}),
  };
}

function certificates(environment: Environment): Pick<DockerOptions, 'ca' | 'cert' | 'key'> {
  const folder = environment.DOCKER_CERT_PATH || join(environment.HOME || homedir(), '.docker');
  if (!environment.DOCKER_CERT_PATH && !existsSync(join(folder, 'ca.pem'))) return {};
  const read = (name: string) => {
    try {
      return readFileSync(join(folder, name));
    } catch (error) {
      throw new SandboxError(`DOCKER_CERT_PATH: ${join(folder, name)} cannot be read`, false, {
        cause: error,
      });
    }
  };
  return { ca: read('ca.pem'), cert: read('cert.pem'), key: read('key.pem') };
}

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
