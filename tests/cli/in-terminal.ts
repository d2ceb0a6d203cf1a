import { Command } from 'commander';
import { vi } from 'vitest';
import { explain } from '../../src/cli/exit.js';

export interface Printed {
  code: number;
  /** On standard output. */
  out: string;
  /** On standard error, or as what the command failed with. */
  said: string;
}

/** Runs a command as the terminal would; answers what it printed on each stream and how it exited. */
export function inTerminal(
  add: (program: Command, finish: (code: number) => void) => void,
  name: string,
): (...words: string[]) => Promise<Printed> {
  return async (...words) => {
    const printed = { out: '', said: '' };
    const into = (stream: keyof typeof printed) => (chunk: unknown) => {
      printed[stream] += String(chunk);
      return true;
    };
    const spies = [
      vi.spyOn(process.stdout, 'write').mockImplementation(into('out')),
      vi.spyOn(process.stderr, 'write').mockImplementation(into('said')),
    ];
    let code = -1;
    // As in `reprise`, whose own --version must not take the command's.
    const program = new Command().version('9.9.9').enablePositionalOptions().exitOverride();
    add(program, (finished) => {
      code = finished;
    });
    try {
      await program.parseAsync([name, ...words], { from: 'user' });
    } catch (error) {
      const explained = explain(error);
      return { ...printed, code: explained.code, said: explained.message };
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
    return { ...printed, code };
  };
}

/** The same, with both streams as one text. */
export function textInTerminal(
  ...command: Parameters<typeof inTerminal>
): (...words: string[]) => Promise<{ code: number; out: string }> {
  const run = inTerminal(...command);
  return async (...words) => {
    const { code, out, said } = await run(...words);
    return { code, out: out + said };
  };
}
