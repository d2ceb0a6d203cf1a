import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { LABEL, LABEL_VALUE, OWNER_LABEL } from '../../src/sandboxes/container-owner.js';
import { DockerDaemon } from '../../src/sandboxes/docker-daemon.js';
import { DEFAULT_BASE, provideRunnerImage } from '../../src/sandboxes/runner-image.js';
import { whyNoOwnDaemon } from './docker-engine.js';
import { mustSkipWithout } from './missing-part.js';
import { type Running, until } from './workplace.js';

const SCRIPT = 'scripts/docker-daemon.sh';
const PASSED_ON = /^(DOCKER_|REPRISE_RUNNER_|XDG_RUNTIME_DIR$|HOME$|SSH_AUTH_SOCK$)/;

/** The variables that lead to a daemon that answers, or what is missing to have one. */
export type FoundDocker = { environment: Record<string, string> } | { missing: string };

/** Looks for a daemon as the sandbox does: `DOCKER_HOST`, or the usual socket. */
export async function findDocker(): Promise<FoundDocker> {
  const environment = Object.fromEntries(
    Object.entries(process.env).filter(([name, value]) => value !== undefined && PASSED_ON.test(name)),
  ) as Record<string, string>;
  try {
    await new DockerDaemon(environment).capacity();
    return { environment };
  } catch (error) {
    return { missing: (error as Error).message };
  }
}

/** Whether tests that need a daemon must be skipped. */
export function mustSkipDocker(found: FoundDocker | FoundOwnDaemon): boolean {
  return mustSkipWithout('docker', 'missing' in found ? `Docker is missing: ${found.missing}` : null);
}

/** A client of the daemon that the variables lead to. */
export function dockerClient(environment: Record<string, string>): Docker {
  return new DockerDaemon(environment).client;
}

/** Names of the sandbox's containers, running or not; of one owner only where it is given. */
export async function sandboxContainers(docker: Docker, owner?: string): Promise<string[]> {
  const label = [`${LABEL}=${LABEL_VALUE}`, ...(owner === undefined ? [] : [`reprise.owner=${owner}`])];
  const containers = await docker.listContainers({ all: true, filters: { label } });
  return containers.flatMap(({ Names }) => Names);
}

/** Waits until an owner has no container, running or not: the last one may be on its way out when a program has answered. */
export async function untilRemoved(docker: Docker, owner?: string): Promise<void> {
  await until(
    'the containers are removed',
    async () => (await sandboxContainers(docker, owner)).length === 0,
  );
}

/** How many containers a command's own worker has, or has left. */
export async function containersOfProcess(docker: Docker, { process: { pid } }: Running): Promise<number> {
  const label = [`${LABEL}=${LABEL_VALUE}`];
  const containers = await docker.listContainers({ all: true, filters: { label } });
  return containers.filter(({ Labels }) => Labels[OWNER_LABEL]?.includes(`/${pid}/`)).length;
}

export type FoundOwnDaemon = { start(): Promise<OwnDaemon> } | { missing: string };

/** A daemon of a test's own, to be stopped and started again at will. */
export interface OwnDaemon {
  environment: Record<string, string>;
  docker: Docker;
  stop(): Promise<void>;
  restart(): Promise<void>;
  /** Ends it and deletes what it kept. */
  remove(): Promise<void>;
}

/** Whether this machine can start one: it takes root, and Docker Engine's own programs. */
export async function findOwnDaemon(found: FoundDocker): Promise<FoundOwnDaemon> {
  if ('missing' in found) return found;
  const missing = await whyNoOwnDaemon();
  if (missing !== null) return { missing };
  return { start: () => startOwnDaemon(found.environment) };
}

async function startOwnDaemon(environment: Record<string, string>): Promise<OwnDaemon> {
  const folder = await mkdtemp('/tmp/reprise-dockerd-');
  const run = async (command: string) =>
    (await promisify(execFile)(SCRIPT, [command, folder], { timeout: 90_000 })).stdout.trim();
  const address = await run('start');
  const target = new Docker({ socketPath: address.slice('unix://'.length) });
  const image = await copyImage(environment, target).catch(async (error) => {
    await run('remove');
    throw error;
  });
  const own = { DOCKER_HOST: address, REPRISE_RUNNER_IMAGE: image };
  return {
    environment: own,
    docker: dockerClient(own),
    stop: async () => void (await run('stop')),
    restart: async () => {
      await run('stop');
      await run('start');
    },
    remove: async () => void (await run('remove')),
  };
}

/** The image that code is run in, from one daemon into another: neither needs a registry. */
async function copyImage(environment: Record<string, string>, target: Docker): Promise<string> {
  const source = dockerClient(environment);
  const image = await provideRunnerImage(source, environment, () => {});
  const stream = await target.loadImage(await source.getImage(image).get());
  await new Promise((resolve, reject) => {
    target.modem.followProgress(stream, (error: Error | null) => (error ? reject(error) : resolve(null)));
  });
  return image;
}

/** The base that the image is built on here. */
export function baseImage(environment: Record<string, string>): string {
  return environment.REPRISE_RUNNER_BASE ?? DEFAULT_BASE;
}
