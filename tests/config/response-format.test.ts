import { expect, test } from 'vitest';
import { NotPermittedError, withPermissions } from '../../src/config/named-files.js';
import { configOf, folderWith, MINIMAL, refusal } from '../support/configs.js';

const SCHEMA = {
  type: 'object',
  properties: { b: { type: 'string' }, a: { enum: [1, null] } },
  required: ['b'],
};

test.each([
  ['schema.json', JSON.stringify(SCHEMA)],
  ['schema.yaml', 'type: object\nproperties: {b: {type: string}, a: {enum: [1, null]}}\nrequired: [b]\n'],
])('a JSON Schema in %s becomes a part of the config, in its order', (name, content) => {
  const folder = folderWith({ [name]: content });
  const { lm } = configOf({ lm: { ...MINIMAL.lm, response_format: `${folder}/${name}` } });
  expect(JSON.stringify(lm.response_format)).toBe(JSON.stringify(SCHEMA));
});

test('a file without a mapping is no schema', () => {
  const folder = folderWith({ 'list.json': '[1]' });
  const wrong = refusal(() => configOf({ lm: { ...MINIMAL.lm, response_format: `${folder}/list.json` } }));
  expect(wrong.field).toBe('lm.response_format');
  expect(wrong.message).toContain('is no mapping, and so no JSON Schema of a reply');
});

test('a start that may not read a file names none as its schema', () => {
  const check = ({ field }: { field: string }) => {
    if (field === 'lm.response_format') throw new NotPermittedError(`${field}: not allowed`, field);
  };
  const lm = { ...MINIMAL.lm, response_format: '/etc/schema.json' };
  const error = refusal(() => withPermissions({ check, allow: () => undefined }, () => configOf({ lm })));
  expect(error).toBeInstanceOf(NotPermittedError);
  expect(error.field).toBe('lm.response_format');
});
