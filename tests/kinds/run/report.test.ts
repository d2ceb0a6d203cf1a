import { describe, expect, test } from 'vitest';
import type { ResultRow } from '../../../src/contracts/results.js';
import { type RunFacts, RunMetricsBuilder } from '../../../src/kinds/run/metrics.js';
import { runReport } from '../../../src/kinds/run/report.js';
import type { Metrics, TaskMetrics } from '../../../src/kinds/run/results.js';
import { HOSTILE } from '../../reports/hostile.js';
import { parsePage, parseSection, visibleText, whole } from '../../reports/support.js';
import { row, taskRow } from '../../support/rows.js';

/** The metrics that a run of these rows has; give what matters. */
function metricsOf(rows: readonly ResultRow[], fields: Partial<Metrics> = {}): Metrics {
  const trials = Math.max(...rows.map(({ trial }) => trial)) + 1;
  const builder = new RunMetricsBuilder({ num_trials: trials });
  for (const one of rows) builder.add(one, []);
  return { ...builder.finish(FACTS), ...fields };
}

const FACTS: RunFacts = {
  name: 'run',
  experiment: 'run',
  status: 'done',
  status_message: null,
  model: 'gemini/flash',
  simulated: false,
  agent: 'history_agent',
  seed: 0,
  in_words: ['Samples are independent.', 'Each prompt shows its question alone.'],
  feedback_in_prompts: 'none',
  feedback_in_memory: 'outcome',
  samples_planned: 3,
  wall_seconds: 81.25,
  started_at: '2026-01-31T23:59:59.120Z',
  ended_at: '2026-02-01T00:01:20.370Z',
  early_stop_on_success: false,
  environment: 'MCQEnvironment',
};

const letter = (target: string, predicted: string) => ({ target_letter: target, predicted });
/** Three samples in two trials: right at once, right at last, an error at last. */
const ROWS = [
  row('a', 0, 'yes', letter('A', 'A')),
  row('b', 0, 'no', letter('B', 'A')),
  row('b', 1, 'yes', letter('B', 'B')),
  row('c', 0, 'no', letter('B', 'C')),
  row('c', 1, 'timeout'),
];

const pageOf = (fields: Partial<Metrics> = {}, rows: readonly ResultRow[] = ROWS) =>
  whole(
    runReport(
      metricsOf(rows, fields),
      rows.map((one) => taskRow(one)),
    ),
  );

/** The cells of each row of a section's table. */
function cellsOf(page: string, anchor: string): string[][] {
  const section = page.slice(page.indexOf(`<section id="${anchor}"`));
  const body = section.slice(section.indexOf('<tbody>'), section.indexOf('</tbody>'));
  const rows = body.split('</tr>').slice(0, -1);
  return rows.map((one) =>
    one
      .split(/<\/t[hd]>/)
      .slice(0, -1)
      .map((cell) =>
        cell
          .replaceAll(/<[^>]*>/g, '')
          .replaceAll('&lt;', '<')
          .trim(),
      ),
  );
}

function leaves(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [String(value)];
  const inner = Object.values(value);
  return inner.length === 0 ? [Array.isArray(value) ? '[]' : '{}'] : inner.flatMap(leaves);
}

