import { Session } from 'node:inspector';
import { settle } from '../sandboxes/settle.js';

/** What a thread is running; nothing is known of one that waits in native code, or is debugged by somebody else. */
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

/** Milliseconds until a thread is taken for one that runs no JavaScript; busy machines are slow. */
const PATIENCE_MS = 10_000;
/** Milliseconds for which a debugger waits until its thread has gone on. */
const LEAVE_MS = 10_000;
/** The same where the process ends, before and after the thread is let go. */
const EXIT_MS = 200;
const MAX_STEPS = 500;

/** Debugger of one thread of this process, by the protocol of V8's inspector. */
class ThreadDebugger {
  /** What the thread is known to run. */
  found: RunningCode = {};
  private mayBePaused = false;
  private isLeaving = false;
  private readonly session = new Session();
  private readonly waiting = new Map<number, (message: Message) => void>();
  private readonly scripts = new Map<string, string>();
  private thread: string | undefined;
  private sent = 0;
  /** Answer to what was asked last. */
  private asked: Promise<Message> | undefined;
  private onPaused: (frames: Frame[]) => void = () => undefined;

  constructor(threadId: number) {
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

  /** Pauses the thread, and finds what it is running. */
  async find(): Promise<void> {
    this.session.connect();
    await new Promise((resolve) => {
      this.session.post('NodeWorker.enable', { waitForDebuggerOnStart: false }, resolve);
    });
    await this.ask('Debugger.enable');
    this.mayBePaused = true;
    this.found = await this.pausedBy('Debugger.pause');
    // Between two steps of an async function, a thread runs code of Node, of no task. A second pause may never come.
    const isFound = () => this.found.place !== undefined && this.found.task !== undefined;
    for (let steps = 0; steps < MAX_STEPS && !isFound(); steps++) {
      this.found = { ...this.found, ...(await this.pausedBy('Debugger.stepInto')) };
    }
  }

  /**
   * Lets the thread go on: one that is still paused when its debugger goes away can never be ended. Nothing may be on its
   * way to it: a step that arrives after this ends the process, and this does nothing while an expression is evaluated.
   */
  async leave(): Promise<void> {
    this.isLeaving = true;
    if (this.mayBePaused) await this.asked;
    await this.goOn();
  }

  /** Lets the thread go on, without a wait for what is on its way. */
  async goOn(): Promise<void> {
    if (this.mayBePaused) await this.send('Debugger.disable');
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

  private async ask(method: string, params: object = {}): Promise<Message> {
    if (this.isLeaving) throw new Error('this debugger leaves');
    this.asked = this.send(method, params);
    return this.asked;
  }

  private send(method: string, params: object = {}): Promise<Message> {
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

/** Debuggers at work. */
const searching = new Set<ThreadDebugger>();

// A process that ends in the middle of a search would wait for the thread for ever. Answers are not heard any more.
process.on('exit', () => {
  const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, EXIT_MS);
  if (searching.size > 0) pause();
  for (const thread of searching) void thread.goOn();
  if (searching.size > 0) pause();
});

/**
 * Finds out what a thread of this process is running, which does not answer any more.
 * @param patienceMs until the search ends with what is known by then
 */
export async function runningIn(threadId: number, patienceMs = PATIENCE_MS): Promise<RunningCode> {
  const thread = new ThreadDebugger(threadId);
  searching.add(thread);
  try {
    await settle(thread.find(), patienceMs);
    await settle(thread.leave(), LEAVE_MS);
  } catch {
    // This process has no debugger, or the thread has ended.
  } finally {
    searching.delete(thread);
    thread.close();
  }
  return thread.found;
}
