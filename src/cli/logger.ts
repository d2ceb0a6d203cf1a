import pino, { type Logger } from 'pino';

/**
 * The process's own log, for what concerns the worker and not one run: JSON lines on standard error.
 * REPRISE_LOG_LEVEL (debug, info, warn, error, silent) sets the level.
 */
export function processLogger(level: string): Logger {
  return pino({ level: process.env.REPRISE_LOG_LEVEL ?? level, base: undefined }, pino.destination(2));
}
