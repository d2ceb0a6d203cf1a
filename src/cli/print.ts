import { printable, printableJson } from '../contracts/printable.js';
import { toWellFormedJson } from '../contracts/well-formed.js';

/*
 * What commands say goes through here: names, messages and replies of others stand in it, and a terminal acts on some
 * characters. What a command hands on as it is (rows, files, a chosen text that is piped) does not.
 */

let write = (text: string): unknown => process.stdout.write(text);

/** Standard error, on which the foot of the screen is drawn: what is written to it reaches the terminal as it is. */
export const screen = Object.create(process.stderr, {
  write: { value: process.stderr.write.bind(process.stderr) },
}) as typeof process.stderr;

/**
 * Keeps standard output for what the command itself writes with {@link writeOut}: it is read by programs. What a user's own
 * code prints (an environment, an agent, a scorer, a tool; here or in a thread, whose output comes through here) goes to
 * standard error, where a terminal does not act on it.
 */
export function keepStandardOutput(): void {
  write = process.stdout.write.bind(process.stdout) as typeof write;
  for (const stream of [process.stdout, process.stderr]) {
    const decoder = new TextDecoder();
    const shown = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
      const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
      const done = rest.find((given) => typeof given === 'function') as (() => void) | undefined;
      return screen.write(printable(text), done);
    };
    stream.write = shown as typeof stream.write;
  }
}

/** Writes to standard output as it is: rows, files, a chosen text that is piped. */
export function writeOut(text: string): void {
  write(text);
}

/** A result that people read, on standard output. */
export function printText(text: string): void {
  writeOut(`${printable(text)}\n`);
}

let hasPrintedJson = false;

/** Why a command has no result, for a program that waits for one; nothing where it has been given one. */
export function printJsonError(message: string, exit_code: number): void {
  if (!hasPrintedJson) printJson({ error: { message, exit_code } });
}

/** A result that programs read, on standard output. @param space as `JSON.stringify` takes it */
export function printJson(value: unknown, space = 2): void {
  hasPrintedJson = true;
  writeOut(`${printableJson(toWellFormedJson(value, space) ?? 'null')}\n`);
}

/** What is said beside the result, on standard error. */
export function sayText(text: string): void {
  process.stderr.write(`${printable(text)}\n`);
}
