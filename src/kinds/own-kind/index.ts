import type { KindNames } from '../../config/kind.js';
import type { RegisteredKind } from '../kind.js';

export const NAMES: KindNames = {
  id: 'own-kind',
  noun: 'an experiment of a kind of one’s own',
  recognises: (raw) => 'kind' in raw,
};

export const OWN_KIND: RegisteredKind = {
  ...NAMES,
  summary: 'run an experiment of a kind of your own: start it, attach to it, continue it after a crash',
  kind: async () => (await import('./kind.js')).ownKind,
  command: async () => (await import('./command.js')).ownKindCommand,
  view: async () => (await import('./view.js')).ownKindView,
  activities: async () => (await import('./activities/index.js')).createOwnKindActivities,
  comparison: async () => (await import('./comparison.js')).ownKindComparison,
  modules: { 'reprise/kind': () => import('./define.js') },
};
