import { randomBytes } from 'node:crypto';
import type { ExecutionResult, ExecutionStatus } from '../contracts/execution.js';
import { type ExecutionLimits, type FunctionProgram, type Program, SandboxError } from './sandbox.js';

/** Version of the messages below, which docker/scaffold-runner/runner.py documents. A runner reports its own. */
export const PROTOCOL = 2;

interface ResultMessage {
  type: 'result';
  status: ExecutionStatus;
  exit_code: number | null;
  seconds: number;
  /** Base64, as are `stderr` and `returned`. */
  stdout: string;
  stderr: string;
  truncated: boolean;
  /** Result of a call, null after a run. */
  returned: string | null;
}

interface FailureMessage {
  type: 'failure';
  message: string;
  retryable: boolean;
}

export type RunnerAnswer = ResultMessage | FailureMessage;

/** Creates the secret of one conversation, which only the worker and the runner know. */
export function newNonce(): string {
  return randomBytes(16).toString('hex');
}

/** Returns the request to run a program. */
export function runLines(nonce: string, program: Program, limits: ExecutionLimits): string {
  return requestLines({ type: 'run', nonce, main: program.main, ...common(program, limits) });
}

/** Returns the request to call a program's function. */
export function callLines(nonce: string, program: FunctionProgram, limits: ExecutionLimits): string {
  const { module, function: name } = program;
  return requestLines({ type: 'call', nonce, module, function: name, ...common(program, limits) });
}

/** Returns the reply to a request of a program. */
export function replyLine(id: number, line: string): string {
  return `${JSON.stringify({ type: 'reply', id, line })}\n`;
}

function common({ files, input }: Pick<Program, 'files' | 'input'>, limits: ExecutionLimits) {
  return {
    files: Object.fromEntries(Object.entries(files).map(([name, text]) => [name, base64(text)])),
    input: base64(input ?? ''),
    limits: { timeout_sec: limits.timeout_sec, output_bytes: outputBytes(limits) },
  };
}

function requestLines(message: object): string {
  // The first line end terminates whatever the HTTP client may have sent before.
  return `\n${JSON.stringify(message)}\n`;
}

/** Returns the maximum bytes of a runner's answer: three outputs in base64, and the rest of its messages. */
export function maximumAnswerBytes(limits: ExecutionLimits): number {
  return Math.ceil((3 * outputBytes(limits) * 4) / 3) + 16_384;
}

export function outputBytes({ output_kb }: ExecutionLimits): number {
  return Math.floor(output_kb * 1000);
}

/** Result of a program, and the bytes that its function returned. */
export interface ProgramOutcome {
  result: ExecutionResult;
  returned: Uint8Array;
}

/**
 * Converts a program's output to text. Invalid UTF-8 becomes U+FFFD, which is longer than most of what it replaces, so
 * the text is cut to `limit` bytes of UTF-8 as well. An incomplete character at the cut is left out.
 */
export function capturedText(bytes: Uint8Array, limit: number, wasCut: boolean): CapturedText {
  const text = decode(bytes, wasCut);
  const encoded = Buffer.from(text);
  if (encoded.length <= limit) return { text, truncated: wasCut };
  return { text: decode(encoded.subarray(0, limit), true), truncated: true };
}

export interface CapturedText {
  text: string;
  truncated: boolean;
}

function decode(bytes: Uint8Array, mayEndWithin: boolean): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: mayEndWithin });
}

/** Reads an answer. @throws SandboxError if the program could not be run. */
export function programOutcome(answer: RunnerAnswer, limits: ExecutionLimits): ProgramOutcome {
  if (answer.type === 'failure') throw new SandboxError(answer.message, answer.retryable);
  const { status, exit_code, seconds, truncated } = answer;
  const limit = outputBytes(limits);
  const [stdout, stderr] = [answer.stdout, answer.stderr].map((content) => {
    const bytes = Buffer.from(content, 'base64');
    return capturedText(bytes, limit, truncated && bytes.length === limit);
  }) as [ReturnType<typeof capturedText>, ReturnType<typeof capturedText>];
  return {
    result: {
      status,
      stdout: stdout.text,
      stderr: stderr.text,
      exit_code,
      truncated: truncated || stdout.truncated || stderr.truncated,
      seconds,
    },
    returned: Buffer.from(answer.returned ?? '', 'base64'),
  };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
