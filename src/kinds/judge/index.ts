import type { KindNames } from '../../config/kind.js';
import type { RegisteredKind } from '../kind.js';

export const NAMES: KindNames = {
  id: 'judge',
  noun: 'a judgement',
  recognises: (raw) => 'experiment' in raw,
};

export const JUDGE: RegisteredKind = {
  ...NAMES,
  summary: 'have a model judge every step of a finished experiment by a rubric; may be continued',
  kind: async () => (await import('./kind.js')).judge,
  command: async () => (await import('./command.js')).judgeCommand,
  view: async () => (await import('./view.js')).judgeView,
  activities: async () => (await import('./activities/index.js')).createJudgeActivities,
};
