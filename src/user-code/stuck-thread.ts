import { Session } from 'node:inspector';

/** What a thread is running; nothing is known of one that runs no JavaScript, or is debugged by somebody else. */
export interface RunningCode {
  /** Id of the task whose code it is. */
  task?: number;
  /** File and line of the innermost function of a file. */
  place?: string;
}

interface Frame {
  callFrameId: string;
  location: { scriptId: string; lineNumber: number };
}

/** Message of a thread's debugger: an answer, or an event. */
interface Message {
  id?: number;
  method?: string;
  result?: { result?: { value?: unknown } };
  params?: { callFrames?: Frame[]; scriptId?: string; url?: string };
}

/** Milliseconds until a thread is taken for one that runs no JavaScript, such as a long regular expression. */
const PATIENCE_MS = 3000;
const MAX_STEPS = 500;

/** Debugger of one thread of this process, by the protocol of V8's inspector. */
class ThreadDebugger {
  private readonly session = new Session();
  private readonly waiting = new Map<number, (message: Message) => void>();
  private readonly scripts = new Map<string, string>();
  private thread: string | undefined;
  private sent = 0;
  private onPaused: (frames: Frame[]) => void = () => undefined;

  constructor(threadId: number) {
    this.session.connect();
    this.session.on(
      'NodeWorker.attachedToWorker' as never,
      (({ params }: AttachedEvent) => {
        // The title begins with the thread's ID, as in `[worker 3]`; workerId is a number of the session.
        if (/\d+/.exec(params.workerInfo.title)?.[0] === String(threadId)) this.thread = params.sessionId;
      }) as never,
    );
    this.session.on(
      'NodeWorker.receivedMessageFromWorker' as never,
      (({ params }: ReceivedEvent) => {
        if (params.sessionId === this.thread) this.receive(JSON.parse(params.message) as Message);
      }) as never,
    );
  }

  /** Pauses the thread, lets it go on, and returns what it is running. */
  async running(): Promise<RunningCode> {
    await new Promise((resolve) => {
      this.session.post('NodeWorker.enable', { waitForDebuggerOnStart: false }, resolve);
    });
    await this.ask('Debugger.enable');
    let found = await this.pausedBy('Debugger.pause');
    // Between two steps of an async function, a thread runs code of Node, of no task. A second pause may never come.
    const isFound = () => found.place !== undefined && found.task !== undefined;
    for (let steps = 0; steps < MAX_STEPS && !isFound(); steps++) {
      found = { ...found, ...(await this.pausedBy('Debugger.stepInto')) };
    }
    // A thread that is still paused when its debugger goes away can never be ended.
    await this.ask('Debugger.disable');
    return found;
  }

  private async pausedBy(method: 'Debugger.pause' | 'Debugger.stepInto'): Promise<RunningCode> {
    const paused = new Promise<Frame[]>((resolve) => {
      this.onPaused = resolve;
    });
    await this.ask(method);
    const frames = await paused;
    const expression = "globalThis[Symbol.for('reprise.running-task')]?.()";
    const { callFrameId } = frames[0] as Frame;
    const asked = { callFrameId, expression, returnByValue: true };
    const task = (await this.ask('Debugger.evaluateOnCallFrame', asked)).result?.result?.value;
    const place = frames.map((frame) => this.placeOf(frame)).find((one) => one !== undefined);
    return {
      ...(typeof task === 'number' ? { task } : {}),
      ...(place === undefined ? {} : { place }),
    };
  }

  close(): void {
    this.session.disconnect();
  }

  private placeOf({ location: { scriptId, lineNumber } }: Frame): string | undefined {
    const url = this.scripts.get(scriptId) ?? '';
    if (url === '' || url.startsWith('node:')) return undefined;
    return `${url.replace(/^file:\/\//, '')}:${lineNumber + 1}`;
  }

  private ask(method: string, params: object = {}): Promise<Message> {
    const id = ++this.sent;
    const answered = new Promise<Message>((resolve) => this.waiting.set(id, resolve));
    const message = JSON.stringify({ id, method, params });
    this.session.post('NodeWorker.sendMessageToWorker', { sessionId: this.thread ?? '', message });
    return answered;
  }

  private receive({ id, method, params = {}, ...rest }: Message): void {
    if (id !== undefined) this.waiting.get(id)?.(rest);
    if (method === 'Debugger.scriptParsed') this.scripts.set(params.scriptId ?? '', params.url ?? '');
    if (method === 'Debugger.paused') this.onPaused(params.callFrames ?? []);
  }
}

interface AttachedEvent {
  params: { sessionId: string; workerInfo: { title: string } };
}

interface ReceivedEvent {
  params: { sessionId: string; message: string };
}

/** Finds out what a thread of this process is running, which does not answer any more. */
export async function runningIn(threadId: number): Promise<RunningCode> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<RunningCode>((resolve) => {
    timer = setTimeout(() => resolve({}), PATIENCE_MS);
  });
  let thread: ThreadDebugger | undefined;
  try {
    thread = new ThreadDebugger(threadId);
    return await Promise.race([thread.running(), late]);
  } catch {
    return {};
  } finally {
    clearTimeout(timer);
    thread?.close();
  }
}
