import type { LanguageModelConfig } from '../../config/language-model-schema.js';
import type { RetrievalConfig } from '../../config/memory-schemas.js';
import type { RunConfig } from './schema.js';

/** Returns the models of their own that scorers of a config have, by their sections. */
export function judgeModels({ scorers }: Pick<RunConfig, 'scorers'>): Record<string, LanguageModelConfig> {
  const models = Object.entries(scorers).flatMap(([name, scorer]): [string, LanguageModelConfig][] => {
    if (scorer.type !== 'model_graded') return [];
    const { lm, panel = [] } = scorer;
    return [
      ...(lm === undefined ? [] : [[`scorers.${name}.lm`, lm] as [string, LanguageModelConfig]]),
      ...panel.map((one, index): [string, LanguageModelConfig] => [`scorers.${name}.panel[${index}]`, one]),
    ];
  });
  return Object.fromEntries(models);
}

/** Reports whether a model of a config is the simulated one, whose figures say nothing. */
export function isSimulated(config: Pick<RunConfig, 'lm' | 'scorers'>): boolean {
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
