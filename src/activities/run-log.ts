import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import pino, { type Logger } from 'pino';
import { freeFields, LOG_FILE_BYTES, LOG_FILES, type LogLevel, type LogSink } from '../contracts/logger.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { GuardedStore } from '../storage/guarded-store.js';
import { logPartKey } from '../storage/paths.js';

/** Maximum milliseconds until a log line is written. */
const FLUSH_INTERVAL = 2000;
const LINES_PER_PART = 500;

const PINO_LEVELS = { DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

/**
 * One worker's share of a run's log: lines are collected and written as parts, which are merged at the end of the run.
 */
class RunLog {
  private readonly logger: Logger;
  private lines: string[] = [];
  private part = 0;
  /** Parts that are written, the oldest first. */
  private readonly parts: { key: string; bytes: number }[] = [];
  private bytes = 0;
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: ArtifactStore,
    private readonly worker: string,
    level: LogLevel,
    private readonly onLine: (line: string) => void,
    private readonly maxBytes: number,
  ) {
    this.logger = pino(
      {
        level: PINO_LEVELS[level],
        base: undefined,
        timestamp: false,
        // A line that is logged later, such as an episode with its part, has the time of its event.
        mixin: (line) => ('time' in line ? {} : { time: new Date().toISOString() }),
        formatters: { level: (label) => ({ level: label.toUpperCase() }) },
      },
      { write: (line: string) => this.add(line) },
    );
  }

  of(component: string): Logger {
    return this.logger.child({ component });
  }

  private add(line: string): void {
    this.onLine(line);
    this.lines.push(line);
    if (this.lines.length >= LINES_PER_PART) void this.flush();
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_INTERVAL).unref();
  }

  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const lines = this.lines;
    this.lines = [];
    if (lines.length > 0) {
      const key = logPartKey(this.worker, this.part++);
      // A log line must not fail a run; problems of the store show when results are written.
      this.writing = this.writing.then(() => this.write(key, lines.join(''))).catch(() => undefined);
    }
    return this.writing;
  }

  /** Writes a part, and deletes the oldest ones that the log would drop at its end. */
  private async write(key: string, text: string): Promise<void> {
    await this.store.write(key, text);
    const bytes = Buffer.byteLength(text);
    this.parts.push({ key, bytes });
    this.bytes += bytes;
    while (this.bytes > this.maxBytes && this.parts.length > 1) {
      const oldest = this.parts.shift() as { key: string; bytes: number };
      this.bytes -= oldest.bytes;
      await this.store.delete([oldest.key]);
    }
  }
}

/**
 * Creates the sink of what code of users logs in a run.
 * @param log returns the run's logger of a component
 * @param component of the code; the names of its loggers are appended
 * @param fields fields of each line
 */
export function sinkOf(log: (component: string) => Logger, component: string, fields: object): LogSink {
  return {
    level: log(component).level.toUpperCase() as LogLevel,
    write: ({ level, name, message, fields: own }) =>
      log([component, name].filter((one) => one !== '').join('.'))[PINO_LEVELS[level]](
        { ...freeFields(own), ...fields },
        message,
      ),
  };
}

/** Logs of the runs that this worker writes to, by the run's address. */
export class RunLogs {
  private readonly logs = new Map<string, RunLog>();
  private readonly worker =
    `${hostname().replace(/[^A-Za-z0-9-]+/g, '-')}-${process.pid}-${randomBytes(3).toString('hex')}`;

  /**
   * @param onLine receives every line as it is written, with its line break
   * @param maxBytes maximum size of a worker's share of a run's log
   */
  constructor(
    private readonly onLine: (line: string) => void = () => undefined,
    private readonly maxBytes = LOG_FILES * LOG_FILE_BYTES,
  ) {}

  for(store: ArtifactStore, level: LogLevel, component: string): Logger {
    let log = this.logs.get(store.uri);
    if (log === undefined) {
      // Each worker has its own files; they may outlive the execution that the store is guarded for.
      const bare = store instanceof GuardedStore ? store.bare : store;
      log = new RunLog(bare, this.worker, level, this.onLine, this.maxBytes);
      this.logs.set(store.uri, log);
    }
    return log.of(component);
  }

  async flush(run?: string): Promise<void> {
    const logs = run === undefined ? [...this.logs.values()] : [this.logs.get(run)];
    await Promise.all(logs.map((log) => log?.flush()));
  }
}
