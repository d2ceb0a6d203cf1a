import { mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CallIdentity } from '../../src/contracts/language-model.js';
import { replayLanguageModel } from '../../src/language-models/replay.js';
import { failure, request } from './support.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reprise-replay-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function replay(...rows: (object | string)[]) {
  const recording = join(folder, 'calls.jsonl');
  await writeFile(
    recording,
    rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))).join('\n'),
  );
  return replayLanguageModel({ recording, timeoutMs: 30_000 });
}

function ask(call: Partial<CallIdentity>) {
  return request('?', { call });
}

describe('the replay model', () => {
  it('answers with the row of the same sample, trial, purpose and ordinal', async () => {
    const row = { sample_id: 'a', trial: 1, purpose: 'reflect' as const, ordinal: 2 };
    const model = await replay(
      { ...row, sample_id: 'b', text: 'another sample' },
      { ...row, trial: 0, text: 'another trial' },
      { ...row, purpose: 'act', text: 'another purpose' },
      { ...row, ordinal: 0, text: 'another ordinal' },
      {
        ...row,
        model: 'gpt-4o',
        text: 'this one — ünïcode',
        usage: { input_tokens: 5, output_tokens: 6 },
        finish_reason: 'length',
        cost_usd: 0.25,
        tool_calls: [{ id: 'x', name: 'f', arguments: '{}' }],
      },
    );
    expect(await model.generate(ask(row))).toEqual({
      text: 'this one — ünïcode',
      tool_calls: [{ id: 'x', name: 'f', arguments: '{}' }],
      usage: { input_tokens: 5, output_tokens: 6 },
      finish_reason: 'length',
      model: 'gpt-4o',
      cost_usd: 0,
    });
  });

  it('answers a request with options as it does one without, whatever they are', async () => {
    const row = { sample_id: 'a', trial: 0, purpose: 'act' as const, ordinal: 0 };
    const parameters = {
      top_k: 5,
      seed: 1,
      stop: ['x'],
      response_format: { type: 'object' },
      extra_headers: { 'X-A': 'b' },
    };
    const model = await replay({ ...row, text: '{}', parameters, finish_reason: 'stop' });
    const asked = { ...ask(row), parameters };
    expect(await model.generate(asked)).toMatchObject({ text: '{}', finish_reason: 'stop' });
    expect(await model.generate(ask(row))).toMatchObject({ text: '{}' });
  });

  it('takes the usual values for what a recording leaves out', async () => {
    const model = await replay(
      { sample_id: 7, text: 'hello' },
      { sample_id: '8', text: 'hi', usage: 'much', finish_reason: 'eos' },
    );
    expect(await model.generate(ask({ sample_id: '7' }))).toEqual({
      text: 'hello',
      finish_reason: 'unknown',
      cost_usd: 0,
    });
    expect(await model.generate(ask({ sample_id: '8' }))).toEqual({
      text: 'hi',
      finish_reason: 'unknown',
      cost_usd: 0,
    });
  });

  it('answers with the last of several rows of one call', async () => {
    const model = await replay(
      { sample_id: 'a', text: 'first attempt' },
      { sample_id: 'a', text: 'second attempt' },
    );
    expect((await model.generate(ask({ sample_id: 'a' }))).text).toBe('second attempt');
  });

  it('names the call and the file where there is no row, without a retry', async () => {
    const model = await replay({ sample_id: 'a', text: 'x' });
    const error = await failure(
      model.generate(ask({ sample_id: 'b', trial: 2, purpose: 'judge', ordinal: 3 })),
    );
    expect(error).toMatchObject({
      kind: 'no_such_row',
      retryable: false,
      fatalForRun: false,
      provider: 'replay',
    });
    expect(error.message).toBe(
      `recording ${join(folder, 'calls.jsonl')} has no row for sample b, trial 2, purpose 'judge', ordinal 3`,
    );
  });

  it.each([
    ['broken JSON', '{"sample_id": "a", "text": ', 'line 2: is no JSON'],
    ['a row that is no object', '[1, 2]', 'line 2: is no JSON object'],
    ['no sample_id', '{"text": "x"}', 'line 2: sample_id: '],
    ['a negative trial', '{"sample_id": "a", "trial": -1, "text": "x"}', 'line 2: trial: '],
    ['an ordinal that is no number', '{"sample_id": "a", "ordinal": "0", "text": "x"}', 'line 2: ordinal: '],
    ['neither text nor tool calls', '{"sample_id": "a"}', 'line 2: has neither text nor tool_calls'],
    ['a text that is no text', '{"sample_id": "a", "text": 5}', 'line 2: text: '],
  ])('names file and line of a row with %s', async (_name, line, expected) => {
    const model = await replay({ sample_id: 'good', text: 'x' }, line, { sample_id: 'last', text: 'x' });
    const error = await failure(model.generate(ask({ sample_id: 'good' })));
    expect(error).toMatchObject({ kind: 'configuration', retryable: false, fatalForRun: true });
    expect(error.message).toContain(join(folder, 'calls.jsonl'));
    expect(error.message).toContain(expected);
  });

  it('reads byte order marks, Windows line ends, blank lines and a missing last newline', async () => {
    const recording = join(folder, 'odd.jsonl');
    await writeFile(recording, '\uFEFF{"sample_id":"a","text":"1"}\r\n\r\n  \n{"sample_id":"b","text":"2"}');
    const model = replayLanguageModel({ recording, timeoutMs: 5000 });
    expect((await model.generate(ask({ sample_id: 'a' }))).text).toBe('1');
    expect((await model.generate(ask({ sample_id: 'b' }))).text).toBe('2');
  });

  it('finds rows across the borders of what it reads at a time', async () => {
    const texts = Array.from({ length: 40 }, (_, index) => `${index}${'ä'.repeat(50_000 + index * 1_777)}`);
    const model = await replay(...texts.map((text, index) => ({ sample_id: index, text })));
    for (const [index, text] of texts.entries()) {
      expect((await model.generate(ask({ sample_id: String(index) }))).text === text).toBe(true);
    }
  });

  it('indexes the recording once, however many calls begin with it', async () => {
    const rows = Array.from({ length: 500 }, (_, index) => ({ sample_id: index, text: String(index) }));
    const model = await replay(...rows);
    const replies = await Promise.all(
      rows.map((row) => model.generate(ask({ sample_id: String(row.sample_id) }))),
    );
    expect(replies.map(({ text }) => text)).toEqual(rows.map(({ text }) => text));
  });

  it('continues with the same bytes when the file is replaced', async () => {
    const model = await replay({ sample_id: 'a', text: 'old' }, { sample_id: 'b', text: 'old' });
    await model.generate(ask({ sample_id: 'a' }));
    const replacement = join(folder, 'new.jsonl');
    await writeFile(replacement, '{}\n');
    await rename(replacement, join(folder, 'calls.jsonl'));
    expect((await model.generate(ask({ sample_id: 'b' }))).text).toBe('old');
  });

  it('opens file:// addresses', async () => {
    await replay({ sample_id: 'a', text: 'x' });
    const recording = pathToFileURL(join(folder, 'calls.jsonl')).href;
    const model = replayLanguageModel({ recording, timeoutMs: 5000 });
    expect((await model.generate(ask({ sample_id: 'a' }))).text).toBe('x');
  });

  it('reads a recording from a store, tries again when the store fails, and leaves no file behind', async () => {
    const before = (await readdir(tmpdir())).filter((name) => name.startsWith('reprise-recording-')).length;
    let opened = 0;
    const model = replayLanguageModel({
      recording: 's3://bucket/run/calls.jsonl',
      timeoutMs: 5000,
      openRecording: async (uri) => {
        expect(uri).toBe('s3://bucket/run/calls.jsonl');
        if (++opened === 1) throw Object.assign(new Error('out of reach'), { code: 'ECONNREFUSED' });
        return (async function* () {
          yield Buffer.from('{"sample_id":"a","te');
          yield Buffer.from('xt":"from afar"}\n');
        })();
      },
    });
    expect(await failure(model.generate(ask({ sample_id: 'a' })))).toMatchObject({ retryable: true });
    expect((await model.generate(ask({ sample_id: 'a' }))).text).toBe('from afar');
    expect((await model.generate(ask({ sample_id: 'a' }))).text).toBe('from afar');
    expect(opened).toBe(2);
    const after = (await readdir(tmpdir())).filter((name) => name.startsWith('reprise-recording-')).length;
    expect(after).toBe(before);
  });

  it.each([
    ['a missing file', '/no/such/calls.jsonl', undefined, 'does not exist'],
    ['a folder', tmpdir(), undefined, 'cannot be read (EISDIR)'],
    ['an address nobody can open', 's3://bucket/calls.jsonl', undefined, 'is no local file'],
    ['an object that is not there', 's3://bucket/calls.jsonl', async () => null, 'does not exist'],
  ])('names %s', async (_name, recording, openRecording, expected) => {
    const model = replayLanguageModel({ recording, timeoutMs: 5000, openRecording });
    const error = await failure(model.generate(ask({ sample_id: 'a' })));
    expect(error).toMatchObject({ kind: 'configuration', fatalForRun: true });
    expect(error.message).toContain(`recording ${recording}`);
    expect(error.message).toContain(expected);
  });
});
