import { describe, expect, test } from 'vitest';
import * as layout from '../../../../src/kinds/evolve/evolution/layout.js';
import {
  ancestry,
  bestScaffold,
  type LineageNode,
  latestScore,
  lineageFile,
} from '../../../../src/kinds/evolve/evolution/lineage.js';
import { createRandom, shuffled } from '../../../../src/statistics/random.js';
import { checkKey } from '../../../../src/storage/artifact-store.js';

describe('the tree', () => {
  test('is the specification’s', () => {
    expect(layout.experimentFolder('crossword-test', '2026-01-31T23:59:58.765Z')).toBe(
      'crossword-test_20260131_235958',
    );
    expect(layout.experimentFiles.metadata).toBe('metadata.json');
    expect(layout.scaffoldFile(0, 'new', '0')).toBe('iterations/0/scaffolds/new/0/scaffold.py');
    expect(layout.scaffoldFile(1, 'old', '2', layout.scaffoldSupportFiles.metadata)).toBe(
      'iterations/1/scaffolds/old/2/metadata.json',
    );
    expect(layout.scaffoldFile(1, 'new', '2-0', layout.scaffoldSupportFiles.executor)).toBe(
      'iterations/1/scaffolds/new/2-0/llm_executor.py',
    );
    expect(layout.scaffoldSupportFiles.interfaces).toBe('llm_interfaces.py');
    expect(layout.logPath(1, '0', 'train', 'json')).toBe('iterations/1/logs/0/train.json');
    expect(layout.logPath(1, '0-0', 'valid', 'log')).toBe('iterations/1/logs/0-0/valid.log');
    expect(layout.scoringPath(1)).toBe('iterations/1/scoring.json');
    expect(layout.bestFile()).toBe('best/scaffold.py');
    expect(layout.bestFile('lib/helpers.py')).toBe('best/lib/helpers.py');
    for (const [iteration, id] of [
      [0, '0'],
      [12, '3-0-11'],
    ] as const) {
      expect(layout.scaffoldFolder(iteration, 'new', id).startsWith('iterations/')).toBe(true);
    }
  });

  test('has no path that another one lies below', () => {
    const paths = [
      ...Object.values(layout.experimentFiles),
      ...[0, 1, 10].flatMap((iteration) => [
        layout.scoringPath(iteration),
        ...['0', '0-0', '1'].flatMap((id) => [
          ...(['old', 'new'] as const).flatMap((generation) =>
            ['scaffold.py', 'lib/a.py', ...Object.values(layout.scaffoldSupportFiles)].map((file) =>
              layout.scaffoldFile(iteration, generation, id, file),
            ),
          ),
          ...(['train', 'valid', 'test'] as const).flatMap((run) => [
            layout.logPath(iteration, id, run, 'json'),
            layout.logPath(iteration, id, run, 'log'),
          ]),
        ]),
      ]),
      layout.bestFile(),
    ];
    expect(new Set(paths).size).toBe(paths.length);
    for (const path of paths) {
      expect(() => checkKey('test', path)).not.toThrow();
      expect(paths.filter((other) => other.startsWith(`${path}/`))).toEqual([]);
    }
  });

  test.each(['../0', '', '.', '0/1', '01', 'x', '0-'])('never takes %j for a scaffold’s id', (id) => {
    expect(() => layout.scaffoldFolder(1, 'new', id)).toThrow(RangeError);
    expect(() => layout.logPath(1, id, 'valid', 'json')).toThrow(RangeError);
  });

  test.each(['../scaffold.py', '/etc/passwd', 'a//b.py', 'a/../../b.py', './a.py', '', 'a\\..\\b.py'])(
    'never leaves a scaffold’s folder for %j',
    (file) => {
      expect(() => layout.scaffoldFile(1, 'new', '0', file)).toThrow(RangeError);
      expect(() => layout.bestFile(file)).toThrow(RangeError);
    },
  );

  test('has no iteration below 0, no name with a slash and no day that is none', () => {
    for (const iteration of [-1, 0.5, Number.NaN])
      expect(() => layout.iterationFolder(iteration)).toThrow(RangeError);
    for (const name of ['', 'a/b', '..', '.hidden', 'a b']) {
      expect(() => layout.experimentFolder(name, '2026-01-01T00:00:00Z')).toThrow(RangeError);
    }
    expect(() => layout.experimentFolder('a', 'yesterday')).toThrow(RangeError);
  });
});

describe('the best scaffold', () => {
  const node = (id: string, valid: [number, number][], train: number[] = []): LineageNode => ({
    id,
    parent_scaffold_id: null,
    iteration: 0,
    status: valid.length > 0 ? 'validated' : 'new',
    train: train.map((score, iteration) => ({ iteration, example_id: 'x', score })),
    valid: valid.map(([iteration, score]) => ({ iteration, score })),
  });

  test('has the highest validation score, by its most recent one, and training has no part in it', () => {
    const nodes = [
      node('0', [
        [1, 0.9],
        [2, 0.3],
      ]),
      node('1', [[1, 0.5]], [1, 1]),
      node('2', [[2, 0.6]]),
      node('3', [], [1]),
    ];
    expect(bestScaffold(nodes)).toEqual({ id: '2', iteration: 2, score: 0.6 });
    expect(
      bestScaffold([
        node('0', [
          [2, 0.3],
          [1, 0.9],
        ]),
      ])?.score,
    ).toBe(0.3);
  });

  test('of equal ones is the one of the later iteration, then the first by id', () => {
    const nodes = [node('10', [[2, 0.5]]), node('0', [[1, 0.5]]), node('2-0', [[2, 0.5]])];
    for (const seed of [1, 2, 3]) expect(bestScaffold(shuffled(nodes, createRandom(seed)))?.id).toBe('2-0');
  });

  test('is nobody where none was validated', () => {
    expect(bestScaffold([])).toBeNull();
    expect(bestScaffold([node('0', [], [1])])).toBeNull();
  });

  test('stands in lineage.json, with the nodes in the order of their ids', () => {
    const nodes = [node('10', [[1, 0.5]]), node('2', []), node('2-0', [[1, 0.25]])];
    const texts = [1, 2, 3].map((seed) =>
      JSON.stringify(lineageFile('top_k', shuffled(nodes, createRandom(seed)))),
    );
    expect(new Set(texts).size).toBe(1);
    const file = JSON.parse(texts[0] as string);
    expect(file).toMatchObject({ schema_version: 1, selection: 'top_k', best: { id: '10' } });
    expect(file.nodes.map(({ id }: LineageNode) => id)).toEqual(['2', '2-0', '10']);
    expect(() => lineageFile('top_k', [node('2', []), node('2', [])])).toThrow('twice');
    expect(() => lineageFile('top_k', [node('2', [[1, Number.NaN]])])).toThrow(RangeError);
  });

  test('has its ancestors in its id', () => {
    expect(ancestry('2-0-11')).toEqual(['2', '2-0', '2-0-11']);
    expect(ancestry('4')).toEqual(['4']);
  });
});

test('the newest score is that of the latest iteration, wherever it stands', () => {
  const score = (iteration: number, value: number) => ({ iteration, score: value });
  expect(latestScore([score(2, 1 / 3), score(1, 1)])).toEqual(score(2, 1 / 3));
  expect(latestScore([])).toBeUndefined();
});
