import type { KindNames } from '../../config/kind.js';
import type { RegisteredKind } from '../kind.js';

export const NAMES: KindNames = {
  id: 'sweep',
  noun: 'a sweep',
  recognises: (raw) => 'grid' in raw || ('config' in raw && 'repeats' in raw),
};

export const SWEEP: RegisteredKind = {
  ...NAMES,
  summary: 'run a grid of settings, or models, as one experiment with one limit; may be continued',
  kind: async () => (await import('./kind.js')).sweep,
  command: async () => (await import('./command.js')).sweepCommand,
  view: async () => (await import('./view.js')).sweepView,
  activities: async () => (await import('./activities/index.js')).createSweepActivities,
  parts: async (store) => (await import('./contents.js')).cellsIn(store),
};
