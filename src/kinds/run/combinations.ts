import {
  curates,
  isCheatsheetAgent,
  RETRIEVING,
  usesRetrieval,
} from '../../agents/dynamic-cheatsheet/modes.js';
import type { DynamicCheatsheetAgentConfig } from '../../config/agent-schemas.js';
import { InvalidInputError } from '../../config/errors.js';
import type { MemoryConfig } from '../../config/memory-schemas.js';
import { type Placeholders, templateFault } from '../../config/templates.js';
import { hasOwnCode } from './contracts.js';
import { epochsNeeded } from './reducers.js';
import type { RunConfig } from './schema.js';

type MemoryType = MemoryConfig['_type'];

/** True if an agent may run programs. A user's agent always gets the sandbox. */
export function mayRunCode({ agent }: Pick<RunConfig, 'agent'>): boolean {
  return 'file' in agent || (isCheatsheetAgent(agent) && agent.use_code_execution);
}

/** Returns the memory's type for an agent whose config names none; the agent is not validated yet. */
export function defaultMemory(agent: Record<string, unknown>): MemoryType {
  if (agent.type !== 'dynamic_cheatsheet_agent') return 'history_list';
  const { mode = 'cumulative', use_retrieval, history_k } = agent;
  const showsExperiences = use_retrieval === true || (typeof history_k === 'number' && history_k > 0);
  return (mode === 'cumulative' || mode === 'empty_sheet') && !showsExperiences ? 'cheatsheet' : 'hybrid';
}

/** Lists the types of memory that a config of the Dynamic Cheatsheet needs, and which field needs them. */
function needs(agent: DynamicCheatsheetAgentConfig): { why: string; types: MemoryType[] }[] {
  const wanted: { why: string; types: MemoryType[] }[] = [];
  const { mode, history_k } = agent;
  const sheet: MemoryType[] = ['cheatsheet', 'hybrid'];
  const experiences: MemoryType[] = ['experience_db', 'hybrid'];
  if (mode === 'cumulative') wanted.push({ why: 'mode cumulative', types: sheet });
  if (mode === 'retrieval_synthesis') wanted.push({ why: 'mode retrieval_synthesis', types: ['hybrid'] });
  if (mode === 'dynamic_retrieval' || mode === 'full_history')
    wanted.push({ why: `mode ${mode}`, types: experiences });
  if (usesRetrieval(agent)) wanted.push({ why: 'use_retrieval', types: experiences });
  if (history_k > 0) wanted.push({ why: `history_k ${history_k}`, types: experiences });
  return wanted;
}

function checkCheatsheetAgent(agent: DynamicCheatsheetAgentConfig, memory: MemoryConfig): void {
  const { mode, use_retrieval } = agent;
  if (use_retrieval === false && RETRIEVING.includes(mode)) {
    throw new InvalidInputError(
      `agent.use_retrieval: mode ${mode} is made of retrieved experiences; leave use_retrieval out, or choose mode cumulative`,
      'agent.use_retrieval',
    );
  }
  if (use_retrieval === true && (mode === 'full_history' || mode === 'empty_sheet')) {
    throw new InvalidInputError(
      `agent.use_retrieval: mode ${mode} shows ${mode === 'full_history' ? 'every experience' : 'none'}; leave use_retrieval out, or choose mode dynamic_retrieval`,
      'agent.use_retrieval',
    );
  }
  if (agent.curator_sees_feedback && mode !== 'cumulative') {
    throw new InvalidInputError(
      `agent.curator_sees_feedback: in mode ${mode} no curator comes after an answer; leave it out, or choose mode cumulative`,
      'agent.curator_sees_feedback',
    );
  }
  const wanted = needs(agent);
  const unmet = wanted.find(({ types }) => !types.includes(memory._type));
  if (unmet !== undefined) {
    const fitting = unmet.types.filter((type) => wanted.every(({ types }) => types.includes(type)));
    throw new InvalidInputError(
      `memory._type: agent.${unmet.why} needs a memory of type ${fitting.join(' or ')}, not ${memory._type}`,
      'memory._type',
    );
  }
  checkTemplates(agent);
}

/** Checks the templates' placeholders: those that exist in a mode, and those that other fields need. */
function checkTemplates(agent: DynamicCheatsheetAgentConfig): void {
  const { mode, generator_template, cheatsheet_template, history_k, curator_sees_feedback } = agent;
  const check = (template: string | null, field: string, placeholders: Placeholders) => {
    const fault = template === null ? null : templateFault(template, placeholders);
    if (fault !== null) throw new InvalidInputError(`agent.${field}: ${fault}`, `agent.${field}`);
  };
  const showsExamples = usesRetrieval(agent) && mode !== 'retrieval_synthesis';
  const needsExamples = showsExamples || history_k > 0 || mode === 'full_history';
  check(generator_template, 'generator_template', {
    known: ['question', 'cheatsheet', 'examples', 'code'],
    required: ['question', ...(needsExamples ? ['examples'] : []), ...(curates(agent) ? ['cheatsheet'] : [])],
  });
  const isSynthesis = mode === 'retrieval_synthesis';
  const ofAnswer = isSynthesis ? ['examples'] : ['answer', 'feedback'];
  check(cheatsheet_template, 'cheatsheet_template', {
    known: ['cheatsheet', 'question', 'max_chars', ...ofAnswer],
    required: isSynthesis
      ? ['question', 'examples']
      : [...(mode === 'cumulative' ? ['answer'] : []), ...(curator_sees_feedback ? ['feedback'] : [])],
  });
}

