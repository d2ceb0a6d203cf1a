import type { KindNames } from '../../config/kind.js';
import type { RegisteredKind } from '../kind.js';

export const NAMES: KindNames = {
  id: 'evolve',
  noun: 'an evolution',
  recognises: (raw) => 'scaffolder' in raw,
};

export const EVOLVE: RegisteredKind = {
  ...NAMES,
  kind: async () => (await import('./kind.js')).evolve,
  command: async () => (await import('./command.js')).evolveCommand,
  activities: async () => (await import('./activities/index.js')).createEvolveActivities,
  commands: [
    { names: ['scaffold'], load: async () => (await import('./commands/scaffold.js')).addScaffoldCommands },
  ],
};
