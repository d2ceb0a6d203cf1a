import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.js';
import { dataWarnings, readEvolveData } from '../../src/kinds/evolve/activities/evolve-data.js';
import { evolveDomain } from '../../src/kinds/evolve/activities/evolve-domain.js';
import { evolveConfigs } from '../../src/kinds/evolve/config.js';
import { scoreOutput } from '../../src/kinds/evolve/evolution/domains/domain.js';
import { openStore } from '../../src/storage/open.js';
import { folderWith } from '../support/configs.js';
import { fencesOf } from './markdown.js';

/** The files that docs/evolution.md shows, by name. */
const FILES = Object.fromEntries(
  fencesOf('docs/evolution.md').flatMap(({ before, content }) => {
    const name = /^<!-- file: (\S+) -->$/.exec(before)?.[1];
    return name === undefined ? [] : [[name, content] as const];
  }),
);

describe('docs/evolution.md', () => {
  test('shows files that make an experiment, and flags that make the same one', async () => {
    const folder = folderWith(FILES);
    const config = loadConfig(evolveConfigs, join(folder, 'durations.yaml'));
    const domain = await evolveDomain(config, {});
    const data = await readEvolveData(config, domain, (address) => openStore(address));
    expect([data.train.length, data.valid.length, data.test.length]).toEqual([4, 5, 0]);
    for (const example of [...data.train, ...data.valid]) {
      expect(await scoreOutput(domain, String(example.scoring_data.target), example)).toMatchObject({
        score: 1,
      });
    }
    expect(dataWarnings(data, config)).toEqual([]);
    const flags = {
      name: 'durations',
      task_prompt: 'task.md',
      train_data: 'train.jsonl',
      valid_data: 'valid.jsonl',
      domain: 'numeric',
      scaffolder_model: 'gemini/gemini-2.5-pro',
      num_iterations: '3',
      num_validation_examples: '5',
    };
    const overrides = ['limits.max_cost_usd=2'];
    const byFlags = loadConfig(evolveConfigs, null, { flags, overrides, workingFolder: folder });
    expect({ ...byFlags, output: config.output }).toEqual(config);
  });

  test('shows a scorer that can be used as it stands', async () => {
    const file = join(folderWith(FILES), 'score.ts');
    const domain = await evolveDomain({ domain: { name: 'custom', file, options: {} } }, {});
    const example = { id: 'x', input: '', scoring_data: { target: 'a b c d' } };
    expect(await scoreOutput(domain, ' a c c ', example)).toEqual({
      score: 0.5,
      message: '2 of 4 words are right',
    });
  });
});
