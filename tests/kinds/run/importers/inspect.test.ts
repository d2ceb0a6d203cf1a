import { readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CallRecord } from '../../../../src/contracts/language-model.js';
import { importInspect } from '../../../../src/kinds/run/importers/import-inspect.js';
import {
  type InspectLog,
  jsonLog,
  openEvalLog,
  parsePythonJson,
} from '../../../../src/kinds/run/importers/inspect-log.js';
import type { DatasetRow, ImportedRow } from '../../../../src/kinds/run/importers/inspect-rows.js';
import { readRewardRow } from '../../../../src/statistics/reward-rows.js';
import { MemoryStore } from '../../../support/memory-store.js';

/*
 * Logs that inspect_ai 0.3.285 has written with mockllm: four samples in two epochs, with a tool, a sample that breaks,
 * four scorers, and one that has no verdict in the second epoch; the same killed after two samples; and a multiple
 * choice, as JSON. `deflate.eval` is the killed one, packed by Python's zipfile.
 */
const fixture = (name: string) => `tests/kinds/run/importers/fixtures/${name}`;

async function imported(log: InspectLog, score?: string) {
  const store = new MemoryStore();
  const { files, notes } = await importInspect(log, store, score);
  const lines = async <Row>(name: string): Promise<Row[]> => {
    const text = (await store.readText(name)) ?? '';
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Row);
  };
  return {
    files,
    notes,
    rows: await lines<ImportedRow>('results.jsonl'),
    calls: await lines<CallRecord>('calls.jsonl'),
    dataset: await lines<DatasetRow>('dataset.jsonl'),
  };
}

async function evalLog(name: string, score?: string) {
  const log = await openEvalLog(fixture(name));
  onTestFinished(() => log.close());
  return imported(log, score);
}

/** Mean over samples of the mean over their epochs, of those that were judged: what Inspect's reducer gives. */
function meanOf(rows: readonly ImportedRow[]): number {
  const rewards = new Map<string, number[]>();
  for (const { id, reward } of rows)
    if (reward !== null) rewards.set(id, [...(rewards.get(id) ?? []), reward]);
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return mean([...rewards.values()].map(mean));
}

