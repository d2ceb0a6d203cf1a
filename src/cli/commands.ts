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
  ...KINDS.map(({ id }) => ({ names: [id], load: () => loadKindCommand(id) })),
  ...KINDS.flatMap(({ commands = [] }) => commands),
  { names: ['dev', 'worker'], load: async () => (await import('./dev.js')).addWorkerCommands },
  { names: ['status'], load: async () => (await import('./status.js')).addStatusCommand },
  {
    names: ['stop', 'pause', 'resume', 'set-concurrency'],
    load: async () => (await import('./control.js')).addControlCommands,
  },
  { names: ['retry'], load: async () => (await import('./retry.js')).addRetryCommand },
  { names: ['stats'], load: async () => (await import('./stats.js')).addStatsCommand },
  { names: ['export'], load: async () => (await import('./export.js')).addExportCommand },
  { names: ['grade'], load: async () => (await import('./grade.js')).addGradeCommand },
  { names: ['generate'], load: async () => (await import('./generate.js')).addGenerateCommand },
  { names: ['memory'], load: async () => (await import('./memory.js')).addMemoryCommands },
  { names: ['schema'], load: async () => (await import('./schema.js')).addSchemaCommand },
  { names: ['setup'], load: async () => (await import('./setup.js')).addSetupCommand },
  { names: ['doctor'], load: async () => (await import('./doctor.js')).addDoctorCommand },
  { names: ['temporal'], load: async () => (await import('./temporal.js')).addTemporalCommand },
];

/**
 * Adds the commands that a command line needs: the named command alone, because most need a fraction of what `run`
 * loads, or all of them for the help and for an unknown name.
 * @param asked The first argument of the command line.
 */
export async function addCommands(
  program: Command,
  asked: string | undefined,
  finish: (code: number) => void,
): Promise<void> {
  if (asked === '--version' || asked === '-V') return;
  const named = COMMAND_FILES.filter(({ names }) => asked !== undefined && names.includes(asked));
  for (const file of named.length > 0 ? named : COMMAND_FILES) (await file.load())(program, finish);
}
