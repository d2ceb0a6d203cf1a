import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openStore } from '../../src/storage/open.js';
import { HOSTILE } from '../reports/hostile.js';
import { parsePage, visibleText } from '../reports/support.js';
import { resultsFolder, writeExperiment } from '../support/compared-experiments.js';
import { call, row, taskRow } from '../support/rows.js';
import { pageAt, viewerOf } from './support.js';

const jsonl = (values: readonly object[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');

/** The status of a request with headers that `fetch` does not let one set. */
function statusOf(url: string, headers: Record<string, string>, method = 'GET', body = ''): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

async function twoRuns() {
  const folder = resultsFolder();
  const rows = (outcomes: Record<string, string>) =>
    Object.entries(outcomes).map(([id, outcome]) => taskRow(row(id, 0, outcome)));
  await writeExperiment(folder, 'one', {
    rows: rows({ a: 'yes', b: 'yes', c: 'timeout' }),
    files: { 'calls.jsonl': jsonl([call({ sample_id: 'a', text: 'forty-two' })]) },
  });
  await writeExperiment(folder, 'two', { rows: rows({ a: 'yes', b: 'no', c: 'yes' }) });
  return folder;
}

describe('the viewer', () => {
  test('leads from the list to an experiment, from there to a sample, and to what it said', async () => {
    const url = await viewerOf(await twoRuns());
    const list = await pageAt(url);
    expect(list.text).toContain('href="./experiment?id=one"');
    const experiment = await pageAt(url, 'experiment?id=one');
    expect(experiment.text).toContain('href="./unit?id=one&amp;unit=a&amp;trial=0"');
    const sample = await pageAt(url, 'unit?id=one&unit=a&trial=0');
    expect(visibleText(sample.text)).toContain('forty-two');
    expect([list.status, experiment.status, sample.status]).toEqual([200, 200, 200]);
  });

  test('filters and sorts the samples of an experiment', async () => {
    const url = await viewerOf(await twoRuns());
    const shown = async (query: string) => {
      const { text } = await pageAt(url, `experiment?id=one&${query}`);
      return [...text.matchAll(/unit=(\w)&amp;trial/g)].map(([, id]) => id);
    };
    expect(await shown('')).toEqual(['a', 'b', 'c']);
    expect(await shown('only=error')).toEqual(['c']);
    expect(await shown('only=correct%3D1&sort=-id')).toEqual(['b', 'a']);
    expect(await shown('find=b')).toEqual(['b']);
  });

  test('shows which samples another experiment has lost, with both answers', async () => {
    const url = await viewerOf(await twoRuns());
    const { text } = await pageAt(url, 'compare?id=one&id=two');
    const worse = text.slice(text.indexOf('id="against-B-worse"'), text.indexOf('id="against-B-better"'));
    expect(worse).toContain('href="./unit?id=two&amp;unit=b&amp;trial=0"');
    expect(worse).not.toContain('unit=a&amp;');
    expect(text).toContain('href="./compare?id=two&amp;id=one"');
    expect((await pageAt(url, 'compare?id=one')).status).toBe(422);
  });

  test('takes the older one of those that are marked in the list for the baseline', async () => {
    const folder = await twoRuns();
    const begun = async (id: string, started_at: string) => {
      const path = join(folder, id, 'metrics.json');
      await writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')), started_at }));
    };
    await begun('one', '2026-01-02T00:00:00.000Z');
    await begun('two', '2026-01-01T00:00:00.000Z');
    const url = await viewerOf(folder);
    const { text } = await pageAt(url, 'compare?order=started&id=one&id=two');
    expect(visibleText(text)).toContain('one against two');
    const list = (await pageAt(url)).text;
    expect(list.indexOf('id=one')).toBeLessThan(list.indexOf('id=two'));
  });

  test('says what is not there, and hands out no file but an experiment’s own', async () => {
    const url = await viewerOf(await twoRuns());
    for (const path of [
      'experiment?id=none',
      'experiment?id=..%2Fone',
      'unit?id=one&unit=z&trial=0',
      'file?id=one&path=..%2F..%2Fetc%2Fpasswd',
      'file?id=one&path=results.jsonl',
      'nothing',
    ])
      expect([path, (await pageAt(url, path)).status]).toEqual([path, 404]);
    expect((await pageAt(url, 'file?id=one&path=config.yaml')).status).toBe(200);
    const { text } = await pageAt(url, 'experiment?id=one');
    expect([...text.matchAll(/file\?id=one&amp;path=([\w.]+)/g)].map(([, path]) => path)).toEqual([
      'config.yaml',
    ]);
  });
});

describe('strangers', () => {
  test('without the secret, from another host, origin or site, or on another port learn nothing', async () => {
    const url = await viewerOf(await twoRuns(), { write: true });
    const { host, origin } = new URL(url);
    expect(await statusOf(url, {})).toBe(200);
    expect(await statusOf(url, { host: `localhost:${host.split(':')[1]}` })).toBe(200);
    for (const headers of [
      { host: 'evil.example' },
      { host: `evil.example:${host.split(':')[1]}` },
      { origin: 'http://evil.example' },
      { origin: 'http://127.0.0.1:1' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ] as Record<string, string>[])
      expect([headers, await statusOf(url, headers)]).toEqual([headers, 403]);
    for (const path of ['', 'x/', `${'x'.repeat(32)}/`, 'view.css'])
      expect(await statusOf(`${origin}/${path}`, {})).toBe(403);
  });

  test('cannot have anything written: not without --write, not without an origin, not with another type', async () => {
    const folder = await twoRuns();
    const form = 'id=one&what=tags&tags=mine';
    const headers = (url: string) => ({
      origin: new URL(url).origin,
      'content-type': 'application/x-www-form-urlencoded',
    });
    const reading = await viewerOf(folder);
    expect(await statusOf(`${reading}act`, headers(reading), 'POST', form)).toBe(403);
    const writing = await viewerOf(folder, { write: true });
    const { origin: _origin, ...without } = headers(writing);
    expect(await statusOf(`${writing}act`, without, 'POST', form)).toBe(403);
    const json = { ...headers(writing), 'content-type': 'application/json' };
    expect(await statusOf(`${writing}act`, json, 'POST', '{}')).toBe(415);
    expect(await openStore(folder).exists('one/view/notes.json')).toBe(false);
    expect(await statusOf(`${writing}act`, headers(writing), 'POST', form)).toBe(303);
    expect(JSON.parse((await openStore(folder).readText('one/view/notes.json')) ?? '').tags).toEqual([
      'mine',
    ]);
  });
});

test('a verdict by hand is kept with its sample, shown, and a score of its own in a comparison', async () => {
  const folder = await twoRuns();
  const url = await viewerOf(folder, { write: true });
  const headers = { origin: new URL(url).origin, 'content-type': 'application/x-www-form-urlencoded' };
  for (const [id, verdict] of [
    ['one', 'right'],
    ['two', 'wrong'],
  ])
    await statusOf(
      `${url}act`,
      headers,
      'POST',
      `what=note&id=${id}&unit=b&trial=0&verdict=${verdict}&text=seen`,
    );
  const experiment = visibleText((await pageAt(url, 'experiment?id=two')).text);
  expect(experiment).toContain('0.0 % (0 of 1 with a verdict)');
  expect(experiment).toContain('1 of 1');
  expect(visibleText((await pageAt(url, 'compare?id=one&id=two')).text)).toContain('by_hand');
});

test('a comparison says what its intervals are clustered by', async () => {
  const folder = resultsFolder();
  const of = (outcome: string) =>
    ['a', 'b', 'c'].map((id) => ({
      ...taskRow(row(id, 0, outcome)),
      metadata: { passage: id < 'c' ? 'x' : 'y' },
    }));
  const dataset = { items: [{ question: 'a', answer: 'b' }], meta_fields: ['passage'] };
  const config = { dataset, metrics: { cluster: 'passage' } };
  await writeExperiment(folder, 'one', { rows: of('no'), config });
  await writeExperiment(folder, 'two', { rows: of('yes'), config: { dataset } });
  const url = await viewerOf(folder);
  const said = 'Intervals and p-values are clustered by passage.';
  expect(visibleText((await pageAt(url, 'compare?id=two&id=one')).text)).toContain(said);
  const plain = await viewerOf(await twoRuns());
  expect(visibleText((await pageAt(plain, 'compare?id=one&id=two')).text)).not.toContain('clustered');
});

test('texts of models and datasets stay texts, wherever they stand', async () => {
  const folder = resultsFolder();
  const rows = HOSTILE.map((text, index) => ({
    ...taskRow(row(text, 0, index % 2 === 0 ? 'yes' : 'no')),
    question: text,
    action: text,
    extracted: text,
    metadata: { [text]: text, __proto__: text },
    feedback: { correct: false, target: text, message: text },
  }));
  const calls = HOSTILE.map((text) =>
    call({
      sample_id: text,
      text: `\`\`\`python\n${text}\n\`\`\`\n${text}`,
      reasoning: text,
      model: text,
      messages: [
        { role: 'system', content: text },
        { role: 'user', content: text },
      ],
      tool_calls: [{ id: text, name: text, arguments: JSON.stringify({ [text]: text }) }],
    }),
  );
  await writeExperiment(folder, 'hostile', {
    rows,
    metrics: { name: HOSTILE.join('') },
    files: { 'calls.jsonl': jsonl(calls) },
  });
  const url = await viewerOf(folder, { write: true });
  const paths = [
    '',
    'experiment?id=hostile',
    ...HOSTILE.map((text) => `unit?${new URLSearchParams({ id: 'hostile', unit: text, trial: '0' })}`),
    ...HOSTILE.map(
      (text) => `experiment?${new URLSearchParams({ id: 'hostile', find: text, sort: text, only: text })}`,
    ),
  ];
  for (const path of paths) {
    const { text, headers } = await pageAt(url, path);
    expect(headers.get('content-security-policy')).toContain("script-src 'self'");
    const { tags } = parsePage(text);
    expect(tags.filter(({ name }) => name === 'script').map(({ attributes }) => attributes.src)).toEqual([
      './view.js',
    ]);
    const attributes = tags.flatMap((tag) => Object.entries(tag.attributes));
    expect(attributes.filter(([name]) => /^(on.*|style|srcdoc|autofocus)$/.test(name))).toEqual([]);
    const addresses = attributes.filter(([name]) => name === 'href' || name === 'action');
    expect(addresses.filter(([, address]) => !/^(#|\.\/)/.test(address))).toEqual([]);
    expect(text.match(/[\0\r\u202a-\u202e\u2066-\u2069\u2028\ufeff\p{Cs}]/gu)).toBe(null);
  }
});

test('a question’s images are shown from the experiment’s folder, and nothing else is', async () => {
  const folder = resultsFolder();
  const key = `images/${'0'.repeat(64)}.png`;
  const message = {
    role: 'user' as const,
    content: 'What is it?',
    images: [{ key, media_type: 'image/png' }],
  };
  await writeExperiment(folder, 'seen', {
    rows: [taskRow(row('a', 0, 'yes'))],
    files: { 'calls.jsonl': jsonl([call({ sample_id: 'a', messages: [message] })]) },
  });
  await openStore(folder).write(`seen/${key}`, Buffer.from('iVBORw0KGgo=', 'base64'));
  const url = await viewerOf(folder);
  const { text, headers } = await pageAt(url, 'unit?id=seen&unit=a&trial=0');
  const shown = parsePage(text).tags.filter(({ name }) => name === 'img');
  expect(shown.map(({ attributes }) => attributes.alt)).toEqual(['Shown with the question, 1 of 1']);
  expect(headers.get('content-security-policy')).toContain("img-src 'self'");
  const address = (path: string) => `file?${new URLSearchParams({ id: 'seen', path })}`;
  expect(shown[0]?.attributes.src).toBe(`./${address(key)}`);
  const image = await pageAt(url, address(key));
  expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png']);
  for (const other of [`../seen/${key}`, 'images/../config.yaml', key.replace('png', 'svg'), 'images/'])
    expect((await pageAt(url, address(other))).status).toBe(404);
});

test('a browser that asks for an icon gets none, and no refusal', async () => {
  const { origin } = new URL(await viewerOf(resultsFolder()));
  expect((await pageAt(`${origin}/favicon.ico`)).status).toBe(204);
});

test('errors can be asked again where an experiment has come to its end', async () => {
  const folder = resultsFolder();
  for (const status of ['incomplete', 'stopped'])
    await writeExperiment(folder, status, { rows: [taskRow(row('a', 0, 'timeout'))], metrics: { status } });
  const url = await viewerOf(folder, { write: true });
  const offers = async (id: string) =>
    (await pageAt(url, `experiment?id=${id}`)).text.includes('Ask errors again');
  expect([await offers('incomplete'), await offers('stopped')]).toEqual([true, false]);
});
