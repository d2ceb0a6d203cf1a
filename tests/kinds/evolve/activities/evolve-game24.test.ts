import { afterAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../../../src/config/load.js';
import type { ChatMessage, LanguageModel, Purpose } from '../../../../src/contracts/language-model.js';
import { type EvolveData, readEvolveData } from '../../../../src/kinds/evolve/activities/evolve-data.js';
import { evolveDomain } from '../../../../src/kinds/evolve/activities/evolve-domain.js';
import { evolveConfigs } from '../../../../src/kinds/evolve/config.js';
import { type Domain, scoreOutput } from '../../../../src/kinds/evolve/evolution/domains/domain.js';
import { summarizeCode } from '../../../../src/kinds/evolve/evolution/duplicates.js';
import { evolutionMessages, generationMessages } from '../../../../src/kinds/evolve/evolution/prompts.js';
import { parseScaffoldReply } from '../../../../src/kinds/evolve/evolution/reply.js';
import {
  type DatasetExample,
  MAIN_FILE,
  type ScaffoldFiles,
} from '../../../../src/kinds/evolve/evolution/types.js';
import { scriptedLanguageModel } from '../../../../src/language-models/scripted.js';
import { createSandbox } from '../../../../src/sandboxes/create.js';
import { openStore } from '../../../../src/storage/open.js';
import { PATIENT } from '../../../sandboxes/limits.js';
import { findPython, mustSkipPython } from '../../../support/python.js';

const config = loadConfig(evolveConfigs, 'configs/evolve_game24.yaml');

/** Runs process_input on every input of a JSON list, in one process. */
const DRIVER = `
import json, sys
from scaffold import process_input
print(json.dumps([process_input(text) for text in json.load(sys.stdin)]))
`;

const skip = mustSkipPython(await findPython());

describe('the scripted scaffolder of configs/evolve_game24.yaml', async () => {
  const sandbox = await createSandbox('process', { environment: { PATH: process.env.PATH } });
  afterAll(() => sandbox.close());
  const domain: Domain = await evolveDomain(config, {});
  const data: EvolveData = await readEvolveData(config, domain, (address) => openStore(address));
  const model: LanguageModel = await scriptedLanguageModel({
    script: config.models.scaffolder.script as string,
    timeoutMs: 10_000,
  });
  const basics = {
    task_prompt: config.task_prompt,
    answer_format: domain.answerFormat,
    executor: 'none' as const,
    timeout_sec: config.timeout_sec,
    python: null,
    expectedOutput: (example: DatasetExample) => domain.expectedOutput(example),
  };

  async function reply(messages: ChatMessage[], purpose: Purpose): Promise<string> {
    const call = { sample_id: '0', trial: 0, purpose, ordinal: 0 };
    return (await model.generate({ messages, parameters: {}, call })).text;
  }

  function filesOf(text: string): ScaffoldFiles {
    const parsed = parseScaffoldReply(text);
    if (!parsed.ok) throw new Error(parsed.message);
    return parsed.files;
  }

  const generated = async (example: DatasetExample) =>
    filesOf(await reply(generationMessages({ ...basics, examples: [example] }), 'generate'));

  async function evolved(files: ScaffoldFiles, example: DatasetExample): Promise<ScaffoldFiles> {
    const run = {
      files,
      example,
      execution_log: 'a log',
      printed: '',
      actual_output: 'wrong',
      score: 0,
      message: '',
    };
    return filesOf(await reply(evolutionMessages({ ...basics, run }), 'evolve'));
  }

  /** Mean score on the validation examples. */
  async function validated(files: ScaffoldFiles): Promise<number> {
    const input = JSON.stringify(data.valid.map((example) => example.input));
    const { status, stdout, stderr } = await sandbox.run(
      { files: { ...files, 'driver.py': DRIVER }, main: 'driver.py', input },
      { limits: { ...PATIENT, output_kb: 1000 } },
    );
    expect({ status, stderr }).toEqual({ status: 'ok', stderr: '' });
    const outputs = JSON.parse(stdout) as string[];
    const scores = await Promise.all(
      data.valid.map(
        async (example, index) => (await scoreOutput(domain, outputs[index] as string, example)).score,
      ),
    );
    return scores.reduce((sum, score) => sum + score, 0) / scores.length;
  }

  const example = (index: number) => data.train[index] as DatasetExample;

  test.skipIf(skip)('climbs from naive over greedy to a search that solves every puzzle', async () => {
    expect(data.valid).toHaveLength(100);
    const naive = await generated(example(0));
    const greedy = await evolved(naive, example(1));
    const search = await evolved(greedy, example(2));
    const scores = [await validated(naive), await validated(greedy), await validated(search)];
    expect(scores).toEqual([0.1, 0.42, 1]);
    expect(await validated(await evolved(search, example(3)))).toBe(1);
  });

  test('writes another program for every example that it is shown, at every step', async () => {
    const families = await Promise.all(
      [0, 1, 2].map(async (first) => {
        const naive = await generated(example(first));
        const greedy = await evolved(naive, example(first + 3));
        const search = await evolved(greedy, example(first + 6));
        return [naive, greedy, search, await evolved(search, example(first + 9))];
      }),
    );
    const all = families.flat();
    expect(new Set(all.map((files) => summarizeCode(files).fingerprint)).size).toBe(12);
    expect(all.map((files) => /STRATEGY = "(\w+)"/.exec(files[MAIN_FILE] ?? '')?.[1])).toEqual(
      families.flatMap(() => ['naive', 'greedy', 'search', 'search']),
    );
  });

  test('has no other program when it is asked again', async () => {
    const retry: ChatMessage[] = [
      { role: 'user', content: 'The program is the same as one that there is already.' },
    ];
    expect(parseScaffoldReply(await reply(retry, 'evolve'))).toMatchObject({
      ok: false,
      fault: 'no_code_block',
    });
  });
});
