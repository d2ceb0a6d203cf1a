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
  /** Where samples run; `runtime.grain` decides by default. */
  grain?: 'call' | 'unit';
  /** Sections that take the place of the config's own. */
  sections?: Record<string, unknown>;
}

/** A temporary folder with a config, and with an environment of its own. */
export interface BenchFolder {
  folder: string;
  config: string;
  environment: NodeJS.ProcessEnv;
  remove(): Promise<void>;
}

/** One with the rows of a contest. */
export interface Workspace extends BenchFolder {
  dataset: string;
}

/**
 * Neither the shell's servers nor its keys and models decide what is measured. What it says of where programs are found
 * (Temporal, Python, the image of the sandbox) stays.
 */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const own =
    /^(TEMPORAL_|REPRISE_(?!TEMPORAL_BIN$|CACHE_DIR$|PYTHON$|RUNNER_BASE$|RUNNER_IMAGE$)|OPENAI_|INSPECT_|MODEL_(AGENT|SIM)$|VITEST|NODE_ENV$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)));
}

/** The mock server as a config names it. */
export function mockModel(baseUrl: string): Record<string, string> {
  return { provider: 'openai', model: 'mock', base_url: baseUrl };
}

export async function makeFolder(config: Record<string, unknown>, baseUrl: string): Promise<BenchFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'reprise-bench-'));
  const path = join(folder, 'bench.yaml');
  await writeFile(path, stringify(config));
  return {
    folder,
    config: path,
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

export function jsonLines(rows: readonly unknown[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

export async function makeWorkspace(contest: Contest, baseUrl: string): Promise<Workspace> {
  const made = await makeFolder(
    {
      name: 'bench',
      runtime: {
        memory_scope: contest.memoryScope ?? 'sample',
        concurrency: contest.concurrency,
        grain: contest.grain ?? 'auto',
      },
      dataset: { dataset_path: 'sums.jsonl', task_type: 'numeric', id_field: 'id' },
      lm: mockModel(baseUrl),
      agent: { type: 'history_agent', history_k: 0 },
      output: { results_dir: 'results' },
      ...contest.sections,
    },
    baseUrl,
  );
  const dataset = join(made.folder, 'sums.jsonl');
  const rows = Array.from({ length: contest.samples }, (_, index) => ({
    id: `sum-${index}`,
    question: `What is ${index} + ${index}?`,
    answer: `${2 * index}`,
  }));
  await writeFile(dataset, jsonLines(rows));
  return { ...made, dataset };
}
