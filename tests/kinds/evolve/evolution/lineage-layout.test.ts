import { describe, expect, test } from 'vitest';
import { layOut } from '../../../../src/kinds/evolve/evolution/lineage-layout.js';
import { node } from '../../../reports/support.js';

const rowsOf = (placed: ReturnType<typeof layOut>) => placed.map(({ node: { id } }) => id);

describe('the rows of a lineage', () => {
  test('follow the ids, number by number, whatever order the scaffolds come in', () => {
    const ids = ['10', '2-10', '2', '0', '2-2-0', '2-2'];
    expect(
      rowsOf(
        layOut(
          ids.map((id) => node(id)),
          null,
        ),
      ),
    ).toEqual(['0', '2', '2-2', '2-2-0', '2-10', '10']);
  });

  test('name the parent’s row', () => {
    const placed = layOut(
      ['0', '0-0', '0-0-0', '0-1'].map((id) => node(id)),
      null,
    );
    expect(placed.map(({ parentRow }) => parentRow)).toEqual([null, 0, 1, 0]);
  });

  test('mark the way to the best, and nothing beside it', () => {
    const placed = layOut(
      ['0', '0-0', '0-0-0', '0-0-1', '1'].map((id) => node(id)),
      '0-0-1',
    );
    const marked = placed.filter(({ leadsToBest }) => leadsToBest);
    expect(rowsOf(marked)).toEqual(['0', '0-0', '0-0-1']);
  });

  test('hold every scaffold once where the lineage is damaged', () => {
    const placed = layOut(
      [
        node('0', { parent_scaffold_id: '1' }),
        node('1', { parent_scaffold_id: '0' }),
        node('2', { parent_scaffold_id: '2' }),
        node('3-0', { parent_scaffold_id: '3' }),
        node('<b>', { parent_scaffold_id: '__proto__' }),
      ],
      '1',
    );
    expect(rowsOf(placed).sort()).toEqual(['0', '1', '2', '3-0', '<b>']);
    expect(placed.every(({ row, parentRow }) => parentRow === null || parentRow < row)).toBe(true);
  });

  test('are found for a chain as deep as ids can be long', () => {
    const ids = Array.from({ length: 100 }, (_, depth) =>
      Array(depth + 1)
        .fill('0')
        .join('-'),
    );
    expect(
      layOut(
        ids.map((id) => node(id)),
        ids[99] as string,
      ).filter(({ leadsToBest }) => leadsToBest),
    ).toHaveLength(100);
  });
});