describe('the report of a run', () => {
  test('has the figures of metrics.json, each with all of its digits', async () => {
    const { texts } = parseSection(await pageOf(), 'figures');
    const table = texts.filter(({ path }) => path.slice(-2).join(' ') === 'td code').map(({ text }) => text);
    expect(table).toEqual(leaves(metricsOf(ROWS)));
  });

  test('has success by trial, environments, confusion and errors as the metrics have them', async () => {
    const page = await pageOf();
    expect(cellsOf(page, 'trials')).toEqual([
      ['1', '33.3 %', '33.3 %', '0.0 % to 100.0 %', '1'],
      ['2', '100.0 %', '0.0 %', '34.2 % to 100.0 %', '2'],
    ]);
    expect(cellsOf(page, 'tasks')).toEqual([
      ['MCQEnvironment', '3', '2', '1', '100.0 %', '0.0 %', '34.2 % to 100.0 %'],
    ]);
    expect(cellsOf(page, 'confusion')).toEqual([
      ['A', '1', '0'],
      ['B', '0', '1'],
    ]);
    expect(cellsOf(page, 'errors')).toEqual([['timeout', '1', 'not judged']]);
  });

  test('says what the counts by trial are of, and does not round a share to all or a price to nothing', async () => {
    const almost = {
      success_by_trial: [0.9995],
      correct_by_trial: [1999],
      accuracy: 0.9995,
      cost_usd: 0.00004,
    };
    const page = await pageOf(almost);
    const heads = parseSection(page, 'trials').texts.filter(({ path }) => path.at(-1) === 'th');
    expect(heads.map(({ text }) => text)).toEqual([
      'trial',
      'success',
      'stderr',
      '95 % interval',
      'correct',
      '1',
    ]);
    expect(cellsOf(page, 'trials')).toEqual([['1', '99.95 %', '33.3 %', '0.0 % to 100.0 %', '1\u202f999']]);
    expect(visibleText(page)).toContain('$0.00004');
  });

  test('has a section of groups where the metrics have some, all of them, and the names as they are', async () => {
    const [figures] = Object.values(metricsOf(ROWS).by_task);
    const names = Array.from({ length: 25 }, (_, index) => `<b>${index}</b>`);
    const by = { topic: Object.fromEntries(names.map((name) => [name, figures as TaskMetrics])) };
    const page = await pageOf({ by });
    expect(cellsOf(page, 'groups')).toEqual(
      names.map((_, index) => [`<b>${index}</b>`, ...['3', '1', '100.0 %', '0.0 %', '34.2 % to 100.0 %']]),
    );
    expect(visibleText(page)).toContain('Accuracy by topic');
    expect(await pageOf()).not.toContain('id="groups"');
  });

  test('frames the right answers of the confusion matrix and shades a cell by its share of the row', async () => {
    const confusion = { A: { A: 1, B: 3 }, B: { none: 4 } };
    const metrics = metricsOf(ROWS);
    const [figures] = Object.values(metrics.by_task);
    const task = { ...(figures as TaskMetrics), confusion };
    const page = await whole(runReport({ ...metrics, by_task: { MCQEnvironment: task } }, []));
    const cells = parseSection(page, 'confusion').tags.filter(({ name }) => name === 'td');
    expect(cells.map(({ attributes }) => attributes.class)).toEqual([
      'number m1 right',
      'number m3',
      'number ',
      'number ',
      'number  right',
      'number m4',
    ]);
  });

  test('has no section for confusion where there are no letters', async () => {
    const page = await pageOf({}, [row('a', 0, 'yes')]);
    expect(page).not.toContain('id="confusion"');
    expect(page).not.toContain('href="#confusion"');
  });

  test('says how many warnings the rows have, and what the first one is', async () => {
    const warned = { ...row('a', 0, 'yes'), warnings: ['after step 1: <b>blind</b>', 'later'] };
    const page = await pageOf({}, [warned]);
    expect(visibleText(page)).toMatch(/Warnings\s*2\s*the first: after step 1: <b>blind<\/b>/);
    expect(await pageOf()).not.toContain('Warnings');
  });

  test('lists each sample with each trial', async () => {
    expect(cellsOf(await pageOf(), 'samples').map((cells) => cells.slice(0, 3))).toEqual([
      ['a', 'success', '–'],
      ['b', 'failure', 'success'],
      ['c', 'failure', 'error'],
    ]);
  });

  test('has a column for each epoch, and a section of what they are reduced to', async () => {
    const rows = [
      ...[row('a', 0, 'yes'), row('a', 1, 'no')].map((one) => ({ ...one, epoch: 0 })),
      ...[row('a', 2, 'no'), row('a', 3, 'timeout')].map((one) => ({ ...one, epoch: 1 })),
    ];
    const builder = new RunMetricsBuilder({ num_trials: 2, epochs: 2, reducers: ['mode'] });
    for (const one of rows) builder.add(one, []);
    const { samples, epochs, reducers, success_by_trial } = builder.finish(FACTS);
    expect({ samples, success_by_trial }).toEqual({ samples: 2, success_by_trial: [0.5, 0] });
    const page = await pageOf({ samples, epochs, reducers, success_by_trial }, rows);
    expect(visibleText(page)).toContain('epoch 2, trial 1');
    expect(cellsOf(page, 'samples')[0]?.slice(0, 5)).toEqual(['a', 'success', 'failure', 'failure', 'error']);
    expect(cellsOf(page, 'epochs')).toEqual([['mode', '1', '0.0 %', '–', '–']]);
    expect(await pageOf()).not.toContain('id="epochs"');
  });

  test('names the right answer of a sample whose last trial is an error as well', async () => {
    const cells = cellsOf(await pageOf(), 'samples');
    expect(cells.map((each) => each.slice(3))).toEqual([
      ['action', 't'],
      ['action', 't'],
      ['timeout: not judged', 't'],
    ]);
  });

  test('lists the first thousand samples of more, and reads no further', async () => {
    let read = 0;
    async function* many() {
      for (let index = 0; index < 5000; index++) {
        read += 1;
        yield taskRow(row(`s${index}`, 0, 'yes'));
      }
    }
    const page = await whole(runReport({ ...metricsOf(ROWS), samples: 5000 }, many()));
    expect(cellsOf(page, 'samples')).toHaveLength(1000);
    expect(visibleText(page)).toContain('The first 1\u202f000 of 5\u202f000');
    expect(read).toBe(1001);
  });

  test.each([
    [
      { in_words: ['First ones.', 'Each prompt shows <b>all</b>.'] },
      'First ones. Each prompt shows <b>all</b>.',
    ],
    [{ simulated: true }, 'Simulated model.'],
    [{ status: 'stopped', status_message: 'By hand.' }, 'Stopped before its end. By hand.'],
  ] satisfies [Partial<Metrics>, string][])('says so: %j', async (fields, sentence) => {
    expect(visibleText(await pageOf(fields))).toContain(sentence);
  });

  test('says nothing of a simulation where a model answered', async () => {
    expect(visibleText(await pageOf())).not.toContain('Simulated model.');
  });

  test('names which trial a figure is of, and gives the mean over all of them', async () => {
    const text = visibleText(await pageOf());
    expect(text).toMatch(/Accuracy \(last trial\)\s*100\.0 %/);
    expect(text).toMatch(/Mean reward \(last trial\)/);
    expect(text).toMatch(/Mean over trials\s*50\.0 %\s*stderr .* %, 95 % interval .* %, 4 judged trials/);
    expect(text).toContain('accuracy (last trial)');
    const any = visibleText(await pageOf({ accuracy_of: 'any_trial', mean_over_trials: undefined }));
    expect(any).toContain('Accuracy (any trial)');
    expect(any).toContain('the share that any trial so far got right');
    expect(any).toMatch(/Mean over trials\s*–\s*a success ends the trials of its sample/);
    const one = visibleText(await pageOf({}, [row('a', 0, 'yes')]));
    expect(one).not.toMatch(/\((last|any) trial\)|Mean over trials/);
  });

  test('shows hostile texts as they are written', async () => {
    const rows = HOSTILE.flatMap((text, index) => [
      { ...row(`${text}`, 0, 'yes', letter(text, text)), extracted: text },
      {
        ...row(`x${index}`, 0, 'no'),
        action: text,
        extracted: null,
        feedback: { correct: false, target: text, message: text },
      },
      { ...row(`y${index}`, 0, 'error'), error: { type: text, message: text } },
    ]);
    const fields = {
      name: HOSTILE.join(''),
      model: HOSTILE.join(''),
      agent: HOSTILE.join(''),
      agent_metrics: { [HOSTILE.join('')]: 1 },
    };
    const { tags } = parsePage(await pageOf(fields, rows));
    const own = parsePage(await pageOf()).tags.map(({ name }) => name);
    expect(tags.filter(({ name }) => !own.includes(name))).toEqual([]);
    const names = tags.flatMap(({ attributes }) => Object.keys(attributes));
    expect(names.filter((name) => /^(on.*|style|src|srcdoc|action|autofocus)$/.test(name))).toEqual([]);
  });
});
