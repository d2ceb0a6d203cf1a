import type { ExecutionStatus } from '../contracts/execution.js';
import { inspect, START_TIMEOUT_MS, type WaitingContainer } from './container-start.js';
import type { DockerDaemon } from './docker-daemon.js';
import type { ModelRequests } from './model-requests.js';
import { type ProgramOutcome, programOutcome, replyLine } from './runner-protocol.js';
import { type ExecutionOptions, SandboxError } from './sandbox.js';
import { LATE, settle } from './settle.js';

/**
 * Milliseconds to wait for the runner after it has ended the program at its deadline: it takes up to 1 s to end what
 * the program has started (`REAP_SEC` of `docker/scaffold-runner/supervisor.py`). Then the daemon is asked.
 */
export const GRACE_MS = 1500;

/** Error of a container that ended before its program began: another one may run it. */
export class NotBegunError extends SandboxError {}

/**
 * Runs one program in a waiting container, and leaves the container to be removed.
 * @param lines request to the runner.
 * @param requests answers the program's requests; null if it may not send any.
 * @throws SandboxError if the program could not be run, or the container ended for another reason than the program.
 * @throws the signal's reason.
 */
export async function executeInContainer(
  daemon: DockerDaemon,
  waiting: WaitingContainer,
  lines: string,
  { limits, signal }: ExecutionOptions,
  requests: ModelRequests | null,
): Promise<ProgramOutcome> {
  const { stream, conversation } = waiting;
  if (requests !== null) {
    conversation.onRequest(async (id, line) => {
      const reply = await requests.answer(line);
      if (reply !== null && stream.writable) stream.write(replyLine(id, reply));
    });
  }
  try {
    // Also done below: the first request may arrive together with the message of the start.
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
    if (answer !== null) return programOutcome(answer, limits);
    if (first !== true) throw new NotBegunError('the container ended before its program started', true);
    return await afterSilence(daemon, waiting, seconds);
  } finally {
    stream.destroy();
  }
}

/**
 * Handles a runner without an answer at the deadline. While the daemon inspects the container, an answer that this
 * process was too busy to read may arrive. Null if the container has ended; LATE if it runs and its program blocks the
 * runner.
 * @throws SandboxError if the container was paused from outside, or the daemon does not know it.
 */
async function afterDeadline(daemon: DockerDaemon, { container, conversation }: WaitingContainer) {
  const { State: state } = await inspect(daemon, container);
  const answer = await settle(conversation.answer, 0);
  if (answer !== LATE) return answer;
  if (state.Paused) throw new SandboxError('the container was paused from outside', true);
  return state.Running ? LATE : null;
}

/** Handles a container or a connection that ended without an answer. */
async function afterSilence(
  daemon: DockerDaemon,
  { container, conversation }: WaitingContainer,
  seconds: number,
): Promise<ProgramOutcome> {
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

function withoutOutput(status: ExecutionStatus, seconds: number): ProgramOutcome {
  const result = { status, stdout: '', stderr: '', exit_code: null, truncated: false, seconds };
  return { result, returned: new Uint8Array() };
}
