import type { Command } from 'commander';

/** Adds its commands to the program; `finish` takes the code that the process is to end with. */
type AddCommands = (program: Command, finish: (code: number) => void) => void;

interface CommandFile {
  names: readonly string[];
  load(): Promise<AddCommands>;
}

/** The files of commands with the names that each adds, in the order of the help. */
export const COMMAND_FILES: readonly CommandFile[] = [
  { names: ['run'], load: async () => (await import('./run.js')).addRunCommand },
  { names: ['evolve'], load: async () => (await import('./evolve.js')).addEvolveCommand },
  { names: ['scaffold'], load: async () => (await import('./scaffold.js')).addScaffoldCommands },
  { names: ['agent-eval'], load: async () => (await import('./agent-eval.js')).addAgentEvalCommand },
  { names: ['reply'], load: async () => (await import('./reply.js')).addReplyCommand },
  { names: ['demo'], load: async () => (await import('./demo.js')).addDemoCommand },
  { names: ['dev', 'worker'], load: async () => (await import('./dev.js')).addWorkerCommands },
  { names: ['status'], load: async () => (await import('./status.js')).addStatusCommand },
  {
    names: ['stop', 'pause', 'resume', 'set-concurrency'],
    load: async () => (await import('./control.js')).addControlCommands,
  },
  { names: ['retry'], load: async () => (await import('./retry.js')).addRetryCommand },
  { names: ['score'], load: async () => (await import('./score.js')).addScoreCommand },
  { names: ['stats'], load: async () => (await import('./stats.js')).addStatsCommand },
  { names: ['export'], load: async () => (await import('./export.js')).addExportCommand },
  { names: ['judge'], load: async () => (await import('./judge.js')).addJudgeCommand },
  { names: ['grade'], load: async () => (await import('./grade.js')).addGradeCommand },
  { names: ['generate'], load: async () => (await import('./generate.js')).addGenerateCommand },
  { names: ['memory'], load: async () => (await import('./memory.js')).addMemoryCommands },
  { names: ['bundle'], load: async () => (await import('./bundle.js')).addBundleCommands },
  { names: ['schema'], load: async () => (await import('./schema.js')).addSchemaCommand },
  { names: ['setup'], load: async () => (await import('./setup.js')).addSetupCommand },
  { names: ['doctor'], load: async () => (await import('./doctor.js')).addDoctorCommand },
  { names: ['temporal'], load: async () => (await import('./temporal.js')).addTemporalCommand },
];

/**
 * Adds what a command line asks for: the named command alone, for most need a fraction of what `run` loads, or all of
 * them for the help and for a name that there is not.
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
