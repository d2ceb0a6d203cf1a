import { expect, test } from 'vitest';
import { KINDS } from '../../src/kinds/registry.js';
import { openStore } from '../../src/storage/open.js';
import { writeStoredConfig } from '../../src/storage/stored-config.js';
import { parseSection } from '../reports/support.js';
import { resultsFolder } from '../support/compared-experiments.js';
import { LEAST } from '../support/kinds.js';
import { METRICS } from './every-kind.js';
import { pageAt, viewerOf } from './support.js';

function leaves(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [String(value)];
  const inner = Object.values(value);
  return inner.length === 0 ? [Array.isArray(value) ? '[]' : '{}'] : inner.flatMap(leaves);
}

test.each(KINDS.map(({ id }) => id))(
  'the page of %s has every figure of metrics.json, and no other',
  async (kind) => {
    const folder = resultsFolder();
    const store = openStore(folder).within('mine');
    const metrics = METRICS[kind] as object;
    await writeStoredConfig(store, LEAST[kind] as object);
    await store.write('metrics.json', JSON.stringify(metrics));
    const { status, text } = await pageAt(await viewerOf(folder), 'experiment?id=mine');
    expect(status).toBe(200);
    const { texts, tags } = parseSection(text, 'figures');
    const exact = texts.filter(({ path }) => path.slice(-2).join(' ') === 'td code').map((one) => one.text);
    const known = leaves(JSON.parse(JSON.stringify(metrics)));
    expect(exact).toEqual(known);
    // Tiles round what they show; each has the exact number beside it.
    const shown = tags.filter(({ name }) => name === 'data').map(({ attributes }) => attributes.value ?? '');
    expect(shown.length).toBeGreaterThan(3);
    const sums = (numbers: string[]) => numbers.map(Number).reduce((sum, one) => sum + one, 0);
    const derived = [
      sums(leaves((metrics as { user_faults?: object }).user_faults ?? {}).filter((one) => one !== '{}')),
    ];
    const made = metrics as Record<string, number>;
    for (const [one, other] of [
      ['steps', 'errors'],
      ['samples', 'errors'],
      ['rollouts', 'errors'],
    ] as const)
      derived.push(
        (made[one] ?? 0) + (made[other] ?? 0),
        (made[one] ?? 0) + (made[other] ?? 0) + (derived[0] ?? 0),
      );
    derived.push((made.num_iterations ?? 0) + 1);
    expect(shown.filter((value) => !known.includes(value) && !derived.includes(Number(value)))).toEqual([]);
  },
);
