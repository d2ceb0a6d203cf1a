import type { KindNames } from '../../config/kind.js';
import type { RegisteredKind } from '../kind.js';

export const NAMES: KindNames = {
  id: 'run',
  noun: 'a run',
  recognises: (raw) => 'dataset' in raw && typeof raw.dataset !== 'string' && !('kind' in raw),
};

export const RUN: RegisteredKind = {
  ...NAMES,
  summary: 'run a config: start it, attach to it when it is in progress, continue it after a crash',
  kind: async () => (await import('./kind.js')).run,
  command: async () => (await import('./command.js')).runCommand,
  view: async () => (await import('./view.js')).runView,
  activities: async () => (await import('./activities/index.js')).createRunActivities,
  comparison: async () => (await import('./comparison.js')).runComparison,
  commands: [
    {
      commands: {
        demo: 'a multi-trial reflexion experiment, with a simulated model unless --model names a real one',
      },
      load: async () => (await import('./commands/demo.js')).addDemoCommand,
    },
    {
      commands: { score: 'grade a finished run again, without a model call, or by other scorers' },
      load: async () => (await import('./commands/score.js')).addScoreCommand,
    },
    {
      commands: {
        import: 'a log of Inspect AI as rows, calls and a dataset, or a config of promptfoo as configs',
      },
      load: async () => (await import('./commands/import.js')).addImportCommand,
    },
  ],
};
