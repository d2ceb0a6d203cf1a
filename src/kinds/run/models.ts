import type { LanguageModelConfig } from '../../config/language-model-schema.js';
import type { RetrievalConfig } from '../../config/memory-schemas.js';
import type { RunConfig } from './schema.js';

/** Returns the model of scorers that have none of their own: that of the role `judge`, or else the agent's. */
export function judgeOf({ lm, models }: Pick<RunConfig, 'lm' | 'models'>): LanguageModelConfig {
  return models.judge ?? lm;
}

/** Returns the models of a config that judge, but for the agent's, by their sections. */
export function judgeModels({
  models: { judge },
  scorers,
}: Pick<RunConfig, 'models' | 'scorers'>): Record<string, LanguageModelConfig> {
  const models = Object.entries(scorers).flatMap(([name, scorer]): [string, LanguageModelConfig][] => {
    if (scorer.type !== 'model_graded') return [];
    const { lm, panel = [] } = scorer;
    return [
      ...(lm === undefined ? [] : [[`scorers.${name}.lm`, lm] as [string, LanguageModelConfig]]),
      ...panel.map((one, index): [string, LanguageModelConfig] => [`scorers.${name}.panel[${index}]`, one]),
    ];
  });
  return { ...(judge && { 'models.judge': judge }), ...Object.fromEntries(models) };
}

/** Reports whether a model of a config is the simulated one, whose figures say nothing. */
export function isSimulated(config: Pick<RunConfig, 'lm' | 'models' | 'scorers'>): boolean {
  return [config.lm, ...Object.values(judgeModels(config))].some(({ provider }) => provider === 'simulated');
}

type EmbeddingModel = Pick<RetrievalConfig, 'model' | 'base_url' | 'dimensions'>;

/** Returns the embedding models of a config, by their sections. */
export function embeddingModels({
  memory,
  scorers,
}: Pick<RunConfig, 'memory' | 'scorers'>): Record<string, EmbeddingModel> {
  const isEmbedding = 'retrieval' in memory && memory.retrieval.backend === 'embedding';
  const ofScorers = Object.entries(scorers).flatMap(([name, scorer]): [string, EmbeddingModel][] =>
    scorer.type === 'similarity' ? [[`scorers.${name}`, scorer]] : [],
  );
  return {
    ...(isEmbedding ? { 'memory.retrieval': memory.retrieval } : {}),
    ...Object.fromEntries(ofScorers),
  };
}
