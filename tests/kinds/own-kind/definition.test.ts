import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveConfig } from '../../../src/config/load.js';
import type { Task } from '../../../src/contracts/environment.js';
import { ownKindConfigs } from '../../../src/kinds/own-kind/config.js';
import type { Reply } from '../../../src/kinds/own-kind/define.js';
import { type KindCode, kindCode } from '../../../src/kinds/own-kind/definition.js';
import { localCode } from '../../../src/user-code/code-runner.js';

const TASK: Task = { index: 0, id: '7', question: 'What is 3 + 4?', target: '7', metadata: {} };

const reply = (text: string): Reply => ({ text, finish_reason: 'stop' });

let folder: string;
let files = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kind-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Makes a kind of the members of a definition. */
async function kindOf(members: string, more: Record<string, unknown> = {}): Promise<KindCode> {
  const file = join(folder, `kind-${files++}.ts`);
  const text = `import { defineExperimentKind, z } from 'reprise/kind';\nexport default defineExperimentKind({ ${members} } as never);\n`;
  await writeFile(file, members.startsWith('export') ? members : text);
  const config = resolveConfig(
    ownKindConfigs,
    {
      name: 'x',
      kind: file,
      models: { writer: 'simulated/toy' },
      dataset: { items: [{ question: 'q', answer: 'a' }] },
      ...more,
    },
    { source: 'the test', folder },
  );
  return kindCode(localCode(), config);
}

const NAMED = "name: 'mine', models: ['writer'],";
const working = (work: string) =>
  kindOf(`${NAMED} async work({ sample, ask, grade, random, settings }) { ${work} }`);

describe('a kind', () => {
  it.each([
    ['export const kind = 1;', /kind: the default export of .* is no kind of experiment; make it with/],
    ['export default 7;', /is no kind of experiment/],
    ["models: ['writer'], work: async () => ({})", /has no name/],
    ["name: 'mine', models: [], work: async () => ({})", /names no models/],
    [`${NAMED}`, /has no function work/],
    [`${NAMED} work: async () => ({}), figures: 3`, /figures that are no function/],
    [`${NAMED} work: async () => ({}), settings: { n: 3 }`, /settings that are no schema/],
    [
      "name: 'mine', models: ['writer', 'judge'], work: async () => ({})",
      /models\.judge: is missing; mine asks writer and judge/,
    ],
    [
      "name: 'mine', models: ['judge'], work: async () => ({})",
      /models\.(judge: is missing|writer: mine asks judge only)/,
    ],
    ['export default {', /kind: .* cannot be loaded/],
  ])('of %j is refused', async (members, message) => {
    await expect((await kindOf(members)).checked()).rejects.toThrow(message);
  });

  it('says its name, and reads its settings', async () => {
    const members = `${NAMED} settings: z.strictObject({ n: z.int().default(3) }), work: async ({ settings }) => ({ n: settings.n })`;
    expect(await (await kindOf(members)).checked()).toBe('mine');
    expect((await (await kindOf(members)).work(TASK, [])).row).toEqual({ n: 3 });
    const wrong = await kindOf(members, { settings: { n: 'many', m: 1 } });
    await expect(wrong.checked()).rejects.toThrow(
      /settings\.n: must be .*not "many"\nsettings\.m: unknown field 'm'.*allowed: n/s,
    );
    const none = await kindOf(`${NAMED} work: async () => ({})`, { settings: { n: 1 } });
    await expect(none.checked()).rejects.toThrow(/settings\.n: mine has no settings/);
  });
});

describe('the work of a kind', () => {
  it('is run with the replies that there are, until it ends', async () => {
    const kind = await working(`
      const [one, two] = await Promise.all([ask('writer', 'a'), ask('writer', { messages: [{ role: 'user', content: 'b' }] })]);
      const three = await ask('writer', one.text + two.text);
      return { answer: three.text, scores: { right: true, length: 5 } };`);
    const asked = async (...replies: string[]) => {
      const { questions, row } = await kind.work(TASK, replies.map(reply));
      return [questions.map(({ question }) => question.messages[0]?.content), row];
    };
    expect(await asked()).toEqual([['a', 'b'], null]);
    expect(await asked('1')).toEqual([['a', 'b'], null]);
    expect(await asked('1', '2')).toEqual([['a', 'b', '12'], null]);
    expect(await asked('1', '2', 'end')).toEqual([
      ['a', 'b', '12'],
      { answer: 'end', scores: { right: true, length: 5 } },
    ]);
  });

  it('draws the same each time, and another in another sample', async () => {
    const kind = await working('return { drawn: [random(), random()] };');
    const first = (await kind.work(TASK, [])).row;
    expect((await kind.work(TASK, [])).row).toEqual(first);
    expect((await kind.work({ ...TASK, id: '8' }, [])).row).not.toEqual(first);
  });

  it('grades as a run does', async () => {
    const members = `${NAMED} work: async ({ grade }) => ({ of: [await grade('\\\\boxed{7}'), await grade('8')].map((one) => one.correct) })`;
    const kind = await kindOf(members, {
      dataset: { task_type: 'numeric', items: [{ question: 'q', answer: '7' }] },
    });
    expect((await kind.work(TASK, [])).row).toEqual({ of: [true, false] });
  });

  it.each([
    ['return 7;', /work answers with 7, and not with a row/],
    [
      "return { answer: { by: new Map([['a', 1]]) } };",
      /it holds a Map: answer what is in it as an object or a list, in 'by'/,
    ],
    ['return { answer: 1, scores: new Map([["right", true]]) };', /it holds a Map.*, in 'scores'/],
    ['return [1];', /work answers with \[1\]/],
    ['return;', /work answers with undefined/],
    ['return { scores: { x: NaN } };', /the score x is NaN/],
    ["return { scores: { x: '1' } };", /the score x is "1"/],
    ['return { scores: 3 };', /not with a row/],
    ["await ask('judge', 'x');", /asks "judge", which is none of its models \(writer\)/],
    ["await ask('writer', 7);", /ask takes a text, or/],
    ["await ask('writer', { messages: [] });", /ask takes a text, or/],
    ["throw new Error('no more');", /no more \(kind-\d+\.ts:2\)/],
    ["throw 'words';", /words/],
  ])('of %j is an error of the sample', async (work, message) => {
    const failing = (await working(work)).work(TASK, []);
    await expect(failing).rejects.toMatchObject({
      name: 'KindError',
      message: expect.stringMatching(message),
    });
  });

  it('cannot change what another one is given', async () => {
    const kind = await working(
      "const { text } = await ask('writer', 'x'); sample.metadata.seen = true; return { text, seen: sample.metadata.seen };",
    );
    const given = reply('once');
    await kind.work(TASK, [given]);
    expect(TASK.metadata).toEqual({});
  });
});

describe('the figures of a kind', () => {
  it('are those of all rows, or none', async () => {
    const kind = await kindOf(`${NAMED} work: async () => ({}), figures: (rows) => ({ rows: rows.length })`);
    expect(await kind.figures([{}, {}])).toEqual({ rows: 2 });
    expect(await (await kindOf(`${NAMED} work: async () => ({})`)).figures([])).toEqual({});
  });

  it('are finite', async () => {
    const kind = await kindOf(
      `${NAMED} work: async () => ({}), figures: (rows) => ({ mean: 0 / rows.length })`,
    );
    await expect(kind.figures([])).rejects.toThrow(/figures: mean is NaN, no number/);
  });
});
