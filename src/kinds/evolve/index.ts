import type { KindNames } from '../../config/kind.js';
import type { RegisteredKind } from '../kind.js';

export const NAMES: KindNames = {
  id: 'evolve',
  noun: 'an evolution',
  recognises: (raw) => 'task_prompt' in raw,
};

export const EVOLVE: RegisteredKind = {
  ...NAMES,
  summary: 'evolve programs for a task: start it, attach to it, continue or extend it',
  kind: async () => (await import('./kind.js')).evolve,
  command: async () => (await import('./command.js')).evolveCommand,
  view: async () => (await import('./view.js')).evolveView,
  activities: async () => (await import('./activities/index.js')).createEvolveActivities,
  commands: [
    {
      commands: { scaffold: 'use a program that an evolution has saved: run it, score it' },
      load: async () => (await import('./commands/scaffold.js')).addScaffoldCommands,
    },
  ],
};