/** Rejects calls of a workflow for an agent of the user, which runs in a thread of a worker. */
function checkGrain(config: RunConfig): void {
  if (config.runtime.grain !== 'call' || !hasOwnCode(config)) return;
  const what = 'file' in config.agent ? 'an agent' : 'a memory';
  throw new InvalidInputError(
    `runtime.grain: ${what} of your own runs in a worker's threads, and its calls are no steps of the workflow; leave runtime.grain out`,
    'runtime.grain',
  );
}

/** Rejects sections that do not fit together. @throws InvalidInputError that names the field to change. */
export function checkCombinations(config: RunConfig): void {
  const { agent, memory } = config;
  checkGrain(config);
  if ('file' in agent) return;
  if (isCheatsheetAgent(agent)) {
    checkCheatsheetAgent(agent, memory);
    return;
  }
  if (memory._type === 'history_list' || memory._type === 'own') return;
  throw new InvalidInputError(
    `memory._type: agent ${agent.type} shows the entries of a history_list; a ${memory._type} is for dynamic_cheatsheet_agent`,
    'memory._type',
  );
}

/** True if the metadata of a dataset's rows has a field, or a mapping that may have it. */
function isInMetadata(field: string, { meta_fields }: RunConfig['dataset']): boolean {
  return meta_fields.some((name) => field === name || field.startsWith(`${name}.`));
}

/** Rejects epochs that would not be independent, and reducers of more epochs than there are. @throws InvalidInputError */
/** Refuses an end by what is known where the samples are not independent of each other, and of their order. */
export function checkStopWhen({ limits, dataset, runtime, metrics }: RunConfig): void {
  const { stop_when } = limits;
  if (stop_when === null) return;
  const refuse = (why: string): never => {
    throw new InvalidInputError(`limits.stop_when: ${why}`, 'limits.stop_when');
  };
  if (stop_when.interval === null && stop_when.against === null)
    refuse('give interval, against or both; alone it never ends a run');
  if (runtime.memory_scope === 'run')
    refuse(
      'samples share one memory (runtime.memory_scope: run), so the first do not tell of the others; set runtime.memory_scope to sample',
    );
  if (!dataset.shuffle)
    refuse('the first rows of a file may differ from the others; set dataset.shuffle to true');
  if (runtime.epochs > 1) refuse('the epochs of a sample (runtime.epochs) hang together; use one epoch');
  if (metrics.cluster !== null) refuse('the rows of a cluster (metrics.cluster) hang together; leave it out');
}

export function checkEpochs({ runtime, lm, metrics: { reducers } }: RunConfig): void {
  const { epochs, memory_scope } = runtime;
  if (epochs > 1 && memory_scope === 'run') {
    throw new InvalidInputError(
      `runtime.epochs: samples share one memory (runtime.memory_scope: run), so ${epochs} epochs would not be independent of each other; set runtime.memory_scope to sample, or start a run for each seed`,
      'runtime.epochs',
    );
  }
  if (epochs > 1 && lm.cache === true) {
    throw new InvalidInputError(
      `lm.cache: with the cache, all ${epochs} epochs of a sample (runtime.epochs) would get the reply of the first one; set lm.cache to false`,
      'lm.cache',
    );
  }
  const tooMany = reducers.find((reducer) => epochsNeeded(reducer) > epochs);
  if (tooMany === undefined) return;
  throw new InvalidInputError(
    `metrics.reducers: ${tooMany} needs ${epochsNeeded(tooMany)} epochs; runtime.epochs is ${epochs}`,
    'metrics.reducers',
  );
}

/** Rejects a field of clusters that no row can have. @throws InvalidInputError */
export function checkCluster({ metrics: { cluster }, dataset }: RunConfig): void {
  if (cluster === null || isInMetadata(cluster, dataset)) return;
  throw new InvalidInputError(
    `metrics.cluster: no row has ${cluster} in its metadata; name it in dataset.meta_fields, too`,
    'metrics.cluster',
  );
}

/** Returns a note for each field of `metrics.by` that only an environment may report. */
export function groupNotes({ metrics: { by }, dataset }: RunConfig): string[] {
  return by
    .filter((field) => !isInMetadata(field, dataset))
    .map(
      (field) =>
        `metrics.by: ${field} is not in dataset.meta_fields, so its groups are only those that the environment reports in feedback.extra.`,
    );
}
