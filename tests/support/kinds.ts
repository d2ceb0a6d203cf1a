import { join } from 'node:path';
import type { ConfigKind } from '../../src/config/kind.js';
import { resolveConfig } from '../../src/config/load.js';
import { agentEvalConfigs } from '../../src/kinds/agent-eval/config.js';
import { evolveConfigs } from '../../src/kinds/evolve/config.js';
import { judgeConfigs } from '../../src/kinds/judge/config.js';
import { ownKindConfigs } from '../../src/kinds/own-kind/config.js';
import { runConfigs } from '../../src/kinds/run/config.js';
import { MINIMAL_AGENT_EVAL } from '../config/agent-eval-support.js';
import { MINIMAL_EVOLUTION } from '../config/evolve-support.js';
import { flightBundle } from '../kinds/agent-eval/bundles/support.js';
import { folderWith, MINIMAL } from './configs.js';

type Sections = Record<string, unknown>;

/** The least that a config of each kind has to say. */
export const LEAST: Readonly<Record<string, Sections>> = {
  run: MINIMAL,
  sweep: { config: MINIMAL, repeats: 2 },
  evolve: MINIMAL_EVOLUTION,
  // Named by its first bundle's folder.
  'agent-eval': { ...MINIMAL_AGENT_EVAL, datasets: ['/usr'] },
  judge: { experiment: '/work/results/toy', lm: { provider: 'simulated' } },
  'own-kind': {
    kind: join(import.meta.dirname, '../../examples/best-of-n/kind.ts'),
    models: { writer: { provider: 'simulated' } },
    dataset: { items: [{ question: 'What is 1 + 1?', answer: '2' }] },
  },
};

/** Every kind of config with models of its own, with the least that one says. */
export const EVERY_KIND: readonly { id: string; kind: ConfigKind; least: Sections }[] = [
  runConfigs,
  evolveConfigs,
  agentEvalConfigs,
  judgeConfigs,
  ownKindConfigs,
].map((kind) => ({ id: kind.id, kind, least: LEAST[kind.id] as Sections }));

/** A copy of a config with another value for a field such as `models.agent.timeout_sec`. */
export function withField(config: object, field: string, value: unknown): Sections {
  const [name, ...rest] = field.split('.') as [string, ...string[]];
  const inner = (config as Sections)[name];
  const section = typeof inner === 'object' && inner !== null ? inner : {};
  return { ...config, [name]: rest.length === 0 ? value : withField(section, rest.join('.'), value) };
}

/** Resolves a config against `/configs` from the working folder `/work`. No variable names a model. */
export function resolved(kind: ConfigKind, value: unknown): Sections {
  const source = { source: 'it.yaml', folder: '/configs', fallbackName: 'it', workingFolder: '/work' };
  return resolveConfig(kind, value, { ...source, environment: {} }) as Sections;
}

/** What a config of each kind says beside the least, in folders of its own. */
export function sectionsOf(id: string): Sections {
  if (id === 'judge') return { experiment: folderWith() };
  const named = { name: 'mine', output: { results_dir: folderWith() } };
  if (id !== 'agent-eval') return named;
  const models = { ...MINIMAL_AGENT_EVAL.models, user: { provider: 'simulated' } };
  return { ...named, datasets: [flightBundle()], models };
}
