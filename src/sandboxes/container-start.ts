import type { Duplex } from 'node:stream';
import type { Container, ContainerCreateOptions, ContainerInspectInfo } from 'dockerode';
import type { DockerDaemon } from './docker-daemon.js';
import { hasStatus } from './docker-errors.js';
import { newNonce, PROTOCOL } from './runner-protocol.js';
import { type Conversation, converse } from './runner-stream.js';
import { SandboxError } from './sandbox.js';
import { LATE, settle } from './settle.js';

/** From the start of a container until its runner waits for a program: 0.1 s, and more on a busy machine. */
export const START_TIMEOUT_MS = 60_000;

/** A container whose runner waits for its one program. */
export interface WaitingContainer {
  container: Container;
  stream: Duplex;
  nonce: string;
  conversation: Conversation;
}

/**
 * Creates a container and waits until its runner does. Where it fails, the container may be there all the same, to be
 * removed.
 * @throws SandboxError where it cannot be started.
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

/** The container's standard streams. Attached before the start, so that nothing is missed. */
async function attach(daemon: DockerDaemon, container: Container): Promise<Duplex> {
  const streams = { stream: true, stdin: true, stdout: true, stderr: true };
  return (await daemon.call((_, abortSignal) =>
    container.attach({ ...streams, hijack: true, abortSignal }),
  )) as Duplex;
}

/** The runner never said that it waits. An image that cannot run it will not later either; a killed container may. */
async function notStarted(
  daemon: DockerDaemon,
  container: Container,
  conversation: Conversation,
): Promise<SandboxError> {
  const { State: state, Config } = await inspect(daemon, container);
  const complaint = conversation.complaint() || state.Error;
  if (state.Running || complaint === '')
    return new SandboxError('the container ended before it started', true);
  return new SandboxError(`the image ${Config.Image} cannot run programs: ${complaint}`, false);
}

/** @throws SandboxError where it is not there, too. */
export async function inspect(daemon: DockerDaemon, container: Container): Promise<ContainerInspectInfo> {
  try {
    return await daemon.call((_, abortSignal) => container.inspect({ abortSignal }));
  } catch (error) {
    if (!hasStatus(error, 404)) throw error;
    throw new SandboxError('the container was removed from outside', true, { cause: error });
  }
}
