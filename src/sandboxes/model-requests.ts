import type { FunctionCallOptions, ModelReply, ModelRequest } from './sandbox.js';
import { settle } from './settle.js';

/** Maximum UTF-8 bytes of a prompt with its system prompt, and of a reply. */
const MAXIMUM_TEXT_BYTES = 2_000_000;
/** Milliseconds that aborted requests get to end. */
const END_PATIENCE_MS = 500;

const NO_MODEL = 'there is no language model for this program';

/**
 * Requests of one program while it runs, and their replies. Both are lines of JSON, as in
 * docker/scaffold-runner/support/llm_executor.py: texts are in base64, an error is plain.
 */
export class ModelRequests {
  /** Pending requests, each with the controller that ends it. */
  private readonly open = new Map<Promise<unknown>, AbortController>();
  private deadline = Number.POSITIVE_INFINITY;

  constructor(
    private readonly options: FunctionCallOptions,
    /** Ends the program, with a reason. */
    private readonly fail: (reason: unknown) => void,
  ) {}

  /** Starts the program's time. */
  start(): void {
    this.deadline = performance.now() + this.options.limits.timeout_sec * 1000;
  }

  /** Returns the line to reply with, or null if the program is ended instead. Never rejects. */
  async answer(line: string): Promise<string | null> {
    const ending = new AbortController();
    const answering = this.reply(line, ending.signal);
    this.open.set(answering, ending);
    try {
      return JSON.stringify(await answering);
    } catch (error) {
      this.fail(error);
      return null;
    } finally {
      this.open.delete(answering);
    }
  }

  /** Aborts the requests in flight, and gives them a moment to end. */
  async end(): Promise<void> {
    const reason = new Error('the program has ended');
    for (const ending of this.open.values()) ending.abort(reason);
    await settle(Promise.allSettled(this.open.keys()), END_PATIENCE_MS);
  }

  private async reply(line: string, signal: AbortSignal): Promise<object> {
    const request = parse(line);
    if (request === null) return { error: 'the request was not understood' };
    if (request === 'resources') {
      const { calls, usd } = this.options.resources();
      return { seconds: Math.max(0, this.deadline - performance.now()) / 1000, calls, usd };
    }
    const { respond } = this.options;
    if (respond === null) return { error: NO_MODEL };
    return packed(await respond(request, signal));
  }
}

function packed(reply: ModelReply): object {
  if ('error' in reply) return { error: reply.error };
  const bytes = Buffer.from(reply.text);
  if (bytes.length <= MAXIMUM_TEXT_BYTES) return { text: bytes.toString('base64') };
  return { error: `the reply has ${bytes.length} bytes; ${MAXIMUM_TEXT_BYTES} can be passed on` };
}

function parse(line: string): ModelRequest | 'resources' | null {
  try {
    const { prompt, system_prompt, resources } = JSON.parse(line);
    if (resources === true) return 'resources';
    const isText =
      typeof prompt === 'string' && (system_prompt === null || typeof system_prompt === 'string');
    if (!isText) return null;
    return { prompt: text(prompt), system_prompt: system_prompt === null ? null : text(system_prompt) };
  } catch {
    return null;
  }
}

function text(base64: string): string {
  return Buffer.from(base64, 'base64').toString();
}
