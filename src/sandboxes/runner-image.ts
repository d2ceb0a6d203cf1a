import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type Docker from 'dockerode';
import { hasStatus } from './docker-errors.js';
import { SandboxError } from './sandbox.js';

type Environment = Readonly<Record<string, string | undefined>>;

export const DEFAULT_BASE = 'python:3.13-slim';
const REPOSITORY = 'reprise-scaffold-runner';
const FOLDER = fileURLToPath(new URL('../../docker/scaffold-runner/', import.meta.url));

/**
 * Returns the name of an image with the runner: `REPRISE_RUNNER_IMAGE`, pulled if it is missing; else one that is built
 * once from docker/scaffold-runner on `REPRISE_RUNNER_BASE`, and named by a hash of both. Workers that build at the
 * same time build it twice.
 * @throws SandboxError if there is no image and none can be pulled or built; other errors of the daemon are passed on.
 */
export async function provideRunnerImage(
  docker: Docker,
  environment: Environment,
  say: (message: string) => void,
): Promise<string> {
  const given = environment.REPRISE_RUNNER_IMAGE;
  if (given) {
    if (!(await isThere(docker, given))) {
      say(`pulling ${given}, the image that code is run in`);
      await follow(docker, docker.pull(given), `REPRISE_RUNNER_IMAGE: ${given} cannot be pulled`);
    }
    await refuseVolumes(docker, given);
    return given;
  }
  const base = environment.REPRISE_RUNNER_BASE || DEFAULT_BASE;
  const files = await contextFiles();
  const tag = `${REPOSITORY}:${await contentHash(files, base)}`;
  if (!(await isThere(docker, tag))) {
    say(`building ${tag} on ${base}, the image that code is run in (once)`);
    await build(docker, files, base, tag);
  }
  await refuseVolumes(docker, tag);
  return tag;
}

async function build(docker: Docker, files: string[], base: string, tag: string): Promise<void> {
  const stream = docker.buildImage(
    { context: FOLDER, src: files },
    { t: tag, buildargs: { BASE: base }, networkmode: 'none', rm: true, forcerm: true },
  );
  await follow(
    docker,
    stream,
    `the image that code is run in cannot be built on ${base}; name another base with Python 3.9 or newer in ` +
      'REPRISE_RUNNER_BASE, or a ready image in REPRISE_RUNNER_IMAGE',
  );
}

async function isThere(docker: Docker, image: string): Promise<boolean> {
  try {
    await docker.getImage(image).inspect();
    return true;
  } catch (error) {
    if (hasStatus(error, 404)) return false;
    throw error;
  }
}

/** Refuses an image with volumes: a program could fill the daemon's disk through them. */
async function refuseVolumes(docker: Docker, image: string): Promise<void> {
  const { Config } = await docker.getImage(image).inspect();
  const volumes = Object.keys(Config.Volumes ?? {});
  if (volumes.length === 0) return;
  throw new SandboxError(
    `the image ${image} declares volumes (${volumes.join(', ')}): use one without`,
    false,
  );
}

/** Lines of a build's report that the builder writes about itself. */
const BUILDER_LINE = /^(Step \d| ---> |Removing intermediate|$)/;

/** Reads the daemon's report on a build or pull to its end. */
async function follow(
  docker: Docker,
  report: Promise<NodeJS.ReadableStream>,
  problem: string,
): Promise<void> {
  const stream = await report.catch((error) => {
    // The daemon has answered, but cannot do it.
    if (error.statusCode === undefined) throw error;
    throw new SandboxError(`${problem}: ${error.message.trim()}`, false, { cause: error });
  });
  const messages = await new Promise<ReportLine[]>((resolve, reject) => {
    docker.modem.followProgress(stream, (error: Error | null, output: ReportLine[]) =>
      error === null ? resolve(output) : reject(error),
    );
  });
  const failed = messages.find(({ error }) => error !== undefined);
  if (failed === undefined) return;
  const lines = messages.flatMap(({ stream: text = '' }) => text.split('\n'));
  const said = lines.filter((line) => !BUILDER_LINE.test(line)).join('\n');
  throw new SandboxError(`${problem}: ${failed.error?.trim()}\n${said.slice(-1000)}`.trim(), false);
}

interface ReportLine {
  /** Output of a command of the build. */
  stream?: string;
  error?: string;
}

async function contextFiles(): Promise<string[]> {
  const names = await readdir(FOLDER);
  return names.filter((name) => name === 'Dockerfile' || name.endsWith('.py')).sort();
}

async function contentHash(files: string[], base: string): Promise<string> {
  const hash = createHash('sha256').update(base);
  for (const name of files) hash.update(`\0${name}\0`).update(await readFile(join(FOLDER, name)));
  return hash.digest('hex').slice(0, 16);
}
