import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import pino, { type Logger } from 'pino';
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
  private readonly loggers = new Map<string, Logger>();
  private readonly logger: Logger;
  private lines: string[] = [];
  private part = 0;
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: ArtifactStore,
    private readonly worker: string,
    level: keyof typeof PINO_LEVELS,
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
    const logger = this.loggers.get(component) ?? this.logger.child({ component });
    this.loggers.set(component, logger);
    return logger;
  }

  private add(line: string): void {
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
      this.writing = this.writing
        .then(async () => void (await this.store.write(key, lines.join(''))))
        .catch(() => undefined);
    }
    return this.writing;
  }
}

/** Logs of the runs that this worker writes to, by the run's address. */
export class RunLogs {
  private readonly logs = new Map<string, RunLog>();
  private readonly worker =
    `${hostname().replace(/[^A-Za-z0-9-]+/g, '-')}-${process.pid}-${randomBytes(3).toString('hex')}`;

  for(store: ArtifactStore, level: keyof typeof PINO_LEVELS, component: string): Logger {
    let log = this.logs.get(store.uri);
    if (log === undefined) {
      // Each worker has its own files; they may outlive the execution that the store is guarded for.
      log = new RunLog(store instanceof GuardedStore ? store.bare : store, this.worker, level);
      this.logs.set(store.uri, log);
    }
    return log.of(component);
  }

  async flush(run?: string): Promise<void> {
    const logs = run === undefined ? [...this.logs.values()] : [this.logs.get(run)];
    await Promise.all(logs.map((log) => log?.flush()));
  }
}
