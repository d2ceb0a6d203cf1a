import { InvalidInputError } from '../config/errors.js';
import { freeFields, LOG_LEVELS, type Logger, type LogLevel, loggerInto } from '../contracts/logger.js';
import { printableLine } from '../contracts/printable.js';
import { LogFile, type LogFileLimits } from '../storage/log-file.js';

export interface SetupLoggerOptions extends LogFileLimits {
  /** False: lines are written to the file alone, and not to standard output, too. */
  stdout?: boolean;
}

/**
 * Creates the logger of a program: JSON lines in a file, which rotates, and lines for people on standard output.
 * @param name component of its lines
 * @param level lowest level that is written
 * @param logPath file; its folder is created
 * @param extra fields of every line
 * @throws InvalidInputError for an unknown level; Error of the file system.
 */
export function setupLogger(
  name: string,
  level: LogLevel,
  logPath: string,
  extra: object = {},
  { stdout = true, ...limits }: SetupLoggerOptions = {},
): Logger {
  if (!LOG_LEVELS.includes(level)) {
    throw new InvalidInputError(`level: '${level}' is none of ${LOG_LEVELS.join(', ')}`, 'level');
  }
  for (const [field, limit] of Object.entries(limits)) {
    if (!Number.isInteger(limit) || (limit as number) < 1)
      throw new InvalidInputError(`${field}: ${limit} is not a whole number of at least 1`, field);
  }
  const file = new LogFile(logPath, limits);
  const write: Parameters<typeof loggerInto>[0]['write'] = (line) => {
    const { name: component, message } = line;
    const time = new Date().toISOString();
    const fields = freeFields(line.fields);
    file.write(JSON.stringify({ level: line.level, component, time, ...fields, msg: message }));
    if (!stdout) return;
    const rest = Object.keys(fields).length === 0 ? '' : ` ${JSON.stringify(fields)}`;
    process.stdout.write(`${printableLine(`${time} ${line.level} ${component}: ${message}${rest}`)}\n`);
  };
  return loggerInto({ level, write }, name, extra);
}
