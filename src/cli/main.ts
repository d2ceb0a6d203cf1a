#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { VERSION } from '../workers/version.js';
import { addAgentEvalCommand } from './agent-eval.js';
import { addBundleCommands } from './bundle.js';
import { addControlCommands } from './control.js';
import { addDemoCommand } from './demo.js';
import { addWorkerCommands } from './dev.js';
import { addDoctorCommand } from './doctor.js';
import { addEvolveCommand } from './evolve.js';
import { EXIT, explain } from './exit.js';
import { addExportCommand } from './export.js';
import { addGenerateCommand } from './generate.js';
import { addGradeCommand } from './grade.js';
import { addJudgeCommand } from './judge.js';
import { addMemoryCommands } from './memory.js';
import { printJsonError, sayText } from './print.js';
import { addReplyCommand } from './reply.js';
import { addRetryCommand } from './retry.js';
import { addRunCommand } from './run.js';
import { addSchemaCommand } from './schema.js';
import { addScoreCommand } from './score.js';
import { addSetupCommand } from './setup.js';
import { addStatsCommand } from './stats.js';
import { addStatusCommand } from './status.js';
import { addTemporalCommand } from './temporal.js';

const program = new Command('reprise')
  .description('Durable LM-agent experiments on Temporal.')
  .version(VERSION)
  .showHelpAfterError('(try --help)')
  .enablePositionalOptions()
  .exitOverride();

let exitCode: number = EXIT.done;
const finish = (code: number) => {
  exitCode = code;
};

const commands = [
  addRunCommand,
  addEvolveCommand,
  addAgentEvalCommand,
  addReplyCommand,
  addDemoCommand,
  addWorkerCommands,
  addStatusCommand,
  addControlCommands,
  addRetryCommand,
  addScoreCommand,
  addStatsCommand,
  addExportCommand,
  addJudgeCommand,
  addGradeCommand,
  addGenerateCommand,
  addMemoryCommands,
  addBundleCommands,
  addSchemaCommand,
  addSetupCommand,
  addDoctorCommand,
  addTemporalCommand,
];
for (const add of commands) add(program, finish);

let failure = 'interrupted: the same command goes on';
try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    // Help and version end with 0; a wrong option is bad input like any other.
    exitCode = error.exitCode === 0 ? EXIT.done : EXIT.badInput;
    failure = error.message;
  } else {
    const { message, code } = explain(error);
    sayText(message);
    exitCode = code;
    failure = message;
  }
}
// Whoever asked for JSON reads JSON, whatever became of the command.
if (exitCode !== EXIT.done && process.argv.includes('--json')) printJsonError(failure, exitCode);
// Worker threads and native handles may outlive the work; what had to be written is written.
process.exit(exitCode);
