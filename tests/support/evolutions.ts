import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { StoredCall } from '../../src/activities/call-store.js';
import type { CallRecord } from '../../src/contracts/language-model.js';
import type { ScaffoldRunRecord } from '../../src/kinds/evolve/activities/scaffold-runs.js';
import type { Lineage } from '../../src/kinds/evolve/evolution/lineage.js';
import type { ScaffoldFiles } from '../../src/kinds/evolve/evolution/types.js';
import type { EvolveMetrics } from '../../src/kinds/evolve/results.js';
import type { ArtifactStore } from '../../src/storage/artifact-store.js';
import { openStore } from '../../src/storage/open.js';
import { type Running, readRecords, type Workplace } from './workplace.js';

/** What an experiment has come to: every file but the logs and the working files, by its path; times are left out. */
export async function treeIn(store: ArtifactStore): Promise<Record<string, string>> {
  const tree: Record<string, string> = {};
  for await (const { key } of store.list('')) {
    if (!/^(iterations|best|closing|lineage|state)/.test(key)) continue;
    const text = (await store.readText(key)) ?? '';
    tree[key] = text
      .replace(/"created_at": "[^"]*"/g, '"created_at": ""')
      .replace(/"(seconds|execution_time)": [\d.e-]+/g, '"$1": 0');
  }
  return tree;
}

export function treeOf(folder: string): Promise<Record<string, string>> {
  return treeIn(openStore(folder));
}

/** The folder of the one experiment of this name, below `experiments` in a workplace. */
export async function experimentOf(place: Workplace, name: string): Promise<string> {
  const found = (await readdir(place.path('experiments'))).filter((one) =>
    new RegExp(`^${name}_\\d{8}_\\d{6}$`).test(one),
  );
  expect(found).toHaveLength(1);
  return place.path('experiments', found[0] as string);
}

export async function evolveMetricsOf(folder: string): Promise<EvolveMetrics> {
  return JSON.parse(await readFile(join(folder, 'metrics.json'), 'utf8')) as EvolveMetrics;
}

export async function lineageOf(folder: string): Promise<Lineage> {
  return JSON.parse(await readFile(join(folder, 'lineage.json'), 'utf8')) as Lineage;
}

/** Waits for a command that has to end well. Answers with what it printed. */
export async function finished(running: Running): Promise<string> {
  const { code, stdout, stderr } = await running.done;
  expect(code, stdout + stderr).toBe(0);
  return stdout + stderr;
}

/** When each run and each call that is written down by now was made, by its file. */
export async function madeAt(folder: string): Promise<Record<string, string>> {
  const runs = await recordsIn<ScaffoldRunRecord>(join(folder, 'runs'));
  const calls = await recordsIn<StoredCall>(join(folder, 'pending'));
  return Object.fromEntries([
    ...[...runs].map(([name, { at }]) => [`runs/${name}`, at]),
    ...[...calls].map(([name, { record }]) => [`pending/${name}`, record.at]),
  ]);
}

/** None where nothing has been written down so far. */
async function recordsIn<Stored>(folder: string): Promise<Map<string, Stored>> {
  return existsSync(folder) ? readRecords<Stored>(folder) : new Map();
}

/** The text of a recording (`lm.recording`) in which the scaffolder answers with these scaffolds, by their ids. */
export function recordingOf(scaffolds: Readonly<Record<string, ScaffoldFiles>>): string {
  const row = ([id, files]: [string, ScaffoldFiles]): string => {
    const blocks = Object.entries(files).map(
      ([name, content]) => `\`\`\`python file=${name}\n${content.trimEnd()}\n\`\`\``,
    );
    const purpose = id.includes('-') ? 'evolve' : 'generate';
    const call: Pick<CallRecord, 'sample_id' | 'purpose' | 'text'> = {
      sample_id: id,
      purpose,
      text: blocks.join('\n\n'),
    };
    return `${JSON.stringify(call)}\n`;
  };
  return Object.entries(scaffolds).map(row).join('');
}

/** A config of an evolution whose scaffolds a user's own scorer judges, and are written by the model of a fake provider. */
export function ownScorerConfig(
  baseUrl: string,
  data: { train: string; valid: string },
  evolution: { num_iterations: number; num_validation_examples: number },
): object {
  return {
    task_prompt: 'Return the input.',
    domain: 'own/score.ts',
    data,
    evolution: { initial_scaffolds: 1, scaffolds_per_iter: 1, ...evolution },
    models: { scaffolder: { model: 'openai/echo', base_url: baseUrl } },
    sandbox: { type: 'process' },
  };
}

/** Examples as JSON lines. */
export function examplesText(examples: readonly { id: string; input: string; target: number }[]): string {
  return examples.map((example) => `${JSON.stringify(example)}\n`).join('');
}