describe('a log in several epochs', () => {
  test('gives the means that Inspect computes', async () => {
    // `results.scores` of the log.
    const expected = {
      includes: 2 / 3,
      'style.short': 0.5,
      'style.polite': 0.5,
      sometimes_unscored: 1,
      model_graded_qa: 1,
    };
    for (const [score, mean] of Object.entries(expected)) {
      const { rows } = await evalLog('geography.eval', score);
      expect(meanOf(rows), score).toBeCloseTo(mean, 12);
    }
  });

  test('has a row for each sample and epoch, in the order of the dataset, that reprise stats reads', async () => {
    const { rows, files, notes } = await evalLog('geography.eval');
    expect(rows.map(({ id, trial, reward }) => [id, trial, reward])).toEqual([
      ['fr', 0, 1],
      ['fr', 1, 0],
      ['jp', 0, 1],
      ['jp', 1, 1],
      ['3', 0, 1],
      ['3', 1, 0],
      ['broken', 0, null],
      ['broken', 1, null],
    ]);
    expect(rows.map((row) => readRewardRow(row).task_id)).toHaveLength(8);
    expect(files['results.jsonl']).toBe('8 rows, 2 errors');
    expect(notes).toEqual([
      'The reward is the score includes; --score takes another: style.short, style.polite, sometimes_unscored, model_graded_qa.',
    ]);
  });

  test('keeps what was asked, answered and scored', async () => {
    const [row] = (await evalLog('geography.eval')).rows;
    expect(row).toMatchObject({
      question: 'What is the capital of France?',
      target: 'Paris',
      metadata: { continent: 'Europe', hops: 1 },
      action: 'Paris.',
      extracted: 'paris.',
      feedback: { correct: true, target: 'Paris', message: 'Paris.' },
      scores: {
        includes: 1,
        'style.short': 1,
        'style.polite': 0.5,
        sometimes_unscored: 1,
        model_graded_qa: 1,
      },
      error: null,
      finish_reason: 'stop',
      lm_calls: 1,
      cost_usd: null,
      started_at: expect.stringMatching(/^2026-11-28T12:49:\d\d\.\d{3}Z$/),
    });
  });

  test('an error and a missing verdict are errors, and no scores', async () => {
    const { rows } = await evalLog('geography.eval', 'sometimes_unscored');
    expect(rows.find(({ id }) => id === 'broken')).toMatchObject({
      reward: null,
      feedback: null,
      action: null,
      error: { type: 'RuntimeError', message: "RuntimeError('the map is torn')" },
    });
    expect(rows.find(({ id, trial }) => id === 'fr' && trial === 1)).toMatchObject({
      reward: null,
      scores: { sometimes_unscored: null, includes: 0 },
      error: { type: 'Unscored', message: 'sometimes_unscored has no value: no verdict' },
    });
  });

  test('has the calls of models with their messages, and those of scorers as judges', async () => {
    const { calls, rows } = await evalLog('geography.eval');
    const ofLima = calls.filter(({ sample_id, trial }) => sample_id === '3' && trial === 0);
    expect(ofLima.map(({ purpose, ordinal, model }) => [purpose, ordinal, model])).toEqual([
      ['act', 0, 'mockllm/model'],
      ['act', 1, 'mockllm/model'],
      ['judge', 0, 'mockllm/grader'],
    ]);
    const [first, second, judge] = ofLima;
    expect(first).toMatchObject({
      finish_reason: 'tool_calls',
      tool_calls: [{ name: 'population', arguments: '{"city":"Lima"}' }],
      tools: [{ name: 'population', parameters: { type: 'object', required: ['city'] } }],
    });
    expect(second?.messages.map(({ role, content }) => [role, content])).toEqual([
      ['system', 'Be brief.'],
      ['system', 'You know geography.'],
      ['user', 'How many people live in Lima?'],
      ['assistant', 'tool call for tool population'],
      ['tool', '11000000'],
    ]);
    expect(second?.messages.at(-1)?.tool_call_id).toBe(first?.tool_calls?.[0]?.id);
    // It is long, so the log holds its text among the attachments.
    expect(judge?.messages[0]?.content).toContain('[Criterion]: 11000000');
    const row = rows.find(({ id, trial }) => id === '3' && trial === 0);
    const [one, two] = [first?.usage, second?.usage];
    expect(row?.usage.input_tokens).toBe((one?.input_tokens ?? 0) + (two?.input_tokens ?? 0));
    expect(new Set(calls.map(({ key }) => key)).size).toBe(calls.length);
  });

  test('has each sample once in the dataset', async () => {
    expect((await evalLog('geography.eval')).dataset).toEqual([
      {
        id: 'fr',
        question: 'What is the capital of France?',
        answer: 'Paris',
        metadata: { continent: 'Europe', hops: 1 },
      },
      { id: 'jp', question: '日本の首都は?', answer: ['Tokyo', '東京'] },
      {
        id: '3',
        question: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'How many people live in Lima?' },
        ],
        answer: '11000000',
      },
      { id: 'broken', question: 'Where is Atlantis?', answer: 'nowhere' },
    ]);
  });
});

describe('a log that was cut off', () => {
  test.each(['cut-off.eval', 'deflate.eval'])('%s gives the samples that were done', async (name) => {
    const { rows, notes } = await evalLog(name);
    expect(rows.map(({ id, trial, reward }) => [id, trial, reward])).toEqual([
      ['fr', 0, 1],
      ['jp', 0, 1],
    ]);
    expect(notes[0]).toBe("The log has the status 'started': samples may be missing.");
  });
});

