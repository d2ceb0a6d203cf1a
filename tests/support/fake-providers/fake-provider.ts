import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { anthropicProtocol } from './anthropic-protocol.js';
import { bedrockProtocol } from './bedrock-protocol.js';
import type {
  Behaviour,
  FakeReply,
  Protocol,
  ProviderKind,
  ProviderStatistics,
  RecordedRequest,
} from './behaviours.js';
import { embedWords, geminiEmbeddings, openaiEmbeddings } from './embeddings.js';
import { geminiProtocol } from './gemini-protocol.js';
import { openaiProtocol } from './openai-protocol.js';
import { parseJson, perform, sendJson } from './respond.js';

/** The endpoints of a provider; the first one also answers for paths that there are not. */
const ENDPOINTS: Record<ProviderKind, [Protocol, ...Protocol[]]> = {
  openai: [openaiProtocol, openaiEmbeddings],
  gemini: [geminiProtocol, geminiEmbeddings],
  anthropic: [anthropicProtocol],
  bedrock: [bedrockProtocol],
};

export interface FakeProviderOptions {
  /** 0: any free port. */
  port?: number;
  /** Milliseconds before an ordinary reply; changeable while the server runs. */
  latencyMs?: number;
  /** The ordinary reply; by default the sum of the last `a + b` of the last user message. */
  reply?: (request: RecordedRequest) => string | FakeReply;
  /** The vector of a text; by default one that counts words, so that texts with common words are similar. */
  embed?: (text: string, dimensions: number | undefined) => number[];
  /** False: requests are counted, but not kept, which a bench with many calls wants. */
  keepRequests?: boolean;
  /** False: nothing is refused that the real service would refuse. */
  strict?: boolean;
}

/** Adds the last two numbers of a message that stand around a plus sign; `0` where there are none. */
export function addNumbers({ lastUserText }: RecordedRequest): string {
  const match = [...lastUserText.matchAll(/(-?\d+)\s*\+\s*(-?\d+)/g)].at(-1);
  return match === undefined ? '0' : String(Number(match[1]) + Number(match[2]));
}

/** A provider's HTTP interface on 127.0.0.1 that counts, remembers and misbehaves on demand. */
export class FakeProvider {
  readonly requests: RecordedRequest[] = [];
  /** Requests per key. */
  readonly callsByKey = new Map<string, number>();
  /** Decides about a request before anything else does; undefined leaves it to the rest. */
  intercept: ((request: RecordedRequest) => Behaviour | undefined) | undefined;
  latencyMs: number;
  /** In place of the latency: ordinary replies to what is asked from now on wait for it. */
  held: Promise<void> | undefined;
  private readonly queued: Behaviour[] = [];
  private readonly byNumber = new Map<number, Behaviour>();
  private readonly answered = new Set<string>();
  private readonly sockets = new Set<Socket>();
  private counters = { calls: 0, finished: 0, repeated: 0, inFlight: 0, maxInFlight: 0 };
  private readonly server: Server;

  constructor(
    readonly kind: ProviderKind,
    private readonly options: FakeProviderOptions = {},
  ) {
    this.latencyMs = options.latencyMs ?? 0;
    this.server = createServer((request, response) => this.receive(request, response));
    this.server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
  }

  listen(port = this.options.port ?? 0): Promise<this> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, '127.0.0.1', () => resolve(this));
    });
  }

  /** What `base_url` takes. */
  get baseUrl(): string {
    const { port } = this.server.address() as AddressInfo;
    return `http://127.0.0.1:${port}${ENDPOINTS[this.kind][0].basePath}`;
  }

  get statistics(): ProviderStatistics {
    return { ...this.counters, distinctKeys: this.callsByKey.size };
  }

  /** The next requests are treated so, in this order; afterwards the server behaves again. */
  next(...behaviours: Behaviour[]): this {
    this.queued.push(...behaviours);
    return this;
  }

  /** Request `number` (from 1) is treated so. */
  onCall(number: number, behaviour: Behaviour): this {
    this.byNumber.set(number, behaviour);
    return this;
  }

  /** Keeps ordinary replies back to what is asked from now on. @returns sends them all, and keeps none back any more. */
  hold(): () => void {
    let send = () => {};
    this.held = new Promise((resolve) => {
      send = resolve;
    });
    return () => {
      this.held = undefined;
      send();
    };
  }

  /** Cuts every connection that waits for its next request, as a server does whose keep-alive ran out. */
  dropConnections(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.dropConnections();
    await closed;
  }

  private receive(incoming: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('error', () => {});
    incoming.on('end', () => {
      const path = (incoming.url ?? '').split('?')[0] ?? '';
      if (incoming.method === 'GET' && path === '/stats') {
        const calls = Object.fromEntries([...this.callsByKey].filter(([, count]) => count > 1));
        sendJson(response, 200, { ...this.statistics, calledAgain: calls });
      } else {
        this.answer(incoming, response, path, Buffer.concat(chunks).toString('utf8'));
      }
    });
  }

  private answer(incoming: IncomingMessage, response: ServerResponse, path: string, text: string) {
    const [main] = ENDPOINTS[this.kind];
    const protocol = ENDPOINTS[this.kind].find((endpoint) => endpoint.accepts(path));
    if (incoming.method !== 'POST' || protocol === undefined) {
      sendJson(
        response,
        404,
        main.writeError({ kind: 'status', status: 404, message: `no such path ${path}` }),
      );
      return;
    }
    const body = parseJson(text);
    if (body === undefined) {
      sendJson(
        response,
        400,
        protocol.writeError({ kind: 'status', status: 400, message: 'no JSON object' }),
      );
      return;
    }
    const header = incoming.headers['idempotency-key'];
    const request: RecordedRequest = {
      number: ++this.counters.calls,
      path,
      headers: incoming.headers,
      body,
      ...protocol.read(path, body),
      key: typeof header === 'string' ? header : text,
    };
    if (this.options.keepRequests !== false) this.requests.push(request);
    this.callsByKey.set(request.key, (this.callsByKey.get(request.key) ?? 0) + 1);
    this.counters.inFlight++;
    this.counters.maxInFlight = Math.max(this.counters.maxInFlight, this.counters.inFlight);
    response.once('close', () => this.counters.inFlight--);
    response.on('error', () => {});
    perform(this.decide(request, protocol), request, response, {
      protocol,
      latencyMs: this.latencyMs,
      held: this.held,
      onFinished: () => this.countFinished(request.key),
    });
  }

  private decide(request: RecordedRequest, protocol: Protocol): Behaviour {
    const special = this.intercept?.(request) ?? this.byNumber.get(request.number) ?? this.queued.shift();
    if (special !== undefined) return special;
    const refusal = this.options.strict === false ? undefined : protocol.refuse?.(request);
    if (refusal !== undefined) return { kind: 'status', status: 400, message: refusal };
    if (request.texts !== undefined) {
      const { texts, dimensions } = request;
      const embed = this.options.embed ?? embedWords;
      return { kind: 'reply', vectors: texts.map((text) => embed(text, dimensions)) };
    }
    const reply = (this.options.reply ?? addNumbers)(request);
    return { kind: 'reply', ...(typeof reply === 'string' ? { text: reply } : reply) };
  }

  private countFinished(key: string): void {
    this.counters.finished++;
    if (this.answered.has(key)) this.counters.repeated++;
    this.answered.add(key);
  }
}

/** Starts a fake provider; close it when the test is over. */
export function startFakeProvider(
  kind: ProviderKind,
  options: FakeProviderOptions = {},
): Promise<FakeProvider> {
  return new FakeProvider(kind, options).listen();
}
