import type { Command } from 'commander';
import type { AddCommands, CommandFile } from '../kinds/kind.js';
import { KINDS, loadKind } from '../kinds/registry.js';

/** Loads the command that starts experiments of a kind. */
async function loadKindCommand(id: string): Promise<AddCommands> {
  const [loaded, { addKindCommand }] = await Promise.all([loadKind(id), import('./experiment.js')]);
  return (program, finish) => addKindCommand(program, loaded, finish);
}

/** The files of commands with the names that each adds, in the order of the help. */
export const COMMAND_FILES: readonly CommandFile[] = [
  {
    commands: { init: 'write a small experiment to start from: a config, a dataset, a .gitignore' },
    load: async () => (await import('./init.js')).addInitCommand,
  },
  ...KINDS.map(({ id, summary }) => ({ commands: { [id]: summary }, load: () => loadKindCommand(id) })),
  ...KINDS.flatMap(({ commands = [] }) => commands),
  {
    commands: {
      dev: 'server, UI and worker in the foreground; runs are started with the Temporal CLI or reprise run',
      worker: 'a worker for the configured server (TEMPORAL_ADDRESS), or the embedded one',
    },
    load: async () => (await import('./dev.js')).addWorkerCommands,
  },
  {
    commands: { status: 'the experiments of this server, or one of them' },
    load: async () => (await import('./status.js')).addStatusCommand,
  },
  {
    commands: { view: 'experiments, samples and comparisons in a browser' },
    load: async () => (await import('./view.js')).addViewCommand,
  },
  {
    commands: {
      stop: 'finish what is in flight, then write the results',
      pause: 'start no further calls for now',
      resume: 'continue after a pause',
      'set-concurrency': 'change how much is done at once, such as lanes of a run',
    },
    load: async () => (await import('./control.js')).addControlCommands,
  },
  {
    commands: { retry: 'ask only the rows of a finished experiment again that are errors' },
    load: async () => (await import('./retry.js')).addRetryCommand,
  },
  {
    commands: {
      stats:
        'pass@k, pass^k and the mean reward with its interval, from a JSONL of task_id, trial and reward',
    },
    load: async () => (await import('./stats.js')).addStatsCommand,
  },
  {
    commands: {
      compare: 'experiments with a baseline, paired by sample: differences, tests, changed samples, cost',
    },
    load: async () => (await import('./compare.js')).addCompareCommand,
  },
  {
    commands: { export: 'the trajectories of a finished experiment, in a format to train with' },
    load: async () => (await import('./export.js')).addExportCommand,
  },
  {
    commands: {
      grade:
        'grade a JSONL of output, target and choices, and show the rows that are wrong; compare with correct where rows carry it',
    },
    load: async () => (await import('./grade.js')).addGradeCommand,
  },
  {
    commands: { generate: 'write a dataset of puzzles as JSON lines; the same seed gives the same rows' },
    load: async () => (await import('./generate.js')).addGenerateCommand,
  },
  {
    commands: { memory: 'look at a saved memory, or take its sheet back' },
    load: async () => (await import('./memory.js')).addMemoryCommands,
  },
  {
    commands: { schema: 'the JSON Schema of a config, for editors, or of a row of trajectories' },
    load: async () => (await import('./schema.js')).addSchemaCommand,
  },
  {
    commands: { completion: 'the script with which bash, zsh or fish completes commands, options and ids' },
    load: async () => (await import('./completion.js')).addCompletionCommand,
  },
  {
    commands: { setup: 'register what Reprise needs on the configured server: its search attributes' },
    load: async () => (await import('./setup.js')).addSetupCommand,
  },
  {
    commands: { doctor: 'what is here, what is missing, and how to get it' },
    load: async () => (await import('./doctor.js')).addDoctorCommand,
  },
  {
    commands: {
      temporal: 'the Temporal CLI, connected to this folder’s server: reprise temporal workflow list',
    },
    load: async () => (await import('./temporal.js')).addTemporalCommand,
  },
];

/** Adds the commands of a file. */
export async function addCommandsOf(
  { commands, load }: CommandFile,
  program: Command,
  finish: (code: number) => void,
): Promise<void> {
  (await load())(program, finish);
  for (const command of program.commands) {
    const description = commands[command.name()];
    if (description !== undefined) command.description(description);
  }
}

/**
 * Adds the commands that a command line needs: the named command alone, because most need a fraction of what `run`
 * loads; names and descriptions for the help; all of them for an unknown name.
 * @param asked The first argument of the command line.
 */
export async function addCommands(
  program: Command,
  asked: string | undefined,
  finish: (code: number) => void,
): Promise<void> {
  if (asked === '--version' || asked === '-V') return;
  if (asked === undefined || asked === '--help' || asked === '-h') {
    for (const [name, description] of COMMAND_FILES.flatMap(({ commands }) => Object.entries(commands)))
      program.command(name).description(description);
    return;
  }
  const named = COMMAND_FILES.filter(({ commands }) => Object.hasOwn(commands, asked));
  for (const file of named.length > 0 ? named : COMMAND_FILES) await addCommandsOf(file, program, finish);
}
