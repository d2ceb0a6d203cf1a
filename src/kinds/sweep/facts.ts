import type { Json } from '../../contracts/json.js';
import { type Fact, type FactTable, type LineValue, tableFacts, textFact } from '../../facts/fact.js';
import { unitsFact } from '../../facts/frame.js';
import type { KindFacts } from '../../facts/kind-facts.js';
import { percentText, pointsText, pValueText, scoreText } from '../../statistics/figure-text.js';
import type { CellRow, SettingDifference, SettingResult, SweepMetrics, SweepProgress } from './contracts.js';

const text = (value: string): LineValue => ({ kind: 'text', text: value });

const NOTHING = text('–');

/** Formats a value with its standard error: `66.7 % ± 3.1`. */
function estimate(value: number | null, stderr: number | null, isShare: boolean): LineValue {
  if (value === null) return NOTHING;
  const shown = (number: number) => (isShare ? percentText(number) : scoreText(number));
  if (stderr === null) return text(shown(value));
  return text(`${shown(value)} ± ${isShare ? percentText(stderr).replace(' %', '') : scoreText(stderr)}`);
}

/** Formats a setting by the fields that differ: `toy, 0.7`. */
function settingText(settings: Record<string, Json>, varied: readonly string[]): string {
  const values = varied.map((field) => {
    const value = settings[field];
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
  return values.length === 0 ? 'all' : values.join(', ');
}

/** Returns the fields with several values. */
function variedFields(settings: readonly Pick<SettingResult, 'settings'>[]): string[] {
  const [first] = settings;
  const isVaried = (field: string) =>
    new Set(settings.map((one) => JSON.stringify(one.settings[field]))).size > 1;
  return Object.keys(first?.settings ?? {}).filter(isVaried);
}

/** Names fields by their last parts, such as `temperature`; by the whole where two have the same. */
function nameOfFields(varied: readonly string[]): string {
  const short = varied.map((field) => field.slice(field.lastIndexOf('.') + 1));
  if (varied.length === 0) return 'setting';
  return (new Set(short).size === short.length ? short : varied).join(', ');
}

/** Returns the table of a sweep's cells, each with its first figure. */
function cellTable({ cells, settings, repeats }: SweepMetrics): FactTable {
  const varied = variedFields(settings);
  const [figure] = cells.flatMap(({ figures }) => figures.slice(0, 1));
  const row = (cell: CellRow): LineValue[] => {
    const { value = null, stderr = null, is_share = false } = cell.figures[0] ?? {};
    const name = settingText(cell.settings, varied) + (repeats === 1 ? '' : `, repeat ${cell.repeat + 1}`);
    const seconds = cell.seconds_per_sample;
    return [
      text(cell.status === 'done' ? name : `${name} (${cell.status})`),
      estimate(value, stderr, is_share),
      { kind: 'count', count: cell.errors },
      { kind: 'count', count: cell.lm_calls },
      { kind: 'money', dollars: cell.cost_usd },
      seconds === null ? NOTHING : text(seconds.toFixed(2)),
    ];
  };
  const head = [nameOfFields(varied), figure?.label ?? 'figure', 'errors', 'calls', 'cost', 's/sample'];
  const notes = [
    ...(figure === undefined ? [] : ['± standard error.']),
    ...(cells.some(({ lm_calls_cached }) => lm_calls_cached !== undefined)
      ? ['A call that several cells share is paid by the first of them, and counted in each.']
      : []),
  ];
  return { kind: 'table', head, rows: cells.map(row), notes };
}

/** Scorers and settings that are listed with their unscored samples. */
const UNSCORED_LISTED = 10;

/** Says of which samples scorers gave no score: these are in no mean. */
function unscoredNotes(settings: readonly SettingResult[], varied: readonly string[]): string[] {
  const all = settings.flatMap(({ settings: own, unscored = {} }) =>
    Object.entries(unscored).map(
      ([name, { samples, of }]) => `${name}: ${samples} of ${of} unscored in ${settingText(own, varied)}.`,
    ),
  );
  const left = all.length - UNSCORED_LISTED;
  return [...all.slice(0, UNSCORED_LISTED), ...(left > 0 ? [`… and ${left} more, in metrics.json.`] : [])];
}

/** Returns the table of the scores of settings; none where the table of cells has all of them. */
function scoreTable({ settings, repeats, clustered_by = 'sample' }: SweepMetrics): FactTable {
  const varied = variedFields(settings);
  const head = [nameOfFields(varied), 'score', 'samples', 'mean', 'cost'];
  const rows = settings.flatMap(({ settings: own, scores, cost_usd }) =>
    scores.map(({ score, samples, mean, stderr, is_share }): LineValue[] => [
      text(settingText(own, varied)),
      text(score),
      { kind: 'count', count: samples },
      estimate(mean, stderr, is_share),
      { kind: 'money', dollars: cost_usd },
    ]),
  );
  const over = repeats === 1 ? '' : ` over ${repeats} repeats`;
  const unscored = unscoredNotes(settings, varied);
  const notes = [`Means${over} ± standard error, clustered by ${clustered_by}.`, ...unscored];
  const isInCells =
    repeats === 1 && unscored.length === 0 && settings.every(({ scores }) => scores.length < 2);
  return { kind: 'table', head, rows: isInCells ? [] : rows, notes };
}

function differenceText({ difference, interval, is_share }: SettingDifference): string {
  if (difference === null) return '–';
  const bound = (value: number) => (is_share ? (100 * value).toFixed(1) : scoreText(value));
  const shown = is_share ? pointsText(difference) : `${difference > 0 ? '+' : ''}${scoreText(difference)}`;
  return interval === null ? shown : `${shown} [${interval.map(bound).join(', ')}]`;
}

/** Returns the table of the differences between the first setting and the others. */
function differenceTable({ settings, clustered_by }: SweepMetrics): FactTable {
  const varied = variedFields(settings);
  const [first] = settings;
  const rows = settings.flatMap(({ settings: own, differences = [] }) =>
    differences.map((one): LineValue[] => [
      text(settingText(own, varied)),
      text(one.score),
      { kind: 'count', count: one.pairs },
      text(differenceText(one)),
      one.p_value === null ? NOTHING : text(pValueText(one.p_value_holm ?? one.p_value)),
    ]),
  );
  const isCorrected = settings.some(({ differences = [] }) =>
    differences.some((one) => 'p_value_holm' in one),
  );
  const notes = [
    `Against ${settingText(first?.settings ?? {}, varied)}, paired by sample, with 95 % intervals${clustered_by === undefined ? '' : `, clustered by ${clustered_by}`}.`,
    `p-values are two-sided${isCorrected ? ', and corrected for the number of settings (Holm)' : ''}.`,
  ];
  return { kind: 'table', head: [nameOfFields(varied), 'score', 'pairs', 'difference', 'p'], rows, notes };
}

/** Returns the table of the cells in progress. */
function liveTable({ cells }: SweepProgress): FactTable {
  const rows = cells.map(({ name, status, part, lm_calls, cost_usd }): LineValue[] => [
    text(name),
    text(status === 'running' ? `running, ${Math.floor(100 * part)} %` : status),
    { kind: 'count', count: lm_calls },
    { kind: 'money', dollars: cost_usd },
  ]);
  return { kind: 'table', head: ['cell', 'status', 'calls', 'cost'], rows, live: true };
}

function facts(progress: SweepProgress): Fact[] {
  const { metrics } = progress;
  if (metrics === null) return [unitsFact(progress), ...tableFacts('cells', liveTable(progress))];
  return [
    textFact('command', metrics.command, { label: 'cells of' }),
    unitsFact(progress),
    ...tableFacts('cells', cellTable(metrics)),
    ...tableFacts('scores', scoreTable(metrics), { label: 'scores by setting' }),
    ...tableFacts('differences', differenceTable(metrics), { label: 'differences' }),
  ];
}

/** Facts of a sweep: its cells, and the differences between settings. */
export const SWEEP_FACTS: KindFacts<SweepProgress> = {
  facts,
  judged: ({ cells, errors }) => {
    const ended = cells.filter(({ status }) => status === 'done' || status === 'incomplete').length;
    return { what: 'cell', judged: ended, errors, of: ended + errors };
  },
  atEnd: ({ cells, cells_planned, model }) => ({
    models: { models: model },
    units: {
      noun: 'cell',
      planned: cells_planned,
      ended: cells.filter(({ status }) => status !== 'waiting').length,
      running: 0,
    },
    cells: cells.map(({ name, status, lm_calls, cost_usd }) => ({
      name,
      status,
      part: status === 'done' ? 1 : 0,
      lm_calls,
      cost_usd,
    })),
  }),
};
