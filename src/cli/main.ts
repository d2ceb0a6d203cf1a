#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { EXIT, explain } from './exit.js';
import { addRunCommand } from './run.js';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const program = new Command('reprise')
  .description('Durable LM-agent experiments on Temporal.')
  .version(version)
  .showHelpAfterError('(try --help)')
  .exitOverride();

let exitCode: number = EXIT.done;
const finish = (code: number) => {
  exitCode = code;
};

addRunCommand(program, finish);

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    // Help and version end with 0; a wrong option is bad input like any other.
    exitCode = error.exitCode === 0 ? EXIT.done : EXIT.badInput;
  } else {
    const { message, code } = explain(error);
    process.stderr.write(`${message}\n`);
    exitCode = code;
  }
}
// Worker threads and native handles may outlive the work; what had to be written is written.
process.exit(exitCode);
