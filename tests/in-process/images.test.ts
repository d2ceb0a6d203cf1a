import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { experimentInProcess } from '../../src/in-process/experiment.js';
import { type RunConfig, resolveConfig, runInProcess } from '../../src/in-process/index.js';
import { startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { config, FakeModel } from './support.js';

/** A dot: the smallest picture that is one. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const GIF = 'R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==';
const KEY = /^images\/[0-9a-f]{64}\.png$/;

const row = (id: string, image: unknown) => ({ id, question: 'What is shown?', answer: 'a dot', image });

/** A run over rows with images. */
function shown(
  items: object[],
  dataset: Record<string, unknown> = {},
  more: Record<string, object> = {},
): RunConfig {
  return config({
    dataset: { items, task_type: 'exact', image_field: 'image', ...dataset },
    runtime: { memory_scope: 'sample' },
    ...more,
  } as never);
}

async function folderWithDot(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'reprise-images-'));
  await writeFile(join(folder, 'dot.png'), Buffer.from(PNG, 'base64'));
  return folder;
}

/** A server of images, which fails at first. */
async function imageServer(): Promise<{ url: string; asked: () => number }> {
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    if (request.url !== '/dot.gif') response.writeHead(404).end();
    else if (asked === 1) response.writeHead(503).end();
    else response.end(Buffer.from(GIF, 'base64'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: () => asked };
}

test('images of every place come with the question, once each in the store, and are references in the calls', async () => {
  const image_dir = await folderWithDot();
  const { url } = await imageServer();
  const items = [
    row('file', 'dot.png'),
    row('data', `data:image/png;base64,${PNG}`),
    row('bytes', { bytes: PNG, path: 'x.png' }),
    row('web', [`${url}/dot.gif`, 'dot.png']),
    row('none', null),
  ];
  const model = new FakeModel(() => 'a dot');
  const { metrics, calls, trajectories } = await runInProcess(shown(items, { image_dir }), {
    languageModel: model,
    trajectories: true,
  });
  expect(metrics).toMatchObject({ samples: 5, correct: 5 });
  const imagesOf = Object.fromEntries(
    calls.map(({ sample_id, messages }) => [sample_id, messages.at(-1)?.images]),
  );
  const dot = { key: expect.stringMatching(KEY), media_type: 'image/png' };
  expect(imagesOf).toEqual({
    file: [dot],
    data: [dot],
    bytes: [dot],
    web: [{ key: expect.stringMatching(/\.gif$/), media_type: 'image/gif' }, dot],
    none: undefined,
  });
  expect(new Set([imagesOf.file, imagesOf.data, imagesOf.bytes].map((one) => one?.[0]?.key)).size).toBe(1);
  expect(JSON.stringify(calls)).not.toContain(PNG);
  const asked = model.asked.find(({ call }) => call.sample_id === 'file');
  expect(Object.values(asked?.images ?? {})).toEqual([PNG]);
  expect(JSON.stringify(trajectories)).toMatch(/\{"type":"image","image":"images\/[0-9a-f]{64}\.png"\}/);
});

test.each([
  [
    'openai',
    'openai',
    (body: { messages: { content: unknown }[] }) => body.messages.at(-1)?.content,
    [
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
      { type: 'text', text: expect.stringContaining('What is shown?') },
    ],
  ],
  [
    'anthropic',
    'anthropic',
    (body: { messages: { content: unknown }[] }) => body.messages.at(-1)?.content,
    [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
      { type: 'text', text: expect.stringContaining('What is shown?') },
    ],
  ],
  [
    'gemini',
    'gemini',
    (body: { contents: { parts: unknown }[] }) => body.contents.at(-1)?.parts,
    [
      { inlineData: { mimeType: 'image/png', data: PNG } },
      { text: expect.stringContaining('What is shown?') },
    ],
  ],
] as const)('%s gets them in its own way', async (kind, name, partsOf, parts) => {
  const provider = await startFakeProvider(kind, { reply: () => 'a dot' });
  onTestFinished(() => provider.close());
  const image_dir = await folderWithDot();
  const lm = { model: `${name}/sees`, base_url: provider.baseUrl };
  const { metrics } = await runInProcess(shown([row('file', 'dot.png')], { image_dir }, { lm }), {
    environment: { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k', GEMINI_API_KEY: 'k' },
  });
  expect(metrics).toMatchObject({ samples: 1, errors: 0 });
  expect(partsOf(provider.requests.at(-1)?.body)).toEqual(parts);
});

test.each([
  ['no-such.png', /sample s \(dataset\.image_field\): the image no-such\.png cannot be read/],
  [
    `data:image/png;base64,${Buffer.from('<svg/>').toString('base64')}`,
    /its image is no PNG, JPEG, GIF or WebP/,
  ],
])('%s is refused before anything is asked', async (image, message) => {
  const model = new FakeModel(() => 'a dot');
  await expect(runInProcess(shown([row('s', image)]), { languageModel: model })).rejects.toThrow(message);
  expect(model.asked).toEqual([]);
});

test('an address that refuses is told at once', async () => {
  const { url, asked } = await imageServer();
  const run = runInProcess(shown([row('s', `${url}/none.png`)]), { languageModel: new FakeModel(() => '') });
  await expect(run).rejects.toThrow(`the image ${url}/none.png cannot be read: the server answers 404`);
  expect(asked()).toBe(1);
});

test('a later run over the same tasks has their images', async () => {
  const results_dir = await mkdtemp(join(tmpdir(), 'reprise-images-'));
  const image_dir = await folderWithDot();
  const first = shown([row('file', 'dot.png')], { image_dir }, { output: { results_dir } });
  const { store } = await experimentInProcess('run', first, { languageModel: new FakeModel(() => 'a dot') });
  const folder = await mkdtemp(join(tmpdir(), 'reprise-images-'));
  for await (const { key } of store.list('')) {
    await mkdir(join(folder, key, '..'), { recursive: true });
    await writeFile(join(folder, key), (await store.read(key)) ?? '');
  }
  const again = resolveConfig(
    {
      name: 'again',
      dataset: { run: folder },
      runtime: { memory_scope: 'sample' },
      lm: { model: 'openai/fake', base_url: 'http://127.0.0.1:9/v1' },
    },
    { source: 'the test', folder: tmpdir(), fallbackName: 'again' },
  );
  const model = new FakeModel(() => 'a dot');
  const { metrics } = await runInProcess(again, { languageModel: model });
  expect(metrics).toMatchObject({ samples: 1, correct: 1 });
  expect(Object.values(model.asked[0]?.images ?? {})).toEqual([PNG]);
  expect(await readFile(join(folder, Object.keys(model.asked[0]?.images ?? {})[0] as string))).toEqual(
    Buffer.from(PNG, 'base64'),
  );
});

test('examples in the prompt cannot stand beside images', () => {
  expect(() => shown([row('s', null)], { few_shot: { count: 1 } })).toThrow(
    'dataset.few_shot: examples are texts',
  );
});
