import { describe, expect, test } from 'vitest';
import {
  fillInAllDates,
  fillInDates,
  fillInOracleDates,
  fillInResults,
  PlaceholderError,
} from '../../../../src/kinds/agent-eval/bundles/placeholders.js';
import { readTime } from '../../../../src/kinds/agent-eval/bundles/row-schema.js';

const NOW = '2026-02-28T23:30:00.000Z';

test.each([
  ['today', '2026-02-28'],
  ['today+1', '2026-03-01'],
  [' today - 60 ', '2025-12-30'],
  ['weekday', 'Saturday'],
  ['weekday+1', 'Sunday'],
  ['weekday-7', 'Saturday'],
  ['now', '2026-02-28 23:30:00'],
])('{{%s}} is %s', (inner, written) => {
  expect(fillInDates(`on {{${inner}}}, and {{${inner}}}.`, NOW)).toBe(`on ${written}, and ${written}.`);
});

test.each(['tomorrow', 'today+1d', 'today + x', '', 'name', 'now+1', 'result.0.id', 'today+123456'])(
  '{{%s}} is refused, with what there is',
  (inner) => {
    expect(() => fillInDates(`{{${inner}}}`, NOW)).toThrow(PlaceholderError);
    expect(() => fillInDates(`{{${inner}}}`, NOW)).toThrow('{{today}}, {{today+1}}, {{weekday}}');
  },
);

test('braces that are none stay', () => {
  expect(fillInDates('{"a": {"b": 1}} {today} { {today} }', NOW)).toBe('{"a": {"b": 1}} {today} { {today} }');
});

test.each<[string, string]>([
  ['{{"a": {"b": 1}}}', '{{"a": {"b": 1}}}'],
  ['{{ user.name | upper }}', '{{ user.name | upper }}'],
  ['\\{{today}} {{today}}', '{{today}} 2026-02-28'],
  ['\\{{name}}', '{{name}}'],
])('of a prompt %s becomes %s', (text, filled) => {
  expect(fillInDates(text, NOW)).toBe(filled);
});

test.each<[string, string | null]>([
  [
    "INSERT INTO mails VALUES ('Dear {{name}}, {{}}'), ('{{x}}')",
    "INSERT INTO mails VALUES ('Dear {{name}}, {{}}'), ('{{x}}')",
  ],
  ['{{nowhere}} {{today}} \\{{today}}', '{{nowhere}} 2026-02-28 {{today}}'],
  ['{{tomorrow}}', null],
  ['{{today+1d}}', null],
])('of data %s becomes %s', (text, filled) => {
  if (filled === null) expect(() => fillInDates(text, NOW, 'data')).toThrow(PlaceholderError);
  else expect(fillInDates(text, NOW, 'data')).toBe(filled);
});

test('braces of an oracle are its own where a backslash says so, through both passes', () => {
  const dated = fillInOracleDates({ text: '\\{{result.0}} \\{{today}} {{today}} {{result.0}}' }, NOW);
  expect(fillInResults(dated, ['{{today}}'])).toEqual({
    text: '{{result.0}} {{today}} 2026-02-28 {{today}}',
  });
  expect(fillInResults('\\{{result.0}}', [])).toBe('{{result.0}}');
});

test('every text of a value is filled in, and nothing else', () => {
  expect(fillInAllDates({ on: '{{today}}', list: ['{{weekday}}', 3, null], '{{today}}': true }, NOW)).toEqual(
    {
      on: '2026-02-28',
      list: ['Saturday', 3, null],
      '{{today}}': true,
    },
  );
});

describe('results of earlier actions', () => {
  const results = [[{ id: 7, price: 80.5 }], undefined, { booking_id: 'ab12', seats: ['1A', '1B'] }, 'Done.'];

  test.each([
    ['{{result.0.0.id}}', 7],
    ['{{ result.2.booking_id }}', 'ab12'],
    ['{{result.2.seats}}', ['1A', '1B']],
    ['{{result.3}}', 'Done.'],
    ['flight {{result.0.0.id}} at {{result.0.0.price}}, {{result.2.seats.1}}', 'flight 7 at 80.5, 1B'],
    ['{{result.0.0}}!', '{"id":7,"price":80.5}!'],
    ['plain', 'plain'],
  ])('%s', (text, value) => {
    expect(fillInResults({ at: [text] }, results)).toEqual({ at: [value] });
  });

  test.each([
    'result.1',
    'result.9.id',
    'result.0.1.id',
    'result.2.booking',
    'result.3.length',
    'result.2.toString',
  ])('{{%s}} is not there', (inner) => {
    expect(() => fillInResults(`{{${inner}}}`, results)).toThrow(`{{${inner}}}: action`);
  });

  test('stay while the dates of an oracle are written out', () => {
    expect(fillInOracleDates(['{{today+1}} {{result.0.id}}'], NOW)).toEqual(['2026-03-01 {{result.0.id}}']);
    expect(() => fillInOracleDates(['{{tomorrow}}'], NOW)).toThrow(PlaceholderError);
  });
});

describe('a time', () => {
  test.each([
    ['2026-03-02', '2026-03-02T00:00:00.000Z'],
    ['2026-03-02T09:30', '2026-03-02T09:30:00.000Z'],
    ['2026-03-02 09:30:15', '2026-03-02T09:30:15.000Z'],
    ['2026-03-02T09:30:00+02:00', '2026-03-02T07:30:00.000Z'],
    ['2026-03-02T09:30:00.5Z', '2026-03-02T09:30:00.500Z'],
  ])('%s is %s', (written, time) => expect(readTime(written)).toBe(time));

  test.each(['tomorrow', '2026', '02.03.2026', '2026-13-01', '2026-03-02T25:00', '2026-03-02Z', ''])(
    '%j is none',
    (written) => expect(readTime(written)).toBeNull(),
  );
});
