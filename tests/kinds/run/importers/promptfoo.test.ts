import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { loadConfig, runInProcess } from '../../../../src/in-process/index.js';
import { importPromptfoo } from '../../../../src/kinds/run/importers/import-promptfoo.js';
import { shortAssertion } from '../../../../src/kinds/run/importers/promptfoo-assertions.js';
import { promptTemplate, rendered } from '../../../../src/kinds/run/importers/promptfoo-templates.js';
import { openStore } from '../../../../src/storage/open.js';

const FIXTURE = resolve('tests/kinds/run/importers/fixtures/promptfoo/promptfooconfig.yaml');

function temporaryFolder(files: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-promptfoo-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

async function importedFile(path: string) {
  const folder = temporaryFolder();
  const { files, notes } = await importPromptfoo(parse(readFileSync(path, 'utf8')), path, openStore(folder));
  expect(readdirSync(folder).sort()).toEqual(Object.keys(files).sort());
  const rows = (name: string) => {
    const lines =
      files[name] === undefined ? [] : readFileSync(join(folder, name), 'utf8').trim().split('\n');
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  const config = (name: string) => parse(readFileSync(join(folder, name), 'utf8')) as Record<string, object>;
  return { folder, files: Object.keys(files), notes, rows, config };
}

/** Imports a config with files beside it. */
const imported = (config: object, files: Record<string, string> = {}) =>
  importedFile(
    join(temporaryFolder({ ...files, 'promptfooconfig.yaml': stringify(config) }), 'promptfooconfig.yaml'),
  );

const ECHO = "- match: '([\\s\\S]*)'\n  reply: $1\n";

describe('a config with every assertion that is carried over', () => {
  /**
   * Whether each test passes (+) or not (-), and its score, as promptfoo 0.121.20 says with its echo provider. `?`: the
   * test has further assertions, which are not carried over (javascript, similar, levenshtein).
   */
  test.each([
    ['prompt-1', '+1 +1 +0.8 +1 +0.833333 +1 +1 +1 ? +1 -0.5'],
    ['prompt-2', '-0.4 -0.6 -0.6 -0.75 +0.666667 ? -0.666667 -0.5 ? -0.5 -0.5'],
    ['prompt-3', '-0.8 +1 +0.8 -0.5 +0.833333 ? +1 -0.5 ? +1 -0.5'],
  ])('%s is judged as promptfoo judges it', { timeout: 120_000 }, async (name, verdicts) => {
    const { folder } = await importedFile(FIXTURE);
    writeFileSync(join(folder, 'echo.yaml'), ECHO);
    const overrides = ['lm={provider: scripted, script: echo.yaml}'];
    const { rows } = await runInProcess(loadConfig(join(folder, `${name}.yaml`), { overrides }));
    const expected = verdicts.split(' ');
    const judged = rows.map(
      ({ feedback, reward }) => `${feedback?.correct ? '+' : '-'}${Number(reward?.toFixed(6))}`,
    );
    expect(judged.map((one, index) => (expected[index] === '?' ? '?' : one))).toEqual(expected);
  });

  test('says in a line each what is not carried over', async () => {
    const { notes, files } = await importedFile(FIXTURE);
    expect(notes).toEqual([
      'An assertion of type javascript is not carried over: see the scorer code in docs/scorers.md.',
      'An assertion of type similar is not carried over: see the scorer similarity in docs/scorers.md.',
      'An assertion of type levenshtein is not carried over.',
      'The provider echo is not carried over: Reprise reaches it, if at all, by lm.base_url.',
      'The provider openai:chat:gpt-4.1-mini is carried over without config.response_format.',
      'The model of a run judges by rubrics itself, unless --model-role judge=… names another one.',
      '2 tests judged by fewer assertions than in promptfoo.',
    ]);
    expect(files.filter((name) => name.endsWith('.yaml'))).toEqual(
      [1, 2, 3, 4].flatMap((number) => [`prompt-${number}.yaml`, `prompt-${number}-rubric.yaml`]),
    );
  });

  test('asks the model with the prompt alone, and a conversation as one', async () => {
    const { folder, config } = await importedFile(FIXTURE);
    expect(config('prompt-1.yaml')).toMatchObject({
      dataset: { prompt_template: '{vars.body}' },
      lm: { model: 'openai/gpt-4.1-mini', temperature: 0, max_output_tokens: 100 },
      runtime: { memory_scope: 'sample', concurrency: 2 },
    });
    writeFileSync(join(folder, 'echo.yaml'), ECHO);
    const overrides = ['lm={provider: scripted, script: echo.yaml}', 'runtime.max_envs_to_visit=1'];
    const asked = async (name: string) => {
      const { calls } = await runInProcess(loadConfig(join(folder, name), { overrides }));
      return calls[0]?.messages;
    };
    expect(await asked('prompt-1.yaml')).toEqual([{ role: 'user', content: 'Bonjour le monde' }]);
    expect(await asked('prompt-4.yaml')).toEqual([
      { role: 'system', content: 'You speak French.' },
      { role: 'user', content: 'Bonjour le monde' },
    ]);
  });
});

const TEST = { vars: { body: 'x' }, assert: [{ type: 'contains', value: 'x' }] };

describe('providers', () => {
  test.each<[unknown, object]>([
    ['openai:gpt-4.1', { model: 'openai/gpt-4.1' }],
    ['openai:responses:gpt-5', { model: 'openai/gpt-5' }],
    ['openai:chat:ft:gpt-4o:mine', { model: 'openai/ft:gpt-4o:mine' }],
    ['anthropic:messages:claude-sonnet-4-5', { model: 'anthropic/claude-sonnet-4-5' }],
    ['google:gemini-2.5-pro', { model: 'gemini/gemini-2.5-pro' }],
    ['ollama:chat:llama3.2:3b', { model: 'ollama/llama3.2:3b' }],
    ['openrouter:meta-llama/llama-3.1-8b-instruct', { model: 'openrouter/meta-llama/llama-3.1-8b-instruct' }],
    ['azure:chat:our-deployment', { model: 'azure/our-deployment' }],
    ['vertex:gemini-2.5-pro', { model: 'vertex/gemini-2.5-pro' }],
    ['bedrock:us.anthropic.claude-sonnet-4-5-v1:0', { model: 'bedrock/us.anthropic.claude-sonnet-4-5-v1:0' }],
    ['bedrock:converse:us.amazon.nova-pro-v1:0', { model: 'bedrock/us.amazon.nova-pro-v1:0' }],
    [
      { id: 'openai:gpt-4.1', config: { apiBaseUrl: 'http://127.0.0.1:8000/v1', apiKey: 'no' } },
      { model: 'openai/gpt-4.1', base_url: 'http://127.0.0.1:8000/v1' },
    ],
    [
      { 'openai:gpt-4.1': { config: { max_completion_tokens: 5 } } },
      { model: 'openai/gpt-4.1', max_output_tokens: 5 },
    ],
    [
      {
        id: 'openai:gpt-4.1',
        config: { top_p: 0.9, seed: 7, stop: ['END'], frequency_penalty: 0.1, presence_penalty: 0.2 },
      },
      {
        ...{ model: 'openai/gpt-4.1', top_p: 0.9, seed: 7, stop: ['END'] },
        ...{ frequency_penalty: 0.1, presence_penalty: 0.2 },
      },
    ],
    [
      { id: 'openai:gpt-5', config: { reasoning_effort: 'low' } },
      { model: 'openai/gpt-5', reasoning_effort: 'low' },
    ],
    ...[
      { type: 'json_schema', json_schema: { name: 'n', strict: true, schema: { type: 'object' } } },
      { type: 'json_schema', name: 'n', schema: { type: 'object' } },
    ].map((response_format): [object, object] => [
      { id: 'openai:gpt-4.1', config: { response_format } },
      { model: 'openai/gpt-4.1', response_format: { type: 'object' } },
    ]),
    ['bedrock:completion:openai.gpt-oss-20b-1:0', { model: 'bedrock/openai.gpt-oss-20b-1:0' }],
    ['xai:responses:grok-4', { model: 'xai/grok-4' }],
    ['azure:responses:our-deployment', { model: 'azure/our-deployment' }],
    [
      { id: 'google:gemini-2.5-pro', config: { generationConfig: { temperature: 0, maxOutputTokens: 9 } } },
      { model: 'gemini/gemini-2.5-pro', temperature: 0, max_output_tokens: 9 },
    ],
    [
      {
        id: 'bedrock:us.amazon.nova-pro-v1:0',
        config: { inferenceConfig: { max_new_tokens: 9, temperature: 0 } },
      },
      { model: 'bedrock/us.amazon.nova-pro-v1:0', max_output_tokens: 9, temperature: 0 },
    ],
    [
      { id: 'bedrock:converse:us.amazon.nova-pro-v1:0', config: { maxTokens: 9 } },
      { model: 'bedrock/us.amazon.nova-pro-v1:0', max_output_tokens: 9 },
    ],
    [
      { id: 'bedrock:us.meta.llama3-3-70b-instruct-v1:0', config: { max_gen_len: 9 } },
      { model: 'bedrock/us.meta.llama3-3-70b-instruct-v1:0', max_output_tokens: 9 },
    ],
    [
      { id: 'ollama:chat:llama3.3', config: { num_predict: 9 } },
      { model: 'ollama/llama3.3', max_output_tokens: 9 },
    ],
    [
      { id: 'openai:responses:gpt-5', config: { reasoning: { effort: 'high' } } },
      { model: 'openai/gpt-5', reasoning_effort: 'high' },
    ],
    [
      { id: 'google:gemini-2.5-pro', config: { topP: 0.9, topK: 20, stopSequences: ['END'] } },
      { model: 'gemini/gemini-2.5-pro', top_p: 0.9, top_k: 20, stop: ['END'] },
    ],
  ])('%j', async (provider, lm) => {
    const { config, notes } = await imported({ prompts: ['{{body}}'], providers: [provider], tests: [TEST] });
    expect(config('experiment.yaml').lm).toEqual(lm);
    expect(notes).toEqual([]);
  });

  test('repetitions are independent epochs', async () => {
    const { folder, config } = await imported({
      ...{ prompts: '{{body}}', providers: 'openai:gpt-4.1', tests: [TEST] },
      evaluateOptions: { repeat: 3 },
    });
    expect(config('experiment.yaml').runtime).toEqual({ memory_scope: 'sample', epochs: 3 });
    const overrides = ['lm=simulated/toy'];
    const { metrics } = await runInProcess(loadConfig(join(folder, 'experiment.yaml'), { overrides }));
    expect(metrics).toMatchObject({ epochs: 3, samples: 3 });
  });

  test.each([
    'exec:./mine.sh',
    'file://mine.py',
    'openai:embedding:text-embedding-3-small',
    'openai:codex-sdk',
    'openai:chatkit:wf_1',
    'anthropic:claude-agent-sdk',
    'azure:assistant:our_assistant',
    'azure:foundry-agent:ours',
    'bedrock:agentcore:ours',
    'bedrock:video:amazon.nova-reel-v1:1',
    'xai:voice:grok-3',
    'cohere:command-r',
  ])('%s has no counterpart, which is said, and the config names the simulated model', async (provider) => {
    const { config, notes } = await imported({ prompts: '{{body}}', providers: provider, tests: [TEST] });
    expect(config('experiment.yaml').lm).toEqual({ model: 'simulated/toy' });
    expect(notes[0]).toContain(`The provider ${provider} is not carried over`);
    expect(notes[1]).toContain('name yours as lm.model');
  });

  test('each of several is a config, by a name that a file may have', async () => {
    const { files } = await imported({
      prompts: ['a {{body}}', 'b {{body}}'],
      providers: ['openai:gpt-4.1', { id: 'openai:o4-mini', label: 'the small / one' }],
      tests: [TEST],
    });
    expect(files.filter((name) => name.endsWith('.yaml'))).toEqual([
      'prompt-1-model-1-openai-gpt-4.1.yaml',
      'prompt-1-model-2-the-small-one.yaml',
      'prompt-2-model-1-openai-gpt-4.1.yaml',
      'prompt-2-model-2-the-small-one.yaml',
    ]);
  });
});

describe('tests', () => {
  const base = { prompts: ['{{body}}'], providers: ['openai:gpt-4.1'] };

  test('come from files of every kind', async () => {
    const { rows, notes } = await imported(
      {
        ...base,
        tests: [
          'file://cases/*.yaml',
          'more.json',
          'lines.jsonl',
          'table.csv',
          'make.py',
          'huggingface://datasets/a/b',
        ],
      },
      {
        'cases/a.yaml': stringify([{ ...TEST, description: 'a' }]),
        'cases/b.yaml': stringify({ ...TEST, description: 'b' }),
        'more.json': JSON.stringify([{ ...TEST, description: 'c' }]),
        'lines.jsonl': `${JSON.stringify({ ...TEST, description: 'd' })}\n`,
        'table.csv': 'body,__expected,__description\n007,contains:7,e\n',
        'make.py': '',
      },
    );
    const all = rows('dataset.jsonl');
    expect(all.map(({ description }) => description)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(all[4]).toMatchObject({ vars: { body: '007' }, assert: [{ type: 'contains', value: '7' }] });
    expect(notes).toEqual([
      'The tests in make.py are not carried over: they are code or a spreadsheet.',
      'The tests at huggingface://datasets/a/b are not carried over: they are not in a file.',
    ]);
  });

  test.each([
    ['contains-any', 'Paris, London', ['Paris', 'London']],
    ['not-icontains-all', '{{ shades }}', ['red', 'dark green']],
    ['contains-all', 'a,\n"b, c",\n', ['a', 'b, c']],
    ['contains-any', ['a, b', 'c'], ['a, b', 'c']],
    ['contains', 'a, b', 'a, b'],
    ['contains-any', '{{years}}', ['10', '20']],
    ['contains-all', ' {{ of.words }}\n', ['a, b', 'c']],
    ['contains-any', '{{ years | join(", ") }}, 30', ['10', '20', '30']],
    ['contains', '{{years}} and more', '[10, 20] and more'],
  ])('of the type %s have for %j the value %j', async (type, value, expected) => {
    const vars = { body: 'x', shades: 'red, dark green', years: [10, 20], of: { words: ['a, b', 'c'] } };
    const one = { vars, assert: [{ type, value }] };
    const { rows } = await imported({ ...base, tests: [one] });
    expect(rows('dataset.jsonl')[0]?.assert).toEqual([{ type, value: expected }]);
  });

  test.each([
    ['"a, b', 'a quote in its list is not closed'],
    [' , ', 'it has no value'],
    ['{{none}}', 'it has no value'],
  ])('keep no list of the text %j', async (value, why) => {
    const assert = [...TEST.assert, { type: 'contains-any', value }];
    const one = { vars: { ...TEST.vars, none: [] }, assert };
    const { rows, notes } = await imported({ ...base, tests: [one] });
    expect(rows('dataset.jsonl')[0]?.assert).toEqual(TEST.assert);
    expect(notes[0]).toBe(`An assertion of type contains-any is not carried over, because ${why}.`);
  });

  test('without an assertion that is carried over are no samples: nothing could be wrong', async () => {
    const rubric = { vars: { body: 'y' }, assert: [{ type: 'python', value: 'True' }] };
    const { rows, notes } = await imported({ ...base, tests: [TEST, rubric, { vars: { body: 'z' } }] });
    expect(rows('dataset.jsonl').map(({ id }) => id)).toEqual(['test-1']);
    expect(rows('unjudged.jsonl').map(({ id }) => id)).toEqual(['test-2', 'test-3']);
    expect(notes.at(-1)).toBe('2 tests without an assertion that is carried over: see unjudged.jsonl.');
  });

  test('of none that can be judged there is no config', async () => {
    const { files } = await imported({ ...base, tests: [{ vars: { body: 'z' } }] });
    expect(files).toEqual(['unjudged.jsonl']);
  });

  test.each<[string, unknown, unknown[], object?]>([
    ['of texts', ['French', 'German'], ['French', 'German']],
    ['of texts and numbers', ['one', 2], ['one', 2]],
    ['of texts that is one value', ['a', 'b'], [['a', 'b']], { disableVarExpansion: true }],
    ['of numbers', [1, 2, 3], [[1, 2, 3]]],
    ['of lists', [['a'], ['b']], [[['a'], ['b']]]],
    ['of messages', [{ role: 'user', content: 'a' }], [[{ role: 'user', content: 'a' }]]],
    ['with nothing', [], [[]]],
  ])('with a list %s are one for each text, and else one', async (_what, value, expected, options = {}) => {
    const one = { ...TEST, vars: { body: 'x', value }, options };
    const { rows } = await imported({ ...base, prompts: ['{{body}} {{value}}'], tests: [one] });
    expect(rows('dataset.jsonl').map(({ vars }) => (vars as { value: unknown }).value)).toEqual(expected);
  });

  test('of a table have no assertion or threshold in cells of spaces, but text around a prompt', async () => {
    const table = 'body,__expected1,__expected2,__threshold,__prefix\nx,contains: x, , ,  \n';
    const { rows } = await imported({ ...base, tests: 'table.csv' }, { 'table.csv': table });
    expect(rows('dataset.jsonl')).toEqual([
      { id: 'test-1', prompt_1: '  x', vars: { body: 'x' }, assert: [{ type: 'contains', value: 'x' }] },
    ]);
  });

  test('with an empty prefix or suffix have that of all tests', async () => {
    const table = 'body,__expected,__prefix\nx,y,\nx,y,Then: \n';
    const usual = { defaultTest: { options: { prefix: 'Now: ', suffix: '!' } } };
    const { rows } = await imported({ ...base, ...usual, tests: 'table.csv' }, { 'table.csv': table });
    expect(rows('dataset.jsonl').map(({ prompt_1 }) => prompt_1)).toEqual(['Now: x!', 'Then: x!']);
    const one = { ...TEST, options: { prefix: '', suffix: ' ' } };
    const listed = await imported({ ...base, ...usual, tests: [one] });
    expect(listed.rows('dataset.jsonl')[0]).toMatchObject({ prompt_1: 'Now: x ' });
  });

  test('of a table are equal to a text that looks like a type, and to what is in a file', async () => {
    const table =
      'body,__expected\nx,http://example.com\nx,time: 12:30\nx,file://gold.txt\nx,latency(1000)\n';
    const { rows, notes } = await imported(
      { ...base, tests: 'table.csv' },
      { 'table.csv': table, 'gold.txt': 'gold\n' },
    );
    expect(rows('dataset.jsonl').map((row) => row.assert)).toEqual(
      ['http://example.com', 'time: 12:30', 'gold'].map((value) => [{ type: 'equals', value }]),
    );
    expect(notes[0]).toBe('An assertion of type latency is not carried over.');
  });

  test('of a table that cannot be read name it', async () => {
    const table = 'body,__expected\nx,"y\n';
    await expect(imported({ ...base, tests: 'table.csv' }, { 'table.csv': table })).rejects.toThrow(
      /^cannot read .*table\.csv \(tests\): .*Quote/,
    );
  });

  test('get the variables that a prompt names and they lack, as empty texts', async () => {
    const { folder, rows } = await imported({ ...base, prompts: ['{{body}} {{ more }}'], tests: [TEST] });
    expect(rows('dataset.jsonl')[0]).toMatchObject({ vars: { body: 'x', more: '' } });
    writeFileSync(join(folder, 'echo.yaml'), ECHO);
    const overrides = ['lm={provider: scripted, script: echo.yaml}'];
    const { metrics } = await runInProcess(loadConfig(join(folder, 'experiment.yaml'), { overrides }));
    expect(metrics).toMatchObject({ status: 'done', correct: 1, errors: 0 });
  });

  test('have their own text around a prompt, and content of files in variables', async () => {
    const { rows, config } = await imported(
      {
        ...base,
        tests: [{ ...TEST, vars: { body: 'file://body.txt' }, options: { prefix: 'Now: ', suffix: '!' } }],
      },
      { 'body.txt': 'x & y' },
    );
    expect(rows('dataset.jsonl')[0]).toMatchObject({ prompt_1: 'Now: x & y!', vars: { body: 'x & y' } });
    expect(config('experiment.yaml').dataset).toMatchObject({ input_field: 'prompt_1' });
  });

  test('count the assertions of a set as one, by its weight', async () => {
    const says = (value: string, more = {}) => ({ type: 'contains', value, ...more });
    const set = { type: 'assert-set', assert: [says('x'), says('no', { weight: 3 })] };
    const { folder } = await imported({
      ...base,
      tests: [
        { vars: { body: 'x' }, assert: [says('x'), set], threshold: 0.6 },
        { vars: { body: 'x' }, assert: [says('x'), { ...set, weight: 3 }], threshold: 0.6 },
        { vars: { body: 'x' }, assert: [says('x'), { ...set, weight: 0 }] },
        { vars: { body: 'x no' }, assert: [says('no', { weight: 2 }), { ...set, weight: 0.7 }] },
      ],
    });
    writeFileSync(join(folder, 'echo.yaml'), ECHO);
    const overrides = ['lm={provider: scripted, script: echo.yaml}'];
    const { rows } = await runInProcess(loadConfig(join(folder, 'experiment.yaml'), { overrides }));
    expect(rows.map(({ reward, feedback }) => [reward, feedback?.correct])).toEqual([
      [0.625, true],
      [0.4375, false],
      [0.4, false],
      [1, true],
    ]);
  });

  test('compare with the content of a file, and with a block of text, without their last line end', async () => {
    const assert = [{ type: 'equals', value: '{{right}}' }];
    const { rows } = await imported(
      {
        ...base,
        tests: ['file://right.txt', 'Paris\n', ' Paris\n\n'].map((right) => ({
          vars: { body: 'x', right },
          assert,
        })),
      },
      { 'right.txt': '\nParis\n' },
    );
    expect(rows('dataset.jsonl').map((row) => row.assert)).toEqual(
      ['Paris', 'Paris', ' Paris\n'].map((value) => [{ type: 'equals', value }]),
    );
  });

  test.each(['json', 'yaml', 'jsonl'])(
    'in %s may be rows of variables alone, as in a table',
    async (ending) => {
      const row = JSON.stringify({ body: 'x', level: 2, __expected: 'contains: x' });
      const text = ending === 'jsonl' ? `${row}\n` : `[${row}]`;
      const { rows } = await imported({ ...base, tests: `rows.${ending}` }, { [`rows.${ending}`]: text });
      expect(rows('dataset.jsonl')).toEqual([
        { id: 'test-1', vars: { body: 'x', level: 2 }, assert: [{ type: 'contains', value: 'x' }] },
      ]);
    },
  );

  test('have the text of every file that is none of code, documents, images, sounds and films', async () => {
    const vars = { body: 'file://a.sql', more: 'file://LICENSE', photo: 'file://a.jpg', made: 'file://a.py' };
    const { rows, notes } = await imported(
      { ...base, tests: [{ ...TEST, vars }] },
      { 'a.sql': 'SELECT 1;\n', LICENSE: 'Free\n', 'a.jpg': '', 'a.py': '' },
    );
    expect(rows('dataset.jsonl')[0]).toMatchObject({ vars: { ...vars, body: 'SELECT 1;', more: 'Free' } });
    expect(notes).toEqual([
      'The content of file://a.jpg is not carried over: the variable photo is its address.',
      'The content of file://a.py is not carried over: the variable made is its address.',
    ]);
  });

  test('are one for each file that a variable names', async () => {
    const { rows } = await imported(
      { ...base, tests: [{ ...TEST, vars: { body: 'file://texts/*.txt' } }] },
      { 'texts/a.txt': 'one', 'texts/b.txt': 'two', 'texts/c.md': 'three' },
    );
    expect(rows('dataset.jsonl').map(({ vars }) => vars)).toEqual([{ body: 'one' }, { body: 'two' }]);
  });
});

describe('rubrics', () => {
  const base = { prompts: ['{{body}}'], providers: ['openai:gpt-4.1'] };
  const rubric = (value: unknown, more = {}) => ({ type: 'llm-rubric', value, ...more });
  /** Passes an output where the first line of the rubric is that it says a word, and it does. */
  const JUDGE = [
    "- match: '<output>\\n.*kind[\\s\\S]*<rubric>\\n(Is|All)'",
    '  reply: "It is. GRADE: C"',
    "- match: ''",
    '  reply: "No. GRADE: I"',
    '',
  ].join('\n');
  const OVERRIDES = [
    'lm={provider: scripted, script: echo.yaml}',
    'models.judge={provider: scripted, script: judge.yaml}',
  ];

  /** Runs an imported config with an echo and a judge by a script. */
  async function ran(folder: string, name: string) {
    writeFileSync(join(folder, 'echo.yaml'), ECHO);
    writeFileSync(join(folder, 'judge.yaml'), JUDGE);
    return runInProcess(loadConfig(join(folder, name), { overrides: OVERRIDES }));
  }

  test('are judged by a model, each test by its own, apart from tests without one', async () => {
    const { folder, files, rows, config, notes } = await imported(
      {
        ...base,
        tests: [
          TEST,
          { vars: { body: 'a kind x' }, assert: [rubric('Is {{body}}'), { type: 'contains', value: 'x' }] },
          { vars: { body: 'a rude x' }, assert: [rubric('Is polite'), { type: 'contains', value: 'x' }] },
          { vars: { body: 'kind' }, assert: [rubric('file://rubric.txt'), rubric(['Is short'])] },
        ],
      },
      { 'rubric.txt': 'Is {polite}\n' },
    );
    expect(files).toEqual([
      ...['experiment.yaml', 'experiment-rubric.yaml', 'experiment-rubric-only.yaml'],
      ...['assertions-env.ts', 'prompt-agent.ts'],
      ...['dataset.jsonl', 'rubric.jsonl', 'rubric-only.jsonl'],
    ]);
    expect(notes).toEqual([
      '1 test with several rubrics: one verdict says whether all are true.',
      'The model of a run judges by rubrics itself, unless --model-role judge=… names another one.',
      '1 test with no assertion but a rubric: the score rubric says what passes, not the accuracy.',
    ]);
    expect(rows('rubric.jsonl').map(({ criterion }) => criterion)).toEqual(['Is a kind x', 'Is polite']);
    expect(config('experiment.yaml')).not.toHaveProperty('scorers');

    const both = await ran(folder, 'experiment-rubric.yaml');
    expect(both.metrics).toMatchObject({ status: 'done', accuracy: 1, errors: 0 });
    expect(both.rows.map(({ scores }) => scores)).toEqual([{ rubric: true }, { rubric: false }]);
    const only = await ran(folder, 'experiment-rubric-only.yaml');
    expect(only.rows.map(({ scores }) => scores)).toEqual([{ rubric: true }]);
    const asked = only.calls.find(({ purpose }) => purpose === 'grade')?.messages[0]?.content;
    expect(asked).toContain(
      '<output>\nkind\n</output>\n\n<rubric>\nAll of these are true of the output:\n1. Is {polite}\n2. ["Is short"]\n</rubric>',
    );
  });

  test('that all tests have need no files of their own', async () => {
    const { folder, files } = await imported({
      ...base,
      defaultTest: { assert: [rubric('Is polite')] },
      tests: [{ vars: { body: 'kind' } }],
    });
    expect(files.filter((name) => !name.endsWith('.ts'))).toEqual(['experiment.yaml', 'dataset.jsonl']);
    const { rows, metrics } = await ran(folder, 'experiment.yaml');
    expect(rows[0]).toMatchObject({ scores: { rubric: true }, error: null });
    expect(metrics).not.toHaveProperty('unscored');
  });

  const GRADER = { id: 'openai:gpt-5', config: { reasoning_effort: 'low', apiKey: 'no' } };

  test.each<[string, object, object[], object | undefined, string[]]>([
    ['of defaultTest', { provider: GRADER }, [{}], { model: 'openai/gpt-5', reasoning_effort: 'low' }, []],
    [
      'of texts',
      { provider: { text: 'google:gemini-2.5-pro' } },
      [{}],
      { model: 'gemini/gemini-2.5-pro' },
      [],
    ],
    ['of the assertion', { provider: GRADER }, [{ provider: 'openai:o3' }], { model: 'openai/o3' }, []],
    [
      'of two assertions',
      {},
      [{ provider: 'openai:o3' }, { provider: 'openai:o4-mini' }],
      { model: 'openai/o3' },
      [
        '1 test with several rubrics: one verdict says whether all are true.',
        'Not all rubrics name the same grader: openai/o3 judges by all of them.',
      ],
    ],
    [
      'without a counterpart',
      { provider: 'file://mine.py' },
      [{ threshold: 0.5 }],
      undefined,
      [
        'An assertion of type llm-rubric is carried over without its threshold.',
        'The grader file://mine.py is not carried over: Reprise reaches it, if at all, by lm.base_url.',
        'The model of a run judges by rubrics itself, unless --model-role judge=… names another one.',
      ],
    ],
  ])('have the grader %s', async (_what, options, asserts, judge, expected) => {
    const { config, notes } = await imported({
      ...base,
      defaultTest: { options },
      tests: [
        {
          vars: { body: 'x' },
          assert: [...asserts.map((more) => rubric('Is polite', more)), ...TEST.assert],
        },
      ],
    });
    expect(config('experiment.yaml').models).toEqual(judge === undefined ? undefined : { judge });
    expect(notes).toEqual(expected);
  });

  test.each([
    ['file://rubric.js:mine', 'its value is code'],
    ['{{ env.X }}', 'its value is a template that cannot be filled in'],
    [undefined, 'it has no value'],
    ['{{missing}}', 'it has no value'],
  ])('%s is none', async (value, why) => {
    const { notes } = await imported({
      ...base,
      tests: [{ ...TEST, assert: [...TEST.assert, rubric(value)] }],
    });
    expect(notes[0]).toBe(`An assertion of type llm-rubric is not carried over, because ${why}.`);
  });
});

test('a prompt that needs promptfoo or the environment is left out, and said', async () => {
  const { files, notes } = await imported(
    {
      prompts: ['{{ (body | load).x }}', '{{ env.SECRET }} {{body}}', '{{body}}', 'file://code.js'],
      providers: ['openai:gpt-4.1'],
      tests: [TEST],
    },
    { 'code.js': '' },
  );
  expect(files.filter((name) => name.endsWith('.yaml'))).toEqual(['prompt-3.yaml']);
  expect(notes).toEqual([
    'The prompt file://code.js is not carried over: it is code.',
    'Prompt 1 is not carried over: its template uses what only promptfoo or the environment has.',
    'Prompt 2 is not carried over: its template uses what only promptfoo or the environment has.',
  ]);
});

test.each([
  ['prompts/*.txt', ['a {vars.body}', 'b {vars.body}']],
  ['prompts/*', ['a {vars.body}', 'b {vars.body}', 'c {vars.body}']],
  ['2*3', ['2*3']],
  ['What is 2 * 3/*.txt', ['What is 2 * 3/*.txt']],
  ['1.5*2.50', ['1.5*2.50']],
])('the prompt %j is read as a path only where it is one', async (prompt, expected) => {
  const { files, config } = await imported(
    { prompts: prompt, providers: 'openai:gpt-4.1', tests: [TEST] },
    { 'prompts/a.txt': 'a {{body}}', 'prompts/b.txt': 'b {{body}}', 'prompts/c.md': 'c {{body}}' },
  );
  const configs = files.filter((name) => name.endsWith('.yaml'));
  expect(
    configs.map((name) => (config(name).dataset as { prompt_template: string }).prompt_template),
  ).toEqual(expected);
});

test('a file of prompts has those that say something', async () => {
  const { files, notes } = await imported(
    {
      prompts: ['file://a.txt', 'b.csv', 'c.csv', 'd.jsonl', 'e.py:asked'],
      providers: 'openai:gpt-4.1',
      tests: [TEST],
    },
    {
      'a.txt': '---\na {{body}}\n---\n\n---\nb {{body}}\n---\n',
      'b.csv': 'prompt,label\n"c, {{body}}",c\n,d\n',
      'c.csv': 'text,label\nd {{body}},d\n',
      'd.jsonl': '[{"role":"user","content":"{{body}}"}]\n\n[{"role":"user","content":"Is it {{body}}?"}]\n',
    },
  );
  expect(files.filter((name) => name.endsWith('.yaml'))).toHaveLength(5);
  expect(notes).toEqual([
    'The prompts in c.csv are not carried over: the table has no column prompt.',
    'The prompt e.py:asked is not carried over: it is code.',
  ]);
});

test.each(['file://no.txt', 'no.txt', 'prompts/no.md'])(
  'the file %s that is not there is named',
  async (path) => {
    const config = { prompts: [path], providers: ['openai:gpt-4.1'], tests: [TEST] };
    await expect(imported(config)).rejects.toThrow(/no\.(?:txt|md) cannot be read: ENOENT/);
  },
);

describe('templates', () => {
  test.each([
    ['Hi {{name}}: {{ a.b }}!', 'Hi {v.name}: {v.a.b}!', ['name', 'a.b']],
    ['{"x": {{x}}}', '{{"x": {v.x}}}', ['x']],
    ['plain', 'plain', []],
  ])('%j is the template %j', (template, expected, names) => {
    expect(promptTemplate(template, 'v')).toEqual({ template: expected, names });
  });

  test.each(['{{ x | upper }}', '{% if x %}y{% endif %}', '{{ env.KEY }}', '{{ a[0] }}'])(
    '%j is more than variables',
    (template) => {
      expect(promptTemplate(template, 'v')).toBeNull();
    },
  );

  test.each([
    ['{{ x | upper }}\n', 'ÀB\n'],
    ['{{ list | join(", ") }}', '1, 2'],
    ['{# note #}{{ missing }}.', '.'],
    ['{{ env.KEY }}', null],
    ['{{ x | load }}', null],
    ['{% if %}', null],
    ['no template } {', 'no template } {'],
  ])('%j is filled in as %j', (template, expected) => {
    expect(rendered(template, { x: 'àb', list: [1, 2] })).toBe(expected);
  });
});

describe('the short form of an assertion', () => {
  test.each<[string, object]>([
    ['Paris', { type: 'equals', value: 'Paris' }],
    ['contains: Paris', { type: 'contains', value: 'Paris' }],
    ['not-icontains:a:b', { type: 'not-icontains', value: 'a:b' }],
    ['similar(0.8):Hello there', { type: 'similar', value: 'Hello there', threshold: 0.8 }],
    ['is-json', { type: 'is-json' }],
    ['contains-any: <b>,</b>, "a, b"', { type: 'contains-any', value: ['<b>', '</b>', 'a, b'] }],
    ['contains-any: "a, b', { type: 'contains-any', value: '"a, b' }],
    ['fn: output.length', { type: 'javascript', value: 'output.length' }],
    ['grade: polite', { type: 'llm-rubric', value: 'polite' }],
    ['Note: all is well', { type: 'equals', value: 'Note: all is well' }],
    ['answer: 42', { type: 'equals', value: 'answer: 42' }],
    ['http://example.com', { type: 'equals', value: 'http://example.com' }],
    ['is-blue', { type: 'equals', value: 'is-blue' }],
    ['file://gold.txt', { type: 'equals', value: 'file://gold.txt' }],
    ['file://check.mjs:right', { type: 'javascript', value: 'file://check.mjs:right' }],
    ['file://check.py', { type: 'python', value: 'file://check.py' }],
    ['python', { type: 'equals', value: 'python' }],
    ['f(2)', { type: 'equals', value: 'f(2)' }],
    ['latency(1000)', { type: 'latency', threshold: 1000 }],
    ['not-cost(0.01)', { type: 'not-cost', threshold: 0.01 }],
    ['levenshtein(5): Paris', { type: 'levenshtein', value: 'Paris', threshold: 5 }],
    ['moderation', { type: 'moderation' }],
    ['not-is-refusal', { type: 'not-is-refusal' }],
    ['context-recall(0.9): x', { type: 'context-recall', value: 'x', threshold: 0.9 }],
    ['trajectory:tool-used: search', { type: 'trajectory:tool-used', value: 'search' }],
    ['javascript: output === "x"', { type: 'javascript', value: 'output === "x"' }],
    ['', { type: 'equals', value: '' }],
  ])('%j', (text, expected) => {
    expect(shortAssertion(text)).toEqual(expected);
  });
});
