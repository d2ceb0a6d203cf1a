import type { Duplex } from 'node:stream';
import { Writable } from 'node:stream';
import type Docker from 'dockerode';
import type { RunnerAnswer } from './runner-protocol.js';

const MAXIMUM_COMPLAINT_BYTES = 4_000;

/** Maximum bytes of a request: 2 MB of text, encoded twice in base64. */
const MAXIMUM_REQUEST_BYTES = 4_000_000;

/** Messages of a container over its standard streams. */
export interface RunnerMessages {
  /**
   * Resolves with the version of the runner's protocol when it waits for its program; with null if the stream ends
   * before.
   */
  ready: Promise<number | null>;
  /** Resolves with true when the program has started, and with false if the stream ends before. */
  started: Promise<boolean>;
  /** Resolves with the answer that carries the nonce, or with null if the stream ends without one. */
  answer: Promise<RunnerAnswer | null>;
  /** Sets the listener to the program's requests, which gets a request's number and line. */
  onRequest(listen: (id: number, line: string) => void): void;
  /** Reports whether the stream has ended. */
  hasEnded(): boolean;
  /** Returns the end of the container's standard error, to which only a runner that cannot start writes. */
  complaint(): string;
}

/**
 * Reads a container's attached stream. Never rejects: a stream that fails has ended. At most `maximumBytes` of the
 * container's output are kept, in addition to one request of its program; a container that writes more is disconnected.
 */
export function converse(
  docker: Docker,
  stream: Duplex,
  nonce: string,
  maximumBytes: number,
): RunnerMessages {
  let [complaint, total, maximum, listening] = ['', 0, maximumBytes, (_id: number, _line: string) => {}];
  let line: string[] = [];
  const ready = deferred<number | null>();
  const started = deferred<boolean>();
  const answer = deferred<RunnerAnswer | null>();

  const onLine = (text: string) => {
    const message = parse(text);
    if (message?.type === 'ready') ready.resolve(Number(message.protocol));
    if (message?.nonce !== nonce) return;
    if (message.type === 'started') started.resolve(true);
    else if (message.type === 'request') {
      total -= text.length + 1;
      listening(Number(message.id), Buffer.from(String(message.line), 'base64').toString());
    } else answer.resolve(message as unknown as RunnerAnswer);
  };
  const stdout = sink((chunk) => {
    total += chunk.length;
    if (total > maximum) {
      stream.destroy();
      return;
    }
    // The messages are ASCII. An answer is one long line in many chunks, which are joined once, at its end.
    const [first = '', ...more] = chunk.toString('latin1').split('\n');
    line.push(first);
    for (const next of more) {
      onLine(line.join(''));
      line = [next];
    }
  });
  const stderr = sink((chunk) => {
    complaint = (complaint + chunk.toString()).slice(-MAXIMUM_COMPLAINT_BYTES);
  });
  docker.modem.demuxStream(stream, stdout, stderr);

  let hasEnded = false;
  const end = () => {
    hasEnded = true;
    ready.resolve(null);
    started.resolve(false);
    answer.resolve(null);
  };
  stream.once('end', end);
  stream.once('close', end);
  stream.on('error', end);
  return {
    ready: ready.promise,
    started: started.promise,
    answer: answer.promise,
    onRequest: (listen) => {
      maximum = maximumBytes + MAXIMUM_REQUEST_BYTES;
      listening = listen;
    },
    hasEnded: () => hasEnded,
    complaint: () => complaint.trim(),
  };
}

/** Creates a stream that processes each chunk at once, without a buffer. */
function sink(take: (chunk: Buffer) => void): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      take(chunk);
      done();
    },
  });
}

function parse(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}

interface Deferred<Value> {
  promise: Promise<Value>;
  resolve(value: Value): void;
}

/** Replaces `Promise.withResolvers`, which Node 20 lacks. */
function deferred<Value>(): Deferred<Value> {
  let resolve: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
