import { LRUCache } from 'lru-cache';
import { loadedOnce } from '../../../activities/loaded-once.js';
import type { OpenStore } from '../../../activities/locate.js';
import { InvalidInputError } from '../../../config/errors.js';
import type { JsonObject } from '../../../contracts/json.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { jsonLine, jsonLines, readNumberedJsonLines } from '../../../storage/json-lines.js';
import { damagedFile } from '../../../storage/stored-file.js';
import type { Domain } from '../evolution/domains/domain.js';
import { checkUniqueIds, exampleRow, readExample } from '../evolution/examples.js';
import type { RunType } from '../evolution/layout.js';
import type { DatasetExample } from '../evolution/types.js';
import { evolveExamplesKey } from '../paths.js';
import type { EvolveConfig } from '../schema.js';
import { faultOf, readExampleFile } from './evolve-files.js';

export const RUN_TYPES = ['train', 'valid', 'test'] as const satisfies readonly RunType[];

/** Examples of an experiment, in the order of the files. Test examples are optional. */
export type EvolveData = Readonly<Record<RunType, readonly DatasetExample[]>>;

/**
 * Reads the examples of a config: from its files, or from its domain's generator.
 * @throws InvalidInputError that names the field and, for a file, the rows.
 */
export async function readEvolveData(
  config: Pick<EvolveConfig, 'data' | 'domain' | 'scaffolder'>,
  domain: Domain,
  openStore: OpenStore,
): Promise<EvolveData> {
  const { data } = config;
  const read = async (type: RunType): Promise<DatasetExample[]> => {
    const address = data[type] ?? null;
    return address === null ? [] : readExampleFile(openStore, address, `data.${type}`, domain);
  };
  const found: EvolveData =
    data.generate === undefined
      ? { train: await read('train'), valid: await read('valid'), test: await read('test') }
      : await generated(config, data.generate, domain);
  if (config.scaffolder.feedback !== null && found.train.length < 2) {
    const field = 'scaffolder.feedback';
    throw new InvalidInputError(
      `${field}: there is one training example, which every parent is run on anyway; feedback needs more of them`,
      field,
    );
  }
  return found;
}

/** Generates one series of examples and splits it, so that the parts have nothing in common. */
async function generated(
  config: Pick<EvolveConfig, 'domain'>,
  { train, valid, test, seed }: NonNullable<EvolveConfig['data']['generate']>,
  domain: Domain,
): Promise<EvolveData> {
  const field = 'data.generate';
  if (domain.generate === undefined) {
    const way =
      config.domain.name === 'custom' ? 'export a function generate(seed, count) from its file, or ' : '';
    throw new InvalidInputError(
      `${field}: the domain ${config.domain.name} makes no examples; ${way}give data.train and data.valid`,
      field,
    );
  }
  const count = train + valid + test;
  try {
    const examples = (await domain.generate(seed, count)).map((example, index) => {
      const checked = readExample(exampleRow(example), index + 1);
      const fault = faultOf(domain, checked);
      if (fault !== null) throw new RangeError(`row ${index + 1} (${checked.id}): ${fault}`);
      return checked;
    });
    if (examples.length !== count) throw new RangeError(`it made ${examples.length}, not ${count}`);
    checkUniqueIds(examples);
    return {
      train: examples.slice(0, train),
      valid: examples.slice(train, train + valid),
      test: examples.slice(train + valid),
    };
  } catch (error) {
    const { message } = error as Error;
    throw new InvalidInputError(
      `${field}: the generator of ${config.domain.name} did not give ${count} examples: ${message}`,
      field,
    );
  }
}

/** Returns warnings on unusual but valid data, in sentences. */
export function dataWarnings(data: EvolveData, { evolution }: Pick<EvolveConfig, 'evolution'>): string[] {
  const warnings: string[] = [];
  const { num_validation_examples: wanted } = evolution;
  if (wanted > data.valid.length) {
    warnings.push(
      `evolution.num_validation_examples is ${wanted}, but there are ${data.valid.length}: every iteration uses all of them`,
    );
  }
  const shown = new Set(data.train.map(({ input }) => input));
  // Where all inputs are the same, the task is one optimisation, without new inputs.
  if (shown.size === 1 && data.train.length > 1) return warnings;
  for (const type of ['valid', 'test'] as const) {
    const known = data[type].filter(({ input }) => shown.has(input)).length;
    if (known > 0) {
      warnings.push(
        `${known} of ${data[type].length} examples of data.${type} have the same input as a training example, which the scaffolder sees`,
      );
    }
  }
  return warnings;
}

/** Writes an experiment's own copy of its examples. May be repeated. */
export async function writeEvolveData(store: ArtifactStore, data: EvolveData): Promise<void> {
  for (const type of RUN_TYPES) {
    if (data[type].length > 0) {
      await store.writeStream(evolveExamplesKey(type), jsonLines(data[type].map(exampleRow)));
    }
  }
}

/** Reports whether an experiment's folder holds exactly these examples. */
export async function holdsEvolveData(store: ArtifactStore, data: EvolveData): Promise<boolean> {
  for (const type of RUN_TYPES) {
    const stored = await store.readText(evolveExamplesKey(type));
    if ((stored ?? '') !== data[type].map((example) => jsonLine(exampleRow(example))).join('')) return false;
  }
  return true;
}

/** Reads the examples of one type from an experiment's folder; empty where it holds none. */
export async function readStoredExamples(store: ArtifactStore, type: RunType): Promise<DatasetExample[]> {
  const stream = await store.openRead(evolveExamplesKey(type));
  if (stream === null) return [];
  const examples: DatasetExample[] = [];
  for await (const { line, value } of readNumberedJsonLines<JsonObject>(stream)) {
    examples.push(readExample(value, line));
  }
  return examples;
}

/** Reads an experiment's examples by id, as {@link writeEvolveData} wrote them. A file is read when first needed. */
export class ExampleReader {
  private readonly files = new LRUCache<RunType, Promise<ReadonlyMap<string, DatasetExample>>>({
    max: RUN_TYPES.length,
  });

  constructor(private readonly store: ArtifactStore) {}

  async get(type: RunType, id: string): Promise<DatasetExample> {
    const file = await loadedOnce(this.files, type, async () => {
      const examples = await readStoredExamples(this.store, type);
      return new Map(examples.map((example) => [example.id, example]));
    });
    const example = file.get(id);
    if (example !== undefined) return example;
    throw damagedFile(this.store, evolveExamplesKey(type), `it has no example ${JSON.stringify(id)}`);
  }
}
