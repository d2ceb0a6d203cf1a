import type { Json, JsonObject } from './json.js';

/** Levels of a log, the lowest first. */
export const LOG_LEVELS = ['DEBUG', 'INFO', 'WARN', 'ERROR'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Size of a log file before another one is begun, and the number of files that are kept. */
export const LOG_FILE_BYTES = 16 * 1024 * 1024;
export const LOG_FILES = 5;

/** Line of a log before it has a time. */
export interface LogLine {
  level: LogLevel;
  /** Names of the logger and of those that it is a child of, with dots between them; empty: of no component. */
  name: string;
  message: string;
  fields: JsonObject;
}

/** Receiver of log lines. */
export interface LogSink {
  /** Lowest level that it wants. */
  level: LogLevel;
  write(line: LogLine): void;
}

/** Log of a component. Fields are written beside the message; what JSON cannot hold becomes a text. */
export interface Logger {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}

/** Place of the function that finds the sink of the running code; other copies of this module share it. */
const FINDER = Symbol.for('reprise.log-sink');
/** Method of a logger, of whichever copy of this module, that creates its child. */
const CHILD = Symbol.for('reprise.child-logger');
type Finder = () => LogSink | undefined;
const shared = globalThis as { [FINDER]?: Finder };

/** Installs the function that finds the sink of the code that calls it. */
export function findSinkBy(finder: Finder): void {
  shared[FINDER] = finder;
}

/** Maximum characters of a message, and of the fields as JSON. */
const LONGEST = 8192;

function cut(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}

/** Converts fields to JSON. */
function plainFields(fields: object): JsonObject {
  const replaced = (_name: string, value: unknown): unknown => {
    if (value instanceof Error) return { type: value.name, message: value.message, stack: value.stack ?? '' };
    const isOdd = typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value));
    return isOdd || typeof value === 'function' ? String(value) : value;
  };
  try {
    const text = JSON.stringify(fields, replaced) ?? '{}';
    return text.length <= LONGEST ? JSON.parse(text) : { fields: cut(text) };
  } catch (error) {
    return { fields: `cannot be written as JSON: ${error instanceof Error ? error.message : 'unknown'}` };
  }
}

/** Logger that hands its lines to a sink. */
class SinkLogger implements Logger {
  constructor(
    private readonly find: Finder,
    private readonly name: string,
    private readonly extra: JsonObject,
  ) {}

  debug(message: string, fields?: object): void {
    this.log('DEBUG', message, fields);
  }

  info(message: string, fields?: object): void {
    this.log('INFO', message, fields);
  }

  warn(message: string, fields?: object): void {
    this.log('WARN', message, fields);
  }

  error(message: string, fields?: object): void {
    this.log('ERROR', message, fields);
  }

  [CHILD](name: string, extra: object): Logger {
    const names = [this.name, name].filter((one) => one !== '');
    return new SinkLogger(this.find, names.join('.'), { ...this.extra, ...plainFields(extra) });
  }

  private log(level: LogLevel, message: string, fields: object = {}): void {
    const sink = this.find();
    if (sink === undefined || LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(sink.level)) return;
    const all = { ...this.extra, ...plainFields(fields) };
    sink.write({ level, name: this.name, message: cut(String(message)), fields: all });
  }
}

/**
 * Log of the code that runs: within an experiment its `run.log`, where code of users (environments, agents, scorers,
 * tools, rewards, kinds) has the component of its name. Elsewhere lines are dropped.
 */
export const logger: Logger = new SinkLogger(() => shared[FINDER]?.(), '', {});

/** Creates a logger whose lines go to a sink. */
export function loggerInto(sink: LogSink, name = '', extra: object = {}): Logger {
  return new SinkLogger(() => sink, name, plainFields(extra));
}

/**
 * Creates the logger of a part of a component.
 * @param name appended to the parent's, with a dot between them
 * @param extra fields of each of its lines
 */
export function child(parent: Logger, name: string, extra: object = {}): Logger {
  if (CHILD in parent) return (parent as SinkLogger)[CHILD](name, extra);
  // A logger of the program's own.
  const write = ({ level, name: component, message, fields }: LogLine) =>
    parent[level.toLowerCase() as keyof Logger](message, { component, ...fields });
  return loggerInto({ level: 'DEBUG', write }, name, extra);
}

/** Fields that a line has of its own. */
const OWN: readonly string[] = ['time', 'level', 'component', 'msg'];

/** Returns the fields of a line without those that would hide its own. */
export function freeFields(fields: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]): [string, Json] => [
      OWN.includes(name) ? `${name}_` : name,
      value,
    ]),
  );
}
