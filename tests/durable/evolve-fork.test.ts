import { cp, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ScaffoldRunRecord } from '../../src/kinds/evolve/activities/scaffold-runs.js';
import { parseScript, type ScriptRule } from '../../src/language-models/script-file.js';
import { answerFromRules } from '../../src/language-models/scripted.js';
import { evolveMetricsOf, experimentOf, finished, lineageOf, madeAt, treeOf } from '../support/evolutions.js';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { findPython, mustSkipPython } from '../support/python.js';
import { readRecords, Workplace } from '../support/workplace.js';

const CONFIG = 'configs/evolve_game24.yaml';
const SCRIPT = 'configs/data/game24-scaffolds-script.yaml';
const SETTINGS = [
  'sandbox=process',
  'data.generate.valid=12',
  'data.generate.test=0',
  'evolution.num_validation_examples=4',
];
/** Of 3 at first and 2 in each of 3 iterations. */
const CALLS = 9;

const skip = mustSkipPython(await findPython());

describe.skipIf(skip)('a fork of an evolution', () => {
  let place: Workplace;
  let provider: FakeProvider;
  let rules: ScriptRule[];

  /** As the shipped script says; each model signs its programs. */
  function answer(prompt: string, model: string): string {
    const purpose = prompt.includes('## The scaffold so far') ? 'evolve' : 'generate';
    const call = { sample_id: '', trial: 0, purpose, ordinal: 0 } as const;
    const messages = [{ role: 'user' as const, content: prompt }];
    const { text } = answerFromRules(rules, SCRIPT, { call, messages, parameters: {} });
    return text.replace(/\n```\s*$/, `\n# ${model}\n\`\`\``);
  }

  beforeAll(async () => {
    place = await Workplace.make();
    await cp('configs', place.path('configs'), { recursive: true });
    rules = parseScript(await readFile(SCRIPT, 'utf8'), SCRIPT);
    provider = await startFakeProvider('openai', {
      reply: ({ lastUserText, model }) => answer(lastUserText, model),
    });
  });
  afterAll(async () => {
    await provider?.close();
    await place?.dispose();
  });

  const callsOf = (model: string) => provider.requests.filter((request) => request.model === model).length;

  it('begins with what its experiment had, and pays only for what is new', async () => {
    const settings = [...SETTINGS, `models.scaffolder.base_url=${provider.baseUrl}`];
    const first = ['evolve', CONFIG, '--experiment-name', 'origin', '--scaffolder-model', 'openai/first'];
    await finished(place.start([...first, ...settings.flatMap((one) => ['--set', one])]));
    const origin = await experimentOf(place, 'origin');
    expect(callsOf('first')).toBe(CALLS);
    const [before, madeBefore] = [await treeOf(origin), await madeAt(origin)];

    const fork = ['evolve', '--fork', basename(origin), '--at-iteration', '1', '--experiment-name', 'forked'];
    await finished(place.start([...fork, '--set', 'scaffolder_model=openai/second']));
    const folder = await experimentOf(place, 'forked');
    expect({ first: callsOf('first'), second: callsOf('second') }).toEqual({ first: CALLS, second: 4 });
    expect(provider.statistics).toMatchObject({ calls: CALLS + 4, repeated: 0 });
    expect(await evolveMetricsOf(folder)).toMatchObject({
      status: 'done',
      scaffolder_model: 'openai/second',
      iterations: 4,
      lm_calls: CALLS,
      best: { score: 1 },
    });

    // It shares the iterations up to the one it was made at, and writes none of its origin's files.
    const tree = await treeOf(folder);
    const shared = Object.entries(before).filter(([name]) => /^(iterations|state)\/[01][/.]/.test(name));
    expect(shared.length).toBeGreaterThan(20);
    expect(tree).toMatchObject(Object.fromEntries(shared));
    expect([await treeOf(origin), await madeAt(origin)]).toEqual([before, madeBefore]);

    // Only the programs that are new were run; what its origin knew of the others by then, and since, was taken over.
    const { nodes } = await lineageOf(folder);
    const isNew = new Map(nodes.map(({ id, iteration }) => [id, iteration >= 2]));
    const runs = await readRecords<ScaffoldRunRecord>(join(folder, 'runs'));
    const anew = [...runs].filter(([name, { at }]) => madeBefore[`runs/${name}`] !== at);
    expect(anew.length).toBeGreaterThan(0);
    expect(anew.length).toBeLessThan(runs.size);
    const newOnes = [...runs.values()].filter(({ scaffold }) => isNew.get(scaffold));
    expect(anew.map(([, run]) => run)).toEqual(newOnes);
  }, 180_000);
});
