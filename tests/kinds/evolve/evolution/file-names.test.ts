import { describe, expect, test } from 'vitest';
import { pathFault } from '../../../../src/kinds/evolve/evolution/file-names.js';

describe('a path', () => {
  test.each(['scaffold.py', 'lib/a.py', 'a_b-c.json', 'x.y.txt', 'a/b/c/d.csv', '_a.md'])(
    '%s is fine',
    (path) => {
      expect(pathFault(path)).toBeNull();
    },
  );

  test.each([
    '',
    '/a.py',
    '../a.py',
    'a/../b.py',
    'a/./b.py',
    'a//b.py',
    './a.py',
    'a\\b.py',
    'C:/a.py',
    'C:a.py',
    '~/a.py',
    '.a.py',
    'a.py/',
    'a.py/b.py',
    '.git/a.py',
    'a b.py',
    'a\n.py',
    'a\0.py',
    'é.py',
    'a.sh',
    'a',
    'a.pyc',
    'a.py.exe',
    'a.PY',
    'a/b/c/d/e.py',
    `${'a'.repeat(200)}.py`,
    '%2e%2e/a.py',
    'a/-rf.py',
    '$HOME/a.py',
    '..a.py',
  ])('%j is refused', (path) => {
    expect(pathFault(path)).toEqual(expect.any(String));
  });
});
