import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../contestants/embedded.js';
import type { Mock } from '../mock.js';
import { makeWorkspace } from '../workspace.js';
import { type HistorySize, historySize } from './history.js';
import type { WatchedUsage } from './process-usage.js';

export interface ExperiencesResult extends WatchedUsage {
  /** Experiences of the loaded memory, and samples that each retrieve three and add one. */
  loaded: number;
  samples: number;
  own_seconds: number;
  command_seconds: number;
  history: HistorySize;
}

/** Characters of an experience's answer: about what a model writes on a short problem. */
const ANSWER_CHARS = 1500;

function savedExperiences(count: number): string {
  const experiences = Array.from({ length: count }, (_, index) => ({
    _type: 'experience',
    obs: `What is ${index} + ${(index * 7919) % 100_003}?`,
    action: `Add the numbers of task ${index}. `.padEnd(ANSWER_CHARS, 'step by step '),
    feedback: { correct: true, target: '', message: 'correct' },
  }));
  return JSON.stringify({ _type: 'experience_db', experiences });
}

/** A run over one memory of experiences: what its size costs in history and memory. */
export async function measureExperiences(
  mock: Mock,
  { loaded, samples }: { loaded: number; samples: number },
): Promise<ExperiencesResult> {
  const contest = {
    samples,
    concurrency: 1,
    latency: 0,
    sections: {
      runtime: { memory_scope: 'run' },
      memory: { _type: 'experience_db' },
      agent: { type: 'dynamic_cheatsheet_agent', mode: 'dynamic_retrieval' },
      output: { results_dir: 'results', ...(loaded === 0 ? {} : { load_memory_path: 'memory.json' }) },
    },
  };
  const workspace = await makeWorkspace(contest, mock.baseUrl);
  try {
    await writeFile(join(workspace.folder, 'memory.json'), savedExperiences(loaded));
    await mock.reset(0);
    const outcome = await runCommand(contest, workspace);
    return { loaded, samples, ...outcome, history: await historySize(workspace, samples) };
  } finally {
    await workspace.remove();
  }
}
