import { expect, onTestFinished, test } from 'vitest';
import { runInProcess } from '../../src/in-process/index.js';
import { startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { config, temporaryFile } from './support.js';

const OPTIONS = {
  top_p: 0.9,
  top_k: 40,
  stop: ['\n\n'],
  seed: 7,
  reasoning_effort: 'low',
  response_format: { type: 'object', properties: { answer: { type: 'string' } } },
  extra_body: { min_p: 0.05 },
  extra_headers: { 'X-Title': 'sums' },
};

/** In place of the model that a config of these tests names. */
const REPLAYED = { provider: 'replay', model: undefined, base_url: undefined };

/** A server behind which a model adds, and the section of a config that names it. */
async function server() {
  const provider = await startFakeProvider('openai');
  onTestFinished(() => provider.close());
  return { provider, lm: { model: 'openai/local', base_url: provider.baseUrl } };
}

test('a run says with which options it asked, and a replay with the same finds every call again', async () => {
  const { provider, lm } = await server();
  const first = await runInProcess(config({ lm: { ...lm, ...OPTIONS } }));
  expect(first.metrics).toMatchObject({ status: 'done', correct: 3, errors: 0 });
  for (const { parameters } of first.calls) {
    expect(parameters).toEqual({ temperature: 0.2, max_output_tokens: 2048, ...OPTIONS });
  }
  for (const { body, headers } of provider.requests) {
    expect(body).toMatchObject({ top_p: 0.9, top_k: 40, stop: ['\n\n'], seed: 7, min_p: 0.05 });
    expect(headers['x-title']).toBe('sums');
  }

  const recording = await temporaryFile(
    'calls.jsonl',
    first.calls.map((row) => JSON.stringify(row)).join('\n'),
  );
  const again = await runInProcess(config({ lm: { ...REPLAYED, recording, ...OPTIONS } }));
  const told = ({ rows }: typeof first) => rows.map(({ id, feedback }) => ({ id, feedback }));
  expect(told(again)).toEqual(told(first));
  expect(again.calls.map(({ text }) => text)).toEqual(first.calls.map(({ text }) => text));
  expect(provider.statistics.calls).toBe(3);
});

test('a run goes on without an option of sampling that its server refuses, and says so', async () => {
  const { provider, lm } = await server();
  const message = "Unsupported parameter: 'top_k' is not supported with this model.";
  provider.intercept = ({ body }) => ('top_k' in body ? { kind: 'status', status: 400, message } : undefined);
  const said: string[] = [];
  const { metrics, calls } = await runInProcess(config({ lm: { ...lm, ...OPTIONS } }), {
    notify: (sentence) => said.push(sentence),
  });
  const sentence = `lm.top_k 40 is left out: the server says: ${message}`;
  expect(metrics).toMatchObject({ status: 'done', correct: 3, adaptations: { [sentence]: 3 } });
  expect(said).toEqual([expect.stringContaining(sentence)]);
  expect(calls.map(({ adapted }) => adapted)).toEqual([[sentence], [sentence], [sentence]]);
  expect(calls[0]?.parameters).toHaveProperty('top_k', 40);
});

test('a refused format is an error and no wrong answer', async () => {
  const { provider, lm } = await server();
  const message =
    "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.";
  provider.intercept = () => ({ kind: 'status', status: 400, message });
  const { metrics, rows } = await runInProcess(config({ lm: { ...lm, ...OPTIONS } }, 1));
  expect(metrics).toMatchObject({ correct: 0, errors: 1, errors_by_type: { bad_request: 1 } });
  expect(rows[0]?.error?.message).toContain(message);
});
