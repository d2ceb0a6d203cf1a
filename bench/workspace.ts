import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';

/** What a contestant has to do. */
export interface Contest {
  samples: number;
  concurrency: number;
  /** Milliseconds of the model, for the ideal; the mock is set up by the caller. */
  latency: number;
  /** `run`: one sample after another, in one memory. */
  memoryScope?: 'run' | 'sample';
}

/** A temporary folder with a dataset, a config and an environment of its own. */
export interface Workspace {
  folder: string;
  config: string;
  dataset: string;
  environment: NodeJS.ProcessEnv;
  remove(): Promise<void>;
}

/** Neither the shell's servers nor its keys decide what is measured. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const own = /^(TEMPORAL_|REPRISE_(?!TEMPORAL_BIN$|CACHE_DIR$)|OPENAI_|INSPECT_|VITEST|NODE_ENV$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)));
}

export async function makeWorkspace(contest: Contest, baseUrl: string): Promise<Workspace> {
  const folder = await mkdtemp(join(tmpdir(), 'reprise-bench-'));
  const dataset = join(folder, 'sums.jsonl');
  const rows = Array.from({ length: contest.samples }, (_, index) =>
    JSON.stringify({ id: `sum-${index}`, question: `What is ${index} + ${index}?`, answer: `${2 * index}` }),
  );
  await writeFile(dataset, `${rows.join('\n')}\n`);
  const config = join(folder, 'bench.yaml');
  await writeFile(
    config,
    stringify({
      name: 'bench',
      runtime: { memory_scope: contest.memoryScope ?? 'sample', concurrency: contest.concurrency },
      dataset: { dataset_path: 'sums.jsonl', task_type: 'numeric', id_field: 'id' },
      lm: { provider: 'openai', model: 'mock', base_url: baseUrl },
      agent: { type: 'history_agent', history_k: 0 },
      output: { results_dir: 'results' },
    }),
  );
  return {
    folder,
    config,
    dataset,
    environment: {
      ...cleanEnvironment(),
      REPRISE_SERVER_DIR: join(folder, '.reprise'),
      OPENAI_API_KEY: 'no-key-needed',
      MOCK_BASE_URL: baseUrl,
      MOCK_API_KEY: 'no-key-needed',
    },
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }),
  };
}
