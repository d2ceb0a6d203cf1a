import type { Duplex } from 'node:stream';
import type { Container, ContainerCreateOptions, ContainerInspectInfo } from 'dockerode';
import type { DockerDaemon } from './docker-daemon.js';
import { hasStatus } from './docker-errors.js';
import { newNonce, PROTOCOL } from './runner-protocol.js';
import { converse, type RunnerMessages } from './runner-stream.js';
import { SandboxError } from './sandbox.js';
import { LATE, settle } from './settle.js';

/**
 * Milliseconds for a started container until its runner waits for a program: it takes 100, or more on a busy machine.
 */
export const START_TIMEOUT_MS = 60_000;

/** Container whose runner waits for its one program. */
export interface WaitingContainer {
  container: Container;
  stream: Duplex;
  nonce: string;
  conversation: RunnerMessages;
}

/**
 * Creates a container and waits until its runner is ready. After a failure, the container may exist and has to be
 * removed.
 * @throws SandboxError if it cannot be started.
 * @throws the signal's reason.
 */
export async function startContainer(
  daemon: DockerDaemon,
  options: ContainerCreateOptions,
  maximumBytes: number,
  signal?: AbortSignal,
): Promise<WaitingContainer> {
  const container = await daemon.call((client, abortSignal) =>
    client.createContainer({ ...options, abortSignal }),
  );
  signal?.throwIfAborted();
  const stream = await attach(daemon, container);
  try {
    const nonce = newNonce();
    const conversation = converse(daemon.client, stream, nonce, maximumBytes);
    await daemon.call((_, abortSignal) => container.start({ abortSignal }));
    const ready = await settle(conversation.ready, START_TIMEOUT_MS, signal);
    if (ready === LATE) throw new SandboxError('the container did not start in time', true);
    if (ready === null) throw await notStarted(daemon, container, conversation);
    if (ready !== PROTOCOL) {
      throw new SandboxError(`the image ${options.Image} is of another version of Reprise`, false);
    }
    return { container, stream, nonce, conversation };
  } catch (error) {
    stream.destroy();
    throw error;
  }
}

/** Attaches to the container's standard streams, before the start so that nothing is missed. */
async function attach(daemon: DockerDaemon, container: Container): Promise<Duplex> {
  const streams = { stream: true, stdin: true, stdout: true, stderr: true };
  return (await daemon.call((_, abortSignal) =>
    container.attach({ ...streams, hijack: true, abortSignal }),
  )) as Duplex;
}

/**
 * Creates the error of a runner that was never ready. An image that cannot run it never will; a killed container may be
 * replaced.
 */
async function notStarted(
  daemon: DockerDaemon,
  container: Container,
  conversation: RunnerMessages,
): Promise<SandboxError> {
  const { State: state, Config } = await inspect(daemon, container);
  const complaint = conversation.complaint() || state.Error;
  if (state.Running || complaint === '')
    return new SandboxError('the container ended before it started', true);
  return new SandboxError(`the image ${Config.Image} cannot run programs: ${complaint}`, false);
}

/** Inspects a container. @throws SandboxError, also if it is gone. */
export async function inspect(daemon: DockerDaemon, container: Container): Promise<ContainerInspectInfo> {
  try {
    return await daemon.call((_, abortSignal) => container.inspect({ abortSignal }));
  } catch (error) {
    if (!hasStatus(error, 404)) throw error;
    throw new SandboxError('the container was removed from outside', true, { cause: error });
  }
}
