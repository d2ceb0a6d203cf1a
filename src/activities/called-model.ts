import type { Logger } from 'pino';
import type { LanguageModelConfig } from '../config/language-model-schema.js';
import { modelNameOf } from '../config/model-name.js';
import { createLanguageModel } from '../language-models/create.js';
import { priceTable } from '../language-models/price-table.js';
import { costOf } from '../language-models/prices.js';
import { atServer } from '../language-models/server-address.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import type { CallStore } from './call-store.js';
import type { WorkerDependencies } from './dependencies.js';
import { locatedFiles } from './locate.js';
import type { CalledModel } from './model-calls.js';

/** Experiment that a model is called for. */
export interface CallingExperiment {
  store: ArtifactStore;
  resultsDir: string;
  calls: CallStore;
  log: Logger;
  seed: number;
}

/** Returns a model for an experiment's calls. The model is created with the first call, and again if that failed. */
export function calledModel(
  given: LanguageModelConfig,
  experiment: CallingExperiment,
  { environment, notify, openStore }: Pick<WorkerDependencies, 'environment' | 'notify' | 'openStore'>,
): CalledModel {
  const lm = atServer(given, environment);
  const modelName = modelNameOf(lm);
  const prices = priceTable(environment);
  let model: ReturnType<CalledModel['languageModel']> | undefined;
  const languageModel = () => {
    const openRecording = locatedFiles(openStore);
    const { seed } = experiment;
    const made = model ?? createLanguageModel(lm, { environment, seed, notify: notify, openRecording });
    model = made;
    made.catch(() => {
      model = undefined;
    });
    return made;
  };
  return {
    lm,
    ...experiment,
    modelName,
    modelAddress: lm.base_url === undefined ? modelName : `${modelName} at ${lm.base_url}`,
    costOf: (usage) => costOf(lm.provider, lm.model, usage, { baseUrl: lm.base_url, table: prices }),
    languageModel,
  };
}
