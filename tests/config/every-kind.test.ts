import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { InvalidInputError } from '../../src/config/errors.js';
import { configOf, loadConfig, resolveConfig } from '../../src/config/load.js';
import { NotPermittedError, type Permissions, withPermissions } from '../../src/config/named-files.js';
import { fieldValue, firstDifference, isWhole, paceChange } from '../../src/config/pacing.js';
import { MAX_CONCURRENCY } from '../../src/contracts/names.js';
import { folderWith, refusal } from '../support/configs.js';
import { EVERY_KIND, LEAST, resolved, withField } from '../support/kinds.js';

describe.each(EVERY_KIND)('a config of $id', ({ kind, least }) => {
  const base = resolved(kind, least);
  /** The first of its models, such as `models.agent`. */
  const [model] = Object.keys(kind.modelsOf(base)) as [string];
  const { concurrency } = kind.pace;
  const resolvedWith = (field: string, value: unknown) => resolved(kind, withField(base, field, value));
  const wrong = (value: unknown) => refusal(() => resolved(kind, value));

  it('is accepted again as it is, from any folder and whatever the environment says', () => {
    const again = resolveConfig(kind, JSON.parse(JSON.stringify(base)), {
      source: 'the input',
      folder: '/',
      fallbackName: 'other',
      workingFolder: '/',
      environment: { MODEL_AGENT: 'openai/other', MODEL_SIM: 'openai/other' },
    });
    expect(again).toEqual(base);
    expect(parse(stringify(again))).toEqual(JSON.parse(JSON.stringify(base)));
  });

  it('is what its JSON Schema describes', () => {
    const editor = z.fromJSONSchema(kind.jsonSchema() as Parameters<typeof z.fromJSONSchema>[0]);
    expect(editor.safeParse(least).error).toBeUndefined();
    expect(editor.safeParse({ ...least, unknown: 1 }).success).toBe(false);
  });

  it('begins every message on a file, a name or a section with where it comes from', () => {
    const scripted = { provider: 'scripted', script: 'no.yaml' };
    const missing = wrong(withField(least, model, scripted));
    expect(missing).toMatchObject({ field: `${model}.script` });
    expect(missing.message).toBe(`it.yaml: ${model}.script: there is no file at /configs/no.yaml`);
    expect(wrong({ ...least, unknown: 1 }).message).toMatch(/^it\.yaml: unknown: unknown field/);
    if ('name' in base) expect(wrong({ ...least, name: '…' }).message).toMatch(/^it\.yaml: name: "…" leaves/);
  });

  it('is refused by the worker’s permissions as such, so that a worker with others may take it', () => {
    const nothing: Permissions = {
      check: ({ field }) => {
        throw new NotPermittedError(`${field}: not allowed`, field);
      },
      allow: () => undefined,
    };
    const server = withField(least, model, { model: 'openai/x', base_url: 'http://127.0.0.1:1/v1' });
    const error = refusal(() => withPermissions(nothing, () => resolved(kind, server)));
    expect(error).toBeInstanceOf(NotPermittedError);
  });

  it.each([
    [null, 'this holds nothing'],
    [[1], 'this holds a list'],
    ['x', 'this holds a string'],
  ])('is no %j: %s', (value, message) => {
    expect(wrong(value).message).toContain(
      `it.yaml: a config is a mapping with the sections ${kind.sections};`,
    );
    expect(wrong(value).message).toContain(message);
  });

  it('holds no credential', () => {
    expect(wrong(withField(least, `${model}.api_key`, 'x')).field).toBe(`${model}.api_key`);
  });

  it('is none of another kind, which is named with its command', () => {
    for (const other of EVERY_KIND) {
      if (other.kind === kind) continue;
      expect(wrong(LEAST[other.id]).message).toBe(
        `it.yaml: this is the config of ${other.kind.noun}; start it with: reprise ${other.id}`,
      );
    }
  });

  it('is whole with every field, and with no field less', () => {
    expect(isWhole(kind, JSON.parse(JSON.stringify(base)))).toBe(true);
    for (const field of Object.keys(base)) {
      const { [field]: _field, ...rest } = base;
      expect(isWhole(kind, rest), field).toBe(false);
    }
    for (const other of EVERY_KIND) {
      if (other.kind !== kind) expect(isWhole(other.kind, base)).toBe(false);
    }
  });

  it('takes the options of its models by --set, which make it another experiment', () => {
    const source = { source: 'it.yaml', folder: '/configs', fallbackName: 'it', workingFolder: '/work' };
    const changed = resolveConfig(kind, least, {
      ...source,
      environment: {},
      overrides: [`${model}.top_p=0.9`, `${model}.stop="\\n"`, `${model}.extra_body.options.num_ctx=8192`],
    });
    const options = { top_p: 0.9, stop: ['\n'], extra_body: { options: { num_ctx: 8192 } } };
    expect(fieldValue(changed, model)).toMatchObject(options);
    expect(firstDifference(kind, base, changed)).toMatch(`${model}.`);
    expect(firstDifference(kind, base, resolvedWith(`${model}.top_p`, 0.9))).toBe(`${model}.top_p`);
  });

  it('may ask for as much at once as any other kind', () => {
    expect(fieldValue(resolvedWith(concurrency, MAX_CONCURRENCY), concurrency)).toBe(MAX_CONCURRENCY);
    expect(wrong(withField(base, concurrency, MAX_CONCURRENCY + 1)).message).toContain(
      `${concurrency}: must be at most ${MAX_CONCURRENCY}`,
    );
  });

  it.each(['limits.max_lm_calls', 'timeout_sec', 'max_attempts', 'requests_per_second', 'max_reply_mb'])(
    'asks the same with another %s, which holds in progress as it was begun',
    (name) => {
      const field = name.includes('.') ? name : `${model}.${name}`;
      const asked = resolvedWith(field, 7);
      expect(firstDifference(kind, base, asked)).toBeNull();
      const was = fieldValue(base, field);
      expect(paceChange(kind, base, asked)).toEqual({
        concurrency: null,
        fixed: { field, was, asked: 7 },
      });
    },
  );

  it('asks the same at another concurrency, which may be changed at any time', () => {
    const asked = resolvedWith(concurrency, 3);
    expect(firstDifference(kind, base, asked)).toBeNull();
    expect(paceChange(kind, base, asked)).toEqual({ concurrency: 3, fixed: null });
  });

  it('asks for something else with another temperature', () => {
    const asked = resolvedWith(`${model}.temperature`, 0.5);
    expect(firstDifference(kind, base, asked)).toBe(`${model}.temperature`);
  });
});

