import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { RunConfig } from '../config/schema.js';
import type { OwnCode } from './code-changes.js';
import type { WorkerDependencies } from './dependencies.js';
import { embedderSettings } from './embeddings.js';
import { pricesInUse } from './prices-in-use.js';

const IMPORTED = /(?:from|import)\s*(?:\(\s*)?['"](\.[^'"]+)['"]/g;

/** A user's file and every one of theirs that it imports, with their texts, by their order of appearance. */
export function withImports(file: string): Map<string, string> {
  const texts = new Map<string, string>();
  const visit = (path: string): void => {
    if (texts.has(path)) return;
    const text = readFileSync(path, 'utf8');
    texts.set(path, text);
    for (const [, specifier = ''] of text.matchAll(IMPORTED)) {
      const named = resolve(dirname(path), specifier);
      const candidates = [
        named.replace(/\.js$/, '.ts'),
        named,
        `${named}.ts`,
        `${named}.js`,
        join(named, 'index.ts'),
      ];
      const found = candidates.find((candidate) => statSync(candidate, { throwIfNoEntry: false })?.isFile());
      if (found !== undefined) visit(found);
    }
  };
  visit(file);
  return texts;
}

/** The files of a config's own environment and agent. */
export function ownCodeOf({ dataset, agent }: Pick<RunConfig, 'dataset' | 'agent'>): OwnCode {
  const named = [dataset.env_file, 'file' in agent ? (agent.file as string) : undefined];
  // Another machine's file may be missing here.
  const files = named.filter((file) => file !== undefined && existsSync(file)) as string[];
  return {
    paths: files.flatMap((file) => [...withImports(file).keys()]),
    folders: files.map((file) => dirname(file)),
  };
}

/** The same, and what its models cost on this worker. */
export function ownCodeAndPrices(config: RunConfig, environment: WorkerDependencies['environment']): OwnCode {
  const { lm, memory } = config;
  const isPaid = 'retrieval' in memory && memory.retrieval.backend === 'embedding';
  const models = isPaid ? [lm, embedderSettings(memory.retrieval)] : [lm];
  return { ...ownCodeOf(config), values: pricesInUse(models, environment) };
}
