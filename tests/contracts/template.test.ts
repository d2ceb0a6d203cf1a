import { describe, expect, test } from 'vitest';
import { fillTemplate, templateNames } from '../../src/contracts/template.js';

describe('a template', () => {
  const values = { question: 'What is {cheatsheet}?', cheatsheet: 'use {question} {{x}} $& $1', empty: '' };

  test.each<[string, string]>([
    ['', ''],
    ['plain', 'plain'],
    ['{question}|{cheatsheet}', 'What is {cheatsheet}?|use {question} {{x}} $& $1'],
    ['{question}{question}', 'What is {cheatsheet}?What is {cheatsheet}?'],
    ['a{empty}b', 'ab'],
    ['{ question }', 'What is {cheatsheet}?'],
    ['{{question}}', '{question}'],
    ['{{{empty}}}', '{}'],
    ['\\boxed{{}} \\frac{{a}}{{b}} {{{{', '\\boxed{} \\frac{a}{b} {{'],
    ['{{"größe": [1, 2]}}\n', '{"größe": [1, 2]}\n'],
  ])('%j is filled in once', (template, filled) => {
    expect(fillTemplate(template, values)).toBe(filled);
  });

  test.each(['{constructor}', '{toString}', '{__proto__}'])('%s is no value of every object', (template) => {
    expect(() => fillTemplate(template, values)).toThrow('has no value');
  });

  test.each<[string, string]>([
    ['a { b', "'{' at character 3 of the template is no placeholder; write {{ for the brace itself"],
    ['a } b', "'}' at character 3 of the template is no placeholder; write }} for the brace itself"],
    ['{}', "'{}' at character 1 of the template is no placeholder; write {{}} for the braces themselves"],
    ['{ }', "'{ }' at character 1 of the template is no placeholder; write {{ }} for the braces themselves"],
    ['{a{b}}', "'{' at character 1"],
    ['{{a}', "'}' at character 4"],
  ])('%j is refused with the place and the way out', (template, message) => {
    expect(() => fillTemplate(template, { a: '', b: '' })).toThrow(message);
    expect(() => templateNames(template)).toThrow(message);
  });

  test('names its placeholders', () => {
    expect(templateNames('{a} {{b}} { c.d } {Correct Answer}')).toEqual(['a', 'c.d', 'Correct Answer']);
  });
});
