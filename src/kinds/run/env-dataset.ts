import type { z } from 'zod';
import { resolveConfig } from '../../config/load.js';
import type { Logger } from '../../contracts/logger.js';
import type { Environment, EnvironmentServices } from '../../environments/environment.js';
import { symbolicComparison } from '../../workers/symbolic-comparison.js';
import { datasetTasks } from './activities/dataset.js';
import { runConfigs } from './config.js';
import { environmentClass, environmentSource } from './environment-code.js';
import type { datasetSchema } from './schema.js';

let comparison: ReturnType<typeof symbolicComparison> | undefined;

/**
 * Services for environments that are composed by hand: answers are compared as in a run, by the maths library in
 * threads with a time limit. They keep no process from ending.
 */
export const gradingServices: EnvironmentServices = {
  compareSymbolically: async (...expressions) => {
    comparison ??= symbolicComparison(undefined);
    return (await comparison).compare(...expressions);
  },
};

/** Environments for a `RunTime`, in order. */
export class EnvDataset {
  protected dataset: readonly Environment[];

  constructor(environments: readonly Environment[] = []) {
    this.dataset = environments;
  }

  /** Reads the environments from their source; of environments that were given there is nothing to read. */
  async loadDataset(): Promise<readonly Environment[]> {
    return this.dataset;
  }

  /** Returns the environments that were given or read. */
  getDataset(): readonly Environment[] {
    return this.dataset;
  }
}

/** Config of a dataset of questions: the section `dataset` of a run's config. */
export type QAEnvDatasetConfig = z.input<typeof datasetSchema>;

export interface QAEnvDatasetOptions {
  /** Of the shuffle, and of shuffled choices. Default: 0. */
  seed?: number;
  /** Folder that relative paths are below. Default: the working folder. */
  folder?: string;
  /** Receives a note on how right answers are read, if the config does not say, and is the environments' log. */
  logger?: Logger;
}

/** Environments over the rows of a dataset, with the grading of `reprise run`. */
export class QAEnvDataset extends EnvDataset {
  constructor(
    readonly config: QAEnvDatasetConfig,
    private readonly options: QAEnvDatasetOptions = {},
  ) {
    super();
  }

  /**
   * Reads all rows, and makes an environment of each.
   * @throws InvalidInputError or DatasetError that names the field and the row.
   */
  override async loadDataset(): Promise<readonly Environment[]> {
    const { seed = 0, folder = process.cwd(), logger } = this.options;
    const raw = { name: 'dataset', dataset: this.config, lm: { provider: 'simulated' }, seed };
    const config = resolveConfig(runConfigs, raw, { source: 'the dataset', folder });
    const source = environmentSource(config);
    const environment = await environmentClass(source);
    const services = { ...gradingServices, ...(logger === undefined ? {} : { logger }) };
    const notify = (sentence: string) => logger?.info(sentence);
    const environments: Environment[] = [];
    for await (const task of datasetTasks(config, { environment: process.env, notify })) {
      const made = new environment(task, source.settings, services);
      made.validate();
      environments.push(made);
    }
    this.dataset = environments;
    return environments;
  }
}
