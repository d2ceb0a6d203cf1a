import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { InvalidInputError } from '../../src/config/errors.js';
import { loadConfig, resolveConfig } from '../../src/config/load.js';
import {
  checkFile,
  type Named,
  NotPermittedError,
  namedIn,
  type Permissions,
  permissions,
  withPermissions,
} from '../../src/config/named-files.js';
import { readYaml } from '../../src/config/read-config.js';
import { textOrFile } from '../../src/config/text-or-file.js';
import { jsonFault } from '../../src/contracts/json.js';
import { agentEvalConfigs } from '../../src/kinds/agent-eval/config.js';
import { runConfigs } from '../../src/kinds/run/config.js';

const SECRET = 'hunter2';
let folder: string;

/** Allows files below a folder, and no server and no sandbox; notes what is allowed by a file. */
class FolderOnly implements Permissions {
  readonly said: Named[] = [];
  check({ use, what, field }: Named): void {
    if (use === 'server' || use === 'sandbox' || !what.startsWith(`${folder}/`)) {
      throw new NotPermittedError(`${field}: not allowed`, field);
    }
  }
  allow(named: Named): void {
    this.said.push(named);
  }
}

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** What comes back of something that fails with permissions in force. */
function messageOf(work: () => unknown, kept: Permissions = new FolderOnly()): string {
  try {
    withPermissions(kept, work);
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidInputError);
    return (error as Error).message;
  }
  throw new Error('nothing was refused');
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reprise-named-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('with no permissions in force', () => {
  test('everything is allowed', () => {
    expect(permissions()).toBeNull();
    expect(() => checkFile('lm.script', '/etc/shadow', 'code')).not.toThrow();
  });

  test('a message shows the line that is wrong', () => {
    expect(() => readYaml(file('broken.yaml', `password: "${SECRET}\nother: [\n`))).toThrow(/other: \[/);
  });
});

describe('an error that goes back', () => {
  test.each([
    ['a quotation without its end', `password: "${SECRET}\nother: [\n`],
    ['an alias without its anchor', `password: *${SECRET}\n`],
    ['a tag that is not known', `password: !${SECRET} 1\n- x`],
    ['a text', SECRET],
    ['fields of something else', `${SECRET}: 1\nother_${SECRET}: 2\n`],
    ['a section of another form', `dataset: ${SECRET}\nlm: ${SECRET}\n`],
    ['a wrong value', `dataset: {items: [{q: a}]}\nlm: {model: simulated/x, temperature: ${SECRET}}\n`],
    ['an unknown agent', `dataset: {items: [{q: a}]}\nlm: {model: simulated/x}\nagent: {type: ${SECRET}}\n`],
  ])('quotes nothing of a config that holds %s', (_, content) => {
    const path = file('config.yaml', content);
    const message = messageOf(() => loadConfig(runConfigs, path));
    expect(message).toContain(path);
    expect(message).not.toContain(SECRET);
  });

  test('says where the YAML is wrong', () => {
    const path = file('config.yaml', 'a: 1\nb: [\n');
    expect(messageOf(() => loadConfig(runConfigs, path))).toMatch(
      /is not valid YAML: [a-z ]+ at line 3, column 1$/,
    );
  });

  test('shows what the input itself holds', () => {
    const work = () =>
      resolveConfig(
        runConfigs,
        { dataset: { items: [{ q: 'a' }] }, lm: { model: 'simulated/x', temperature: SECRET } },
        { source: 'the input', folder, fallbackName: 'x' },
      );
    expect(messageOf(work)).toContain(SECRET);
  });

  test('says of a text whether it may be a file, and nothing of what is there', () => {
    expect(messageOf(() => textOrFile('/etc/passwd', folder, 'task_prompt'))).toBe(
      'task_prompt: not allowed',
    );
    mkdirSync(join(folder, 'in it'), { recursive: true });
    // With spaces it is a text, unless there is such a file.
    const given = '/etc/a name with spaces';
    expect(withPermissions(new FolderOnly(), () => textOrFile(given, folder, 'task_prompt'))).toBe(
      `${given}\n`,
    );
  });
});

describe('a config that lies where it may', () => {
  const config = (more: string) =>
    file(
      'own.yaml',
      `dataset: {items: [{q: a}], input_field: q}\nlm: {model: openai/x, base_url: "http://gpu:8000/v1"}\n${more}`,
    );

  test('may name the server that its model is asked at', () => {
    const kept = new FolderOnly();
    const set = ['lm.temperature=0'];
    withPermissions(kept, () =>
      loadConfig(runConfigs, config(''), {
        overrides: set,
        flags: { results_dir: folder.concat('/results') },
      }),
    );
    expect(kept.said).toEqual([{ field: 'lm.base_url', use: 'server', what: 'http://gpu:8000' }]);
  });

  test.each<[string, string, string[], string]>([
    ['another server', '', ['lm.base_url=http://evil:1/v1'], 'lm.base_url'],
    ['the host’s python3', 'agent: {type: history_agent}\n', ['sandbox=process'], 'sandbox'],
    ['what its programs are asked for', 'sandbox: process\n', ['seed=3'], 'sandbox'],
    ['where results go', '', ['output.results_dir=/elsewhere'], 'output.results_dir'],
    ['its script', '', ['lm={"model": "scripted/x", "script": "/elsewhere/a.yaml"}'], 'lm.script'],
  ])('is not told beside it: %s', (_, more, overrides, field) => {
    const options = { overrides, workingFolder: folder };
    expect(messageOf(() => loadConfig(runConfigs, config(more), options))).toMatch(
      new RegExp(`own.yaml: ${field}: not allowed$`),
    );
  });

  test('may ask for the host’s python3 itself', () => {
    const kept = new FolderOnly();
    withPermissions(kept, () =>
      loadConfig(runConfigs, config('sandbox: process\n'), { workingFolder: folder }),
    );
    expect(kept.said.map(({ use }) => use)).toEqual(['server', 'sandbox']);
  });

  test('cannot be made of rows that only look like one', () => {
    const path = file(
      'rows.yaml',
      'dataset: {items: [{q: a, base_url: "http://evil:1/v1"}], input_field: q}\nlm: {model: openai/x}\n',
    );
    const options = { overrides: ['lm.base_url=http://evil:1/v1'], workingFolder: folder };
    expect(messageOf(() => loadConfig(runConfigs, path, options))).toMatch(/lm\.base_url: not allowed$/);
  });

  test('of an evaluation is held against the same', () => {
    const path = file('eval.yaml', 'datasets: [/elsewhere/bundle]\nlm: simulated/x\n');
    const work = () => loadConfig(agentEvalConfigs, path, { workingFolder: folder });
    expect(messageOf(work)).toMatch(/datasets\[0\]: not allowed$/);
  });
});

test('everything that a config names is noted, each with its use', async () => {
  const script = file('script.yaml', '- reply: a\n');
  const env = file('env.ts', '');
  const names = await namedIn(() =>
    resolveConfig(
      runConfigs,
      {
        dataset: { items: [{ q: 'a' }], input_field: 'q', env_file: env, env_class: 'Own' },
        lm: { model: 'scripted/x', script },
        output: { results_dir: 'results', save_memory_path: 'memory.json' },
        sandbox: 'process',
      },
      { source: 'the input', folder, fallbackName: 'x', workingFolder: folder },
    ),
  );
  expect(names.map(({ field, use }) => [field, use])).toEqual([
    ['dataset.env_file', 'code'],
    ['output.save_memory_path', 'write'],
    ['output.results_dir', 'write'],
    ['lm.script', 'read'],
    ['sandbox', 'sandbox'],
  ]);
});

test.each([
  'root:x:0:0:hunter2',
  '{"a": hunter2}',
  '{"hunter2": 1,}',
  '{"a": "hunter2',
  '{"hunter2": 1} hunter2',
  '',
])('what is wrong with the JSON %j is said without its words', (text) => {
  let fault = '';
  try {
    JSON.parse(text);
  } catch (error) {
    fault = jsonFault(error);
  }
  expect(fault).not.toBe('');
  expect(fault).not.toContain('hunter2');
});