describe('a log as JSON', () => {
  const colours = () =>
    parsePythonJson(readFileSync(fixture('colours.json'), 'utf8')) as Record<string, unknown>;

  test('gives rows and choices', async () => {
    const { rows, dataset, files, notes } = await imported(jsonLog(colours(), 'colours.json'));
    expect(rows.map(({ reward, extracted, choices }) => [reward, extracted, choices])).toEqual([
      [1, 'A', ['red', 'seven', 'dog']],
      [0, 'C', ['red', 'seven', 'dog']],
    ]);
    expect(dataset[1]).toEqual({
      id: '2',
      question: 'Which is a number?',
      answer: 'B',
      choices: ['red', 'seven', 'dog'],
    });
    expect(files['header.json']).toBe('of the task colours with mockllm/model');
    expect(notes).toEqual([
      'Its samples have choices: a run of dataset.jsonl needs dataset.choices_field: choices.',
    ]);
  });

  test('without samples gives empty files', async () => {
    const { samples: _none, ...header } = colours();
    const { rows, notes } = await imported(jsonLog(header, 'colours.json'));
    expect(rows).toEqual([]);
    expect(notes).toEqual([
      'The log has no scores, so no row has a reward.',
      "The log's own results are of 2 samples, and it holds 0.",
    ]);
  });

  test.each<[unknown, number | null]>([
    ['C', 1],
    ['P', 0.5],
    ['I', 0],
    ['N', 0],
    ['yes', 1],
    ['False', 0],
    ['0.25', 0.25],
    [true, 1],
    [3, 3],
    ['rather good', null],
    ['', null],
    [null, null],
    ['constructor', null],
    ['toString', null],
  ])('the value %j is the reward %j', async (value, reward) => {
    const log = colours();
    const [sample] = log.samples as Record<string, unknown>[];
    const scored = { ...sample, scores: { choice: { value } } };
    const { rows } = await imported(jsonLog({ ...log, samples: [scored] }, 'colours.json'));
    expect(rows[0]).toMatchObject({ reward, error: reward === null ? { type: 'Unscored' } : null });
  });

  const scoredBy = (values: unknown[], more: object[] = []) => {
    const log = colours();
    const [sample] = log.samples as Record<string, unknown>[];
    const samples = values.map((value, index) => ({
      ...sample,
      ...{ id: `s${index}`, scores: { grade: { value, explanation: 'so' } } },
      ...more[index],
    }));
    return imported(jsonLog({ ...log, samples }, 'colours.json'));
  };

  test.each<[string, unknown[], (boolean | undefined)[], string[]]>([
    [
      '1 to 5',
      [1, 2, 3, 4],
      [undefined, undefined, undefined, undefined],
      ['The score grade goes up to 4, and nothing says what is correct'],
    ],
    ['0 to 100', ['40', '100'], [undefined, undefined], ['The score grade goes up to 100, ']],
    ['0 to 1 in 32 bits', [1.0000001192, 1, 0.5], [true, true, false], []],
    ['0 to 1', [0, 0.5, 1], [false, false, true], []],
    ['letters', ['C', 'P', 'I'], [true, false, false], []],
    ['booleans', [true, false], [true, false], []],
    ['0 to 0.9', [0, 0.9], [false, false], []],
  ])('scores of %s are correct where they mean a share', async (_scale, values, correct, wanted) => {
    const { rows, notes } = await scoredBy(values);
    expect(rows.map(({ feedback }) => feedback?.correct)).toEqual(correct);
    const said = notes.filter((note) => note.startsWith('The score'));
    expect(said).toEqual(wanted.map((note) => expect.stringContaining(note)));
  });

  test('a score of a sample with an error is said, and is none here', async () => {
    const error = { message: "RuntimeError('x')", traceback: '', traceback_ansi: '' };
    const { rows, notes } = await scoredBy(['C', 'I'], [{}, { error }]);
    expect(rows.map(({ reward, scores }) => [reward, scores.grade])).toEqual([
      [1, 1],
      [null, 0],
    ]);
    expect(notes[0]).toBe(
      "1 row with an error and a score: an error here, and in the log's own metrics by its score.",
    );
  });

  test('ids beyond 2^53 are told apart by every digit', async () => {
    const text = readFileSync(fixture('colours.json'), 'utf8');
    const [first, second] = ['12345678901234567890', '12345678901234567891'];
    const log = JSON.parse(text) as { samples: Record<string, unknown>[] };
    log.samples = log.samples.map((sample, index) => ({ ...sample, id: `id ${index}`, total_time: 1.1 }));
    const written = JSON.stringify(log).replaceAll('"id 0"', first).replaceAll('"id 1"', second);
    const { rows, dataset } = await imported(
      jsonLog(parsePythonJson(written) as Record<string, unknown>, 'colours.json'),
    );
    expect(rows.map(({ id, seconds }) => [id, seconds])).toEqual([
      [first, 1.1],
      [second, 1.1],
    ]);
    expect(dataset.map(({ id }) => id)).toEqual([first, second]);
  });

  test('long numbers that are no ids stay numbers', () => {
    const text =
      '{"id": 12345678901234567890, "tweet_id":-12345678901234567890, "sample_ids": [1, 12345678901234567890], "maximum": 9223372036854775807, "user_id": 1234567890123456, "said": "\\"id\\": 12345678901234567890"}';
    expect(parsePythonJson(text)).toEqual({
      id: '12345678901234567890',
      tweet_id: '-12345678901234567890',
      sample_ids: [1, '12345678901234567890'],
      maximum: 2 ** 63,
      user_id: 1234567890123456,
      said: '"id": 12345678901234567890',
    });
  });

  test('a score that the first sample lacks is found', async () => {
    const log = colours();
    const [first, second] = log.samples as Record<string, unknown>[];
    const scores = { choice: { value: 'C' }, late: { value: 0.5 } };
    const samples = [
      { ...first, scores: { choice: { value: 'I' } } },
      { ...second, scores },
    ];
    const { rows } = await imported(jsonLog({ ...log, samples }, 'colours.json'), 'late');
    expect(rows.map(({ reward, error }) => [reward, error?.type])).toEqual([
      [null, 'Unscored'],
      [0.5, undefined],
    ]);
    await expect(imported(jsonLog({ ...log, samples }, 'colours.json'), 'never')).rejects.toThrow(
      '--score never: the log has no such score; it has choice, late',
    );
  });

  test('with steps in the place of spans tells the calls of scorers apart', async () => {
    const log = colours();
    const [first] = log.samples as { events: Record<string, unknown>[] }[];
    const { span_id: _none, ...call } = first?.events.find(({ event }) => event === 'model') ?? {};
    const step = (action: string, type: string) => ({ event: 'step', action, type, name: 'x' });
    const events = [
      ...[step('begin', 'solver'), call, step('end', 'solver')],
      ...[step('begin', 'scorer'), step('begin', 'judge'), call, step('end', 'judge'), call],
      ...[step('end', 'scorer'), call],
    ];
    const { rows, calls } = await imported(
      jsonLog({ ...log, samples: [{ ...first, events }] }, 'colours.json'),
    );
    expect(calls.map(({ purpose }) => purpose)).toEqual(['act', 'judge', 'judge', 'act']);
    expect(rows[0]?.lm_calls).toBe(2);
  });

  /** Imports a log of one sample with one call, changed. */
  const changed = (sample: object, call: object, header: object = {}) => {
    const log = colours();
    const [first] = log.samples as { events: Record<string, unknown>[] }[];
    const events = first?.events.map((event) => (event.event === 'model' ? { ...event, ...call } : event));
    const samples = [{ ...first, events, ...sample }];
    return imported(jsonLog({ ...log, samples, ...header }, 'colours.json'));
  };

  test.each<[string, object, object]>([
    [
      'cached input and reasoning as they are counted now',
      {
        ...{ input_tokens: 40, output_tokens: 60, total_tokens: 110 },
        ...{ input_tokens_cache_read: 7, input_tokens_cache_write: 3, reasoning_tokens: 50 },
      },
      { input_tokens: 50, output_tokens: 60, reasoning_tokens: 50 },
    ],
    [
      'reasoning beside the output',
      { input_tokens: 47, output_tokens: 1, total_tokens: 100, reasoning_tokens: 52 },
      { input_tokens: 47, output_tokens: 53, reasoning_tokens: 52 },
    ],
    [
      'cached input within the input',
      { input_tokens: 1224, output_tokens: 180, total_tokens: 1404, input_tokens_cache_read: 1152 },
      { input_tokens: 1224, output_tokens: 180 },
    ],
    [
      'both',
      {
        ...{ input_tokens: 100, output_tokens: 5, total_tokens: 125 },
        ...{ input_tokens_cache_read: 60, reasoning_tokens: 20 },
      },
      { input_tokens: 100, output_tokens: 25, reasoning_tokens: 20 },
    ],
    [
      'a total that fits nothing',
      { input_tokens: 10, output_tokens: 5, total_tokens: 0, input_tokens_cache_read: 2 },
      { input_tokens: 12, output_tokens: 5 },
    ],
  ])('tokens with %s', async (_how, usage, expected) => {
    const log = colours();
    const [first] = log.samples as { events: { event: string; output: object }[] }[];
    const output = first?.events.find(({ event }) => event === 'model')?.output;
    const { calls, rows } = await changed({}, { output: { ...output, usage } });
    expect(calls.map((call) => call.usage)).toEqual([expected]);
    expect(rows[0]?.usage).toMatchObject(expected);
    const withoutCalls = await changed({ events: [], model_usage: { 'mockllm/model': usage } }, {});
    expect(withoutCalls.rows[0]?.usage).toEqual(expected);
  });

  test('texts among the attachments are put back in tools, arguments and joined reasoning', async () => {
    const [first, second] = ['0'.repeat(31).concat('a'), 'b'.repeat(32)];
    const told = (name: string) => `attachment://${name}`;
    const attachments = { [first]: 'A "long"\ntext. ', [second]: 'Another.' };
    const called = { id: 'c', function: 'send', arguments: { to: 'x', body: [told(first)] } };
    const message = {
      ...{
        role: 'assistant',
        content: [first, second].map((name) => ({ type: 'reasoning', reasoning: told(name) })),
      },
      tool_calls: [called],
    };
    const { calls } = await changed(
      { attachments },
      {
        ...{ input: [message], input_refs: null },
        tools: [{ name: 'send', description: told(second), parameters: { description: told(first) } }],
        output: { model: 'm', choices: [{ message, stop_reason: 'tool_calls' }] },
      },
    );
    const [call] = calls;
    const sent = {
      id: 'c',
      name: 'send',
      arguments: JSON.stringify({ to: 'x', body: ['A "long"\ntext. '] }),
    };
    expect(call).toMatchObject({
      tool_calls: [sent],
      messages: [{ tool_calls: [sent] }],
      tools: [{ description: 'Another.', parameters: { description: 'A "long"\ntext. ' } }],
      reasoning: 'A "long"\ntext. Another.',
    });
  });

  test('a call that the cache answered was not paid', async () => {
    const { calls } = await changed({}, { cache: 'read' });
    expect(calls[0]).toMatchObject({ cached: true, cost_usd: 0, attempts: 0 });
  });

  test('a sample without a time began with its first event', async () => {
    const events = [{ event: 'sample_init', timestamp: '2025-03-17T13:23:12+01:00' }];
    const { rows } = await changed({ started_at: undefined, events }, {});
    expect(rows[0]?.started_at).toBe('2025-03-17T12:23:12.000Z');
  });

  test('a sample without output has no action', async () => {
    const { rows } = await changed({ output: undefined }, {});
    expect(rows[0]).toMatchObject({ action: null, steps: 0, finish_reason: null });
  });

  test('samples that the results count and the log does not hold are said', async () => {
    const { notes } = await changed({}, {}, { results: { total_samples: 3 } });
    expect(notes[0]).toBe("The log's own results are of 3 samples, and it holds 1.");
  });

  test('a field that is not as Inspect writes it is named', () => {
    const log = colours();
    const [sample] = log.samples as Record<string, unknown>[];
    expect(() => jsonLog({ ...log, samples: [{ ...sample, epoch: 'one' }] }, 'colours.json')).toThrow(
      /^sample 1 of colours\.json is not as Inspect AI writes it: epoch: /,
    );
  });
});

test('a score that the log has not is refused with those that it has', async () => {
  await expect(evalLog('geography.eval', 'style')).rejects.toThrow(
    '--score style: the log has no such score; it has includes, style.short',
  );
});