describe.each(EVERY_KIND)('the input of the workflow of $id', ({ kind, least }) => {
  const faultOf = async (input: unknown): Promise<InvalidInputError> => {
    const error = await configOf(kind, input, 'by-id').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(InvalidInputError);
    return error as InvalidInputError;
  };

  it('is read as a command reads a file', async () => {
    const folder = folderWith({ 'it.json': JSON.stringify(least) });
    const input = { config_path: join(folder, 'it.json'), set: [`${kind.pace.concurrency}=3`] };
    const config = await configOf(kind, input, 'by-id');
    expect(config).toEqual(loadConfig(kind, input.config_path, { overrides: input.set }));
    expect(fieldValue(config, kind.pace.concurrency)).toBe(3);
  });

  it('is a config, in short forms or whole, named by the workflow where it has no name', async () => {
    const config = await configOf(kind, { ...least }, 'by-id');
    expect(config).toEqual(
      resolveConfig(kind, least, {
        source: 'x',
        folder: process.cwd(),
        fallbackName: kind.nameOf ? null : 'by-id',
      }),
    );
    expect(await configOf(kind, JSON.parse(JSON.stringify(config)), 'other')).toEqual(config);
  });

  it.each([null, [{}], 'it.yaml'])('is no %j', async (input) => {
    expect((await faultOf(input)).message).toBe(
      `the input of ${kind.id} is {"config_path": "…"} or a config`,
    );
  });

  it.each<[Record<string, unknown>, string, string]>([
    [{ set: 'seed=3' }, 'set', 'set: is a list of texts such as "'],
    [{ set: { a: 1 } }, 'set', 'set: is a list of texts'],
    [{ set: [3] }, 'set', 'set: is a list of texts'],
    [{ sett: [] }, 'sett', 'unknown field beside config_path (allowed: set'],
    [{ config_path: 3 }, 'config_path', 'config_path: is the path of a config, a text'],
    [{}, '', 'there is no such file'],
    [{ set: null }, '', 'there is no such file'],
  ])('with %j beside its path is refused by %j: %s', async (beside, field, message) => {
    const error = await faultOf({ config_path: 'no-such.yaml', ...beside });
    expect(error.message).toContain(message);
    expect(error.field).toBe(field);
  });

  it.each(['name', 'results_dir'])(
    'takes a %s beside a path where a config has one, and as a text',
    async (field) => {
      const has = field in kind.flags;
      const error = await faultOf({ config_path: 'no-such.yaml', [field]: 3 });
      expect(error.field).toBe(field);
      expect(error.message).toContain(has ? ', a text' : 'unknown field');
    },
  );
});
