import { agentFactory } from '../activities/agent-factory.js';
import { checkLanguageModel } from '../activities/check-language-model.js';
import { checkedTasks } from '../activities/dataset.js';
import { atServers, vectorStoreFor, vectorsIn } from '../activities/embeddings.js';
import { environmentSource, localEnvironmentCode } from '../activities/environment-code.js';
import { locate, locatedFiles, type OpenStore } from '../activities/locate.js';
import { type LoadedMemory, memoryToBeginWith, vectorsBeside } from '../activities/memory-file.js';
import { prepareSandbox } from '../activities/prepare-sandbox.js';
import { type IndexFactory, indexFactory } from '../activities/retrieval-services.js';
import { environmentClass } from '../activities/user-modules.js';
import type { RunConfig } from '../config/schema.js';
import type { Task } from '../contracts/environment.js';
import type { LanguageModel } from '../contracts/language-model.js';
import type { Environment } from '../environments/environment.js';
import type { SymbolicComparer } from '../grading/grade.js';
import { createLanguageModel } from '../language-models/create.js';
import { priceTable } from '../language-models/price-table.js';
import type { PriceTable } from '../language-models/prices.js';
import { knownAnswer } from '../language-models/simulated-answers.js';
import { readingReplies } from '../replies/read-reply.js';
import type { VectorFiles } from '../retrieval/kept-vectors.js';
import type { LanePorts } from '../runtime/ports.js';
import type { Sandbox } from '../sandboxes/sandbox.js';
import { openStore } from '../storage/open.js';
import type { InProcessOptions } from './options.js';

/** Everything a run needs before its first call. */
export interface PreparedRun {
  config: RunConfig;
  tasks: readonly Task[];
  model: LanguageModel;
  prices: PriceTable;
  /** From `output.load_memory_path`. */
  loaded: LoadedMemory;
  environment(task: Task): Environment;
  createAgent: LanePorts['createAgent'];
  sandbox(): Promise<Sandbox>;
  /** Makes indexes of the kind that the memory asks for. */
  indexes(): Promise<IndexFactory>;
}

async function languageModel(
  config: RunConfig,
  tasks: readonly Task[],
  environment: NonNullable<InProcessOptions['environment']>,
  notice: (message: string) => void,
): Promise<LanguageModel> {
  const answers = new Map(tasks.map((task) => [task.id, knownAnswer(task)]));
  const { model } = await createLanguageModel(config.lm, {
    environment,
    seed: config.seed,
    notice,
    openRecording: locatedFiles((address) => openStore(address, { environment })),
    // The simulated model is told the answers; it only pretends to find them.
    answerFor: (id) => answers.get(id),
  });
  return model;
}

function onceOnly<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
}

/** Vectors are kept in this process, as everything of a run in a plain loop. */
function localIndexes(
  { memory, output }: RunConfig,
  environment: NonNullable<InProcessOptions['environment']>,
  open: OpenStore,
): Promise<IndexFactory> {
  if (!('retrieval' in memory)) throw new Error(`a ${memory._type} has no experiences to search`);
  const held = new Map<string, Uint8Array>();
  const files: VectorFiles = {
    read: async (key) => held.get(key) ?? null,
    write: async (key, bytes) => void held.set(key, bytes),
  };
  const { load_memory_path } = output;
  return indexFactory(memory.retrieval, async () => ({
    store: await vectorStoreFor(memory.retrieval, { environment, prices: priceTable(environment), files }),
    known:
      load_memory_path === null
        ? new Map()
        : await vectorsIn(locate(open, vectorsBeside(load_memory_path)), memory.retrieval),
  }));
}

/** @throws InvalidInputError or DatasetError, as a durable run does before it starts. */
export async function prepare(
  given: RunConfig,
  options: InProcessOptions,
  compareSymbolically: SymbolicComparer,
  sandbox: PreparedRun['sandbox'],
): Promise<PreparedRun> {
  const { environment = process.env, notice = () => undefined } = options;
  const config = atServers(given, environment);
  if (options.languageModel === undefined) await checkLanguageModel(config, { environment });
  await prepareSandbox(config, { sandbox, notify: notice }, { warn: () => undefined });
  const tasks: Task[] = [];
  const code = localEnvironmentCode(compareSymbolically);
  for await (const task of checkedTasks(config, { environment, notice }, code)) tasks.push(task);
  const { name, file, settings } = environmentSource(config);
  const environmentType = await environmentClass(name, file);
  const open = (address: string) => openStore(address, { environment });
  return {
    config,
    tasks,
    prices: priceTable(environment),
    model:
      options.languageModel === undefined
        ? await languageModel(config, tasks, environment, notice)
        : readingReplies(options.languageModel),
    loaded: await memoryToBeginWith(open, config),
    environment: (task) => new environmentType(task, settings, { compareSymbolically }),
    createAgent: await agentFactory(config.agent),
    sandbox,
    indexes: onceOnly(() => localIndexes(config, environment, open)),
  };
}
