import type { ExecutionStatus } from '../contracts/execution.js';
import { inspect, START_TIMEOUT_MS, type WaitingContainer } from './container-start.js';
import type { DockerDaemon } from './docker-daemon.js';
import type { ModelRequests } from './model-requests.js';
import { type Outcome, outcomeOf, replyLine } from './runner-protocol.js';
import { type ExecutionOptions, SandboxError } from './sandbox.js';
import { LATE, settle } from './settle.js';

/**
 * The runner ends the program at its deadline, and takes up to 1 s to end what the program has started (`REAP_SEC` of
 * `docker/scaffold-runner/supervisor.py`). Where it has not spoken after this, the daemon is asked why.
 */
export const GRACE_MS = 1500;

/** The container went before its program began: another one may run it. */
export class NotBegunError extends SandboxError {}

/**
 * Runs one program in a container that waits for it, and leaves the container behind, to be removed.
 * @param lines what asks the runner to.
 * @param requests answers what the program asks meanwhile; null where it cannot ask.
 * @throws SandboxError where the program could not be run, or the container ended for another reason than the program.
 * @throws the signal's reason.
 */
export async function executeInContainer(
  daemon: DockerDaemon,
  waiting: WaitingContainer,
  lines: string,
  { limits, signal }: ExecutionOptions,
  requests: ModelRequests | null,
): Promise<Outcome> {
  const { stream, conversation } = waiting;
  if (requests !== null) {
    conversation.onRequest(async (id, line) => {
      const reply = await requests.answer(line);
      if (reply !== null && stream.writable) stream.write(replyLine(id, reply));
    });
  }
  try {
    // Again below: its first request may come together with the word that it has started.
    requests?.start();
    stream.write(lines);
    const begun = Promise.race([conversation.started, conversation.answer]);
    const first = await settle(begun, START_TIMEOUT_MS, signal);
    if (first === LATE) throw new SandboxError('the container did not start its program in time', true);
    const started = performance.now();
    requests?.start();
    const inTime = await settle(conversation.answer, limits.timeout_sec * 1000 + GRACE_MS, signal);
    const seconds = (performance.now() - started) / 1000;
    const answer = inTime === LATE ? await afterDeadline(daemon, waiting) : inTime;
    if (answer === LATE) return withoutOutput('timeout', seconds);
    if (answer !== null) return outcomeOf(answer, limits);
    if (first !== true) throw new NotBegunError('the container ended before its program started', true);
    return await afterSilence(daemon, waiting, seconds);
  } finally {
    stream.destroy();
  }
}

/**
 * The runner has not spoken in time. An answer that this process was too busy to take in has come by the time the daemon
 * has said how the container is; null where it has ended. LATE where it runs, and its program keeps the runner from its
 * work.
 * @throws SandboxError where somebody has paused the container, or the daemon does not know.
 */
async function afterDeadline(daemon: DockerDaemon, { container, conversation }: WaitingContainer) {
  const { State: state } = await inspect(daemon, container);
  const answer = await settle(conversation.answer, 0);
  if (answer !== LATE) return answer;
  if (state.Paused) throw new SandboxError('the container was paused from outside', true);
  return state.Running ? LATE : null;
}

/** The container ended, or the connection did, without an answer. */
async function afterSilence(
  daemon: DockerDaemon,
  { container, conversation }: WaitingContainer,
  seconds: number,
): Promise<Outcome> {
  const { State: state } = await inspect(daemon, container);
  if (state.OOMKilled) return withoutOutput('out_of_memory', seconds);
  const [code, complaint] = [state.ExitCode, conversation.complaint()];
  throw new SandboxError(
    state.Running
      ? 'the connection to the container broke'
      : `the container was ended from outside (exit code ${code})${complaint && `: ${complaint}`}`,
    true,
  );
}

function withoutOutput(status: ExecutionStatus, seconds: number): Outcome {
  const result = { status, stdout: '', stderr: '', exit_code: null, truncated: false, seconds };
  return { result, returned: new Uint8Array() };
}
