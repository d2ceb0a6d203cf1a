import type { KindNames } from '../../config/kind.js';
import type { RegisteredKind } from '../kind.js';

export const NAMES: KindNames = {
  id: 'run',
  noun: 'a run',
  recognises: (raw) => 'dataset' in raw && typeof raw.dataset !== 'string' && !('kind' in raw),
};

export const RUN: RegisteredKind = {
  ...NAMES,
  kind: async () => (await import('./kind.js')).run,
  command: async () => (await import('./command.js')).runCommand,
  activities: async () => (await import('./activities/index.js')).createRunActivities,
  commands: [
    { names: ['demo'], load: async () => (await import('./commands/demo.js')).addDemoCommand },
    { names: ['score'], load: async () => (await import('./commands/score.js')).addScoreCommand },
  ],
};
