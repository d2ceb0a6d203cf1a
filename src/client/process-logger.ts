import pino, { type Logger } from 'pino';

/**
 * Creates the process's log, for what concerns the worker rather than one run: JSON lines on standard error.
 * REPRISE_LOG_LEVEL (debug, info, warn, error, silent) sets the level.
 */
export function processLogger(level: string): Logger {
  return pino({ level: process.env.REPRISE_LOG_LEVEL ?? level, base: undefined }, pino.destination(2));
}
