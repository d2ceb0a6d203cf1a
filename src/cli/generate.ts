import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Argument, type Command } from 'commander';
import { InvalidInputError } from '../config/errors.js';
import { GENERATORS, generateRows } from '../environments/generators/index.js';
import { jsonLines } from '../storage/json-lines.js';
import { examples } from './examples.js';
import { EXIT } from './exit.js';
import { sayText, writeOut } from './print.js';

function wholeNumber(text: string, option: string, least: number, most: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new InvalidInputError(`${option} ${text}: must be a whole number from ${least} to ${most}`);
}

export function addGenerateCommand(program: Command, finish: (code: number) => void): void {
  program
    .command('generate')
    .addHelpText('after', examples('reprise generate game24 --count 40 --seed 1 --out game24.jsonl'))
    .addArgument(new Argument('<kind>', 'of puzzle').choices(Object.keys(GENERATORS)))
    .option('--count <n>', 'how many', '100')
    .option('--seed <n>', 'seed', '0')
    .option('--out <file>', 'default: standard output')
    .action(async (kind: string, options: { count: string; seed: string; out?: string }) => {
      const { environment, most } = GENERATORS[kind] as (typeof GENERATORS)[string];
      const count = wholeNumber(options.count, '--count', 1, most);
      const seed = wholeNumber(options.seed, '--seed', 0, 2 ** 32 - 1);
      const lines = Readable.from(jsonLines(generateRows(kind, count, seed)));
      if (options.out === undefined) for await (const block of lines) writeOut(block as string);
      else {
        await pipeline(lines, createWriteStream(options.out));
        sayText(`${count} rows in ${options.out}, judged by env_class ${environment}`);
      }
      finish(EXIT.done);
    });
}
