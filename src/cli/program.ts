import { Command, CommanderError } from 'commander';
import { VERSION } from '../workers/version.js';
import { addCommands } from './commands.js';
import { examples } from './examples.js';
import { EXIT, explain } from './exit.js';
import { keepStandardOutput, printJsonError, sayText, writeOut } from './print.js';

/** Runs the command that the process was started with, then ends the process. */
export async function runProgram(): Promise<never> {
  keepStandardOutput();
  const program = new Command('reprise')
    .description('Durable LM-agent experiments on Temporal.')
    .version(VERSION)
    .configureOutput({ writeOut })
    .showHelpAfterError('(try --help)')
    .addHelpText(
      'after',
      examples(
        'reprise init my-experiment',
        'reprise run my-experiment/experiment.yaml',
        'reprise run --help',
      ),
    )
    .enablePositionalOptions()
    .exitOverride();

  let exitCode: number = EXIT.done;
  const finish = (code: number) => {
    exitCode = code;
  };

  let failure = 'interrupted: the same command continues';
  try {
    await addCommands(program, process.argv[2], finish);
    await program.parseAsync();
  } catch (error) {
    const { message, code } = explain(error);
    // Commander has written what it throws.
    if (!(error instanceof CommanderError)) sayText(message);
    exitCode = code;
    failure = message;
  }
  // With --json, standard output holds JSON even when the command fails.
  if (exitCode !== EXIT.done && process.argv.includes('--json')) printJsonError(failure, exitCode);
  // Worker threads and native handles may still be active; all output has been written.
  process.exit(exitCode);
}
