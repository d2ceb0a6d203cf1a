import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { KindNames } from '../../config/kind.js';
import type { RegisteredKind } from '../kind.js';
import { AGENT_EVAL_ID } from './contracts.js';

export const NAMES: KindNames = {
  id: AGENT_EVAL_ID,
  noun: 'an evaluation on task bundles',
  recognises: (raw) => 'datasets' in raw || typeof raw.dataset === 'string',
};

export const AGENT_EVAL: RegisteredKind = {
  ...NAMES,
  summary: 'evaluate an agent on task bundles: start it, attach to it, continue it after a crash',
  kind: async () => (await import('./kind.js')).agentEval,
  command: async () => (await import('./command.js')).agentEvalCommand,
  view: async () => (await import('./view.js')).agentEvalView,
  activities: async () => (await import('./activities/index.js')).createAgentEvalActivities,
  comparison: async () => (await import('./comparison.js')).agentEvalComparison,
  reads: (folder) =>
    existsSync(join(folder, 'task.jsonl')) &&
    readdirSync(folder).some((name) => /^reward\.m?[jt]s$/.test(name)),
  modules: { 'reprise/bundle': () => import('./bundles/index.js') },
  commands: [
    {
      commands: {
        reply:
          'answer an agent in the place of the user (agent-eval --model-role user=human); without a text, who waits',
      },
      load: async () => (await import('./commands/reply.js')).addReplyCommand,
    },
    {
      commands: { bundle: 'make, check and try task bundles: tools, reward, database' },
      load: async () => (await import('./commands/bundle.js')).addBundleCommands,
    },
  ],
};
