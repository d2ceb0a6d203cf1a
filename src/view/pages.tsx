import type { ComponentChildren, VNode } from 'preact';
import type { Comparison } from '../client/compare.js';
import { Count, FactList, Figure, Moment, type NamedFigure, NOTHING, Share } from '../reports/figures.js';
import { Heading, type Section, SectionLinks, type Title } from '../reports/page.js';
import { FactTiles, Notices, reportSections } from '../reports/report.js';
import { NumberCell, Table } from '../reports/table.js';
import type { ScoreComparison } from '../statistics/comparison.js';
import {
  countedText,
  dollarsText,
  pluralOf,
  pointsText,
  pValueText,
  scoreText,
} from '../statistics/figure-text.js';
import { href, unitHref } from './addresses.js';
import type { Opened, OpenedUnit, ShownExperiment } from './experiments.js';
import type { Note } from './notes.js';
import type { IndexedRow } from './row-index.js';
import { type RowsQuery, RowsTable, ScoreMark } from './rows-table.js';
import { Executions, Timeline, Transcript } from './transcript.js';

/** Maximum changed samples of a comparison that are listed with their answers, in each direction. */
const MAX_CHANGES = 200;

/** A page of the viewer. */
export interface Page {
  title: string;
  /** Links to the pages above it. */
  trail: readonly (readonly [name: string, address: string])[];
  top: VNode;
  sections: readonly Section[];
  /** True if it is read anew while it is looked at. */
  isLive: boolean;
}

const HOME = ['experiments', href('experiments')] as const;

const heading = (title: Title, children?: ComponentChildren) => <Heading {...title}>{children}</Heading>;

/** What of the list is shown, as its address has it. */
export interface ListQuery {
  find: string;
  sort: string;
}

/** The list of experiments. */
export function listPage(
  experiments: readonly ShownExperiment[],
  { find, sort }: ListQuery,
  root: string,
): Page {
  const texts = ({ id, name, kind, phase, models, tags }: ShownExperiment) => [
    id,
    name,
    kind,
    phase,
    ...models,
    ...tags,
  ];
  const wanted = find.toLowerCase();
  const found = experiments.filter((one) => texts(one).some((text) => text.toLowerCase().includes(wanted)));
  const key = sort.replace(/^-/, '') as keyof ShownExperiment;
  if (sort !== '')
    found.sort((left, right) => {
      const [one, other] = [left[key] ?? '', right[key] ?? ''];
      const order =
        typeof one === 'number' && typeof other === 'number'
          ? one - other
          : String(one).localeCompare(String(other), 'en', { numeric: true });
      return sort.startsWith('-') ? -order : order;
    });
  const head = (name: keyof ShownExperiment & string, label: string = name) => ({
    head: (
      <a href={href('experiments', { find: find || undefined, sort: sort === name ? `-${name}` : name })}>
        {label}
      </a>
    ),
  });
  const table =
    experiments.length === 0 ? (
      <p>
        There is no experiment here so far. <code>npx reprise demo</code> makes one without a key.
      </p>
    ) : (
      <>
        <form class="filter" method="get" action="./">
          <label>
            Find <input type="search" name="find" value={find} />
          </label>
          <button type="submit">Show</button>
        </form>
        {found.length === 0 && (
          <p>
            None of the {experiments.length} has “{find}” in its name, kind, status, models or tags.{' '}
            <a href={href('experiments')}>Show all</a>
          </p>
        )}
        <form method="get" action="./compare" hidden={found.length === 0}>
          <input type="hidden" name="order" value="started" />
          <Table
            label="Table of experiments"
            tableKind="experiments"
            columns={[
              'compare',
              head('id', 'experiment'),
              head('kind'),
              head('phase', 'status'),
              'figures',
              'models',
              head('cost_usd', 'cost'),
              head('started'),
              'tags',
            ]}
          >
            {found.map((one) => (
              <tr key={one.id}>
                <td>
                  <input type="checkbox" name="id" value={one.id} aria-label={`compare ${one.id}`} />
                </td>
                <th scope="row">
                  <a href={href('experiment', { id: one.id })}>{one.id}</a>
                </th>
                <td>{one.kind}</td>
                <td>{one.isLive ? <strong>{one.phase}</strong> : one.phase.replaceAll('_', ' ')}</td>
                <td class="wide">{one.headline}</td>
                <td class="models">{one.models.join(', ')}</td>
                <NumberCell>
                  {one.cost_usd === null ? (
                    NOTHING
                  ) : (
                    <Figure value={one.cost_usd} shown={dollarsText(one.cost_usd)} />
                  )}
                </NumberCell>
                <td class="started">{one.started === null ? NOTHING : <Moment iso={one.started} />}</td>
                <td>
                  {one.tags.map((tag) => (
                    <a key={tag} class="tag" href={href('experiments', { find: tag })}>
                      {tag}
                    </a>
                  ))}
                </td>
              </tr>
            ))}
          </Table>
          <p>
            <button type="submit">Compare those that are marked</button>
          </p>
        </form>
      </>
    );
  return {
    title: 'Experiments',
    trail: [],
    top: heading({ kind: 'Reprise', name: 'Experiments', experiment: root }),
    sections: [
      {
        id: 'experiments',
        title: 'Experiments',
        heading: countedText(found.length, 'experiment'),
        content: table,
      },
    ],
    isLive: experiments.some(({ isLive }) => isLive),
  };
}

/** What is written from a page; null where the viewer only reads. */
export type Write = { isOn: boolean };

/** Forms that change an experiment. */
function Controls({ opened, isOn }: { opened: Opened } & Write) {
  if (!isOn) return null;
  const button = (what: string, label: string) => (
    <button type="submit" name="what" value={what}>
      {label}
    </button>
  );
  const { id, isLive, metrics, notes } = opened;
  const buttons = isLive
    ? [button('pause', 'Pause'), button('resume', 'Resume'), button('stop', 'Stop')]
    : (metrics?.errors ?? 0) > 0 && ['done', 'incomplete'].includes(metrics?.status ?? '')
      ? [button('retry', 'Ask errors again')]
      : [];
  return (
    <div class="controls">
      {buttons.length > 0 && (
        <form method="post" action="./act">
          <input type="hidden" name="id" value={id} />
          {buttons}
        </form>
      )}
      <form method="post" action="./act">
        <input type="hidden" name="id" value={id} />
        <label>
          Tags <input name="tags" value={notes.tags.join(', ')} />
        </label>
        {button('tags', 'Keep')}
      </form>
    </div>
  );
}

/** Share of the units that a person found right, beside what the scorers say of the same ones. */
function handSection(notes: readonly Note[], rows: readonly IndexedRow[]): Section[] {
  const judged = notes.filter(({ verdict }) => verdict !== null);
  if (judged.length === 0) return [];
  const right = judged.filter(({ verdict }) => verdict === true).length;
  const scores = new Map<string, { agree: number; of: number }>();
  for (const { id, trial, verdict } of judged) {
    const row = rows.find((one) => one.id === id && one.trial === trial);
    for (const [name, value] of Object.entries(row?.scores ?? {})) {
      const so = scores.get(name) ?? { agree: 0, of: 0 };
      scores.set(name, { agree: so.agree + Number(value >= 1 === verdict), of: so.of + 1 });
    }
  }
  const facts: NamedFigure[] = [
    [
      'right by hand',
      <>
        <Share value={right / judged.length} /> ({right} of {judged.length} with a verdict)
      </>,
    ],
    ...[...scores].map(([name, { agree, of }]): NamedFigure => [`${name} agrees`, `${agree} of ${of}`]),
  ];
  return [{ id: 'hand', title: 'By hand', content: <FactList facts={facts} /> }];
}

/** An experiment: its figures, the sections of its kind, and its rows. */
export function experimentPage(
  opened: Opened,
  rows: readonly IndexedRow[],
  own: readonly Section[],
  {
    query,
    judgements,
    files,
    isOn,
  }: { query: RowsQuery; judgements: readonly string[]; files: readonly string[] } & Write,
): Page {
  const { id, metrics, kind, view, facts, workflow, isLive, notes } = opened;
  const report = metrics === null ? null : view.report(metrics as never);
  const [figures, ...others] =
    report === null
      ? [{ id: 'figures', title: 'Figures', content: <FactTiles facts={facts} /> }]
      : reportSections(report);
  const table: Section[] =
    rows.length === 0
      ? []
      : [
          {
            id: 'units',
            title: `${view.unit.charAt(0).toUpperCase()}${pluralOf(view.unit).slice(1)}`,
            content: <RowsTable id={id} view={view} rows={rows} query={query} notes={notes.notes} />,
          },
        ];
  const links: NamedFigure[] = [
    ...(workflow === null
      ? []
      : [
          [
            'Temporal UI',
            <a key="ui" href={workflow}>
              the workflow
            </a>,
          ] as const,
        ]),
    ...files.map(
      (path): NamedFigure => [
        path.replace(/\..*/, '').replace('run', 'log'),
        <a key={path} href={href('file', { id, path })}>
          {path}
        </a>,
      ],
    ),
    ...judgements.map(
      (name): NamedFigure => [
        'judgement',
        <a key={name} href={href('experiment', { id: name })}>
          {name.split('/').at(-1)}
        </a>,
      ],
    ),
    ...(notes.tags.length === 0 ? [] : [['tags', notes.tags.join(', ')] as const]),
  ];
  const sections = [figures as Section, ...own, ...table, ...handSection(notes.notes, rows), ...others];
  return {
    title: id,
    trail: trailOf(id),
    top: heading(
      {
        kind: report?.kind ?? kind.noun.replace(/^an? /, ''),
        name: id.split('/').at(-1) ?? id,
        experiment: id,
      },
      <>
        <SectionLinks sections={sections} />
        {report !== null && <Notices {...report} />}
        {isLive && <p class="notice">In progress: this page follows it.</p>}
        <FactList facts={links} />
        <Controls opened={opened} isOn={isOn} />
      </>,
    ),
    sections,
    isLive,
  };
}

/** Links to the list, and to the experiments that an id is within. */
function trailOf(id: string, own = false): Page['trail'] {
  const parts = id.split('/');
  const parent =
    parts.length > 1 ? [[parts[0] as string, href('experiment', { id: parts[0] })] as const] : [];
  return [HOME, ...parent, ...(own ? [[parts.at(-1) as string, href('experiment', { id })] as const] : [])];
}

/** Maximum characters of a field that stands beside others; longer ones are folded. */
const MAX_FACT = 300;

/** Fields of a row that are shown elsewhere on its page. */
const SHOWN_ELSEWHERE = [
  'id',
  'task_id',
  'trial',
  'question',
  'step_records',
  'timesteps',
  'metadata',
  'usage',
  'schema_version',
  'reset_kwargs',
  'judge_response',
  'metrics',
  'scores',
];

/** One unit: what came of it, its conversation, programs and what its kind knows. */
export function unitPage(
  opened: Opened,
  { indexed, row, calls, executions }: OpenedUnit,
  unit: { id: string; trial: number },
  {
    own,
    judged,
    neighbours,
    isOn,
    waits,
  }: {
    own: readonly Section[];
    judged: readonly Section[];
    neighbours: Record<'previous' | 'next', IndexedRow | null>;
    waits: boolean;
  } & Write,
): Page {
  const { id, view, workflow, isLive } = opened;
  const note = opened.notes.notes.find((one) => one.id === unit.id && one.trial === unit.trial);
  const sections: Section[] = [
    ...(row === null
      ? []
      : [{ id: 'outcome', title: 'Outcome', content: <Outcome row={row} indexed={indexed} /> }]),
    ...own,
    ...judged,
    ...(calls.length === 0
      ? []
      : [
          {
            id: 'conversation',
            title: view.unit === 'scaffold' ? 'Calls' : 'Conversation',
            content: (
              <>
                <Timeline calls={calls} />
                <Transcript calls={calls} imageAt={(path) => href('file', { id, path })} />
              </>
            ),
          },
        ]),
    ...(waits ? [{ id: 'reply', title: 'Reply', content: <ReplyForm id={id} unit={unit} /> }] : []),
    ...(executions.length === 0
      ? []
      : [
          {
            id: 'programs',
            title: 'Programs',
            heading: view.unit === 'scaffold' ? 'Outputs on each example' : 'Programs',
            content: <Executions executions={executions} />,
          },
        ]),
    ...stepSection(row),
    ...(isOn ? [{ id: 'note', title: 'Note', content: <NoteForm id={id} unit={unit} note={note} /> }] : []),
  ];
  const step = (to: IndexedRow | null, word: string) =>
    to !== null && (
      <a href={unitHref(id, to.id, to.trial)}>
        {word}: {to.id}
        {to.trial > 0 && `, trial ${to.trial + 1}`}
      </a>
    );
  const name = unit.id === '' ? '(no id)' : unit.id;
  return {
    title: `${name} · ${id}`,
    trail: trailOf(id, true),
    top: heading(
      { kind: unit.trial > 0 ? `${view.unit}, trial ${unit.trial + 1}` : view.unit, name, experiment: id },
      <>
        <SectionLinks sections={sections} />
        <nav class="pages" aria-label="Neighbours">
          {step(neighbours.previous, 'previous')}
          {step(neighbours.next, 'next')}
          {workflow !== null && <a href={workflow}>the workflow in the Temporal UI</a>}
        </nav>
        {note !== undefined && !isOn && (
          <p class="notice">
            {note.verdict !== null && <strong>{note.verdict ? 'Right' : 'Wrong'}, by hand. </strong>}
            {note.text}
          </p>
        )}
      </>,
    ),
    sections,
    isLive,
  };
}

/** What a row says: question, answers, scores with the grader's reason, error, tokens and cost. */
function Outcome({ row, indexed }: { row: Record<string, unknown>; indexed: IndexedRow | null }) {
  const { question, feedback, error, metrics } = row as {
    question?: unknown;
    feedback?: { message?: string } | null;
    error?: { type: string; message: string } | null;
    metrics?: Record<string, { score?: number; reason?: string }>;
  };
  const scores = Object.entries(indexed?.scores ?? {});
  const names = scores.map(([name]) => name);
  const elsewhere = [...SHOWN_ELSEWHERE, 'feedback', 'error', ...names];
  // It stands beside the reward.
  if (names.includes('reward')) elsewhere.push('reason');
  const fields = [
    ...Object.entries(indexed?.metadata ?? {}),
    ...Object.entries(row)
      .filter(([name, value]) => !elsewhere.includes(name) && value !== null)
      .map(([name, value]): [string, string] => [
        name.replaceAll('_', ' '),
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
  ];
  const isLong = ([, text]: [string, string]) => text.length > MAX_FACT || text.trim().includes('\n');
  return (
    <>
      {typeof question === 'string' && <div class="text asked">{question}</div>}
      {error != null && (
        <pre class="error">
          {'\n'}
          {error.type}: {error.message}
        </pre>
      )}
      {scores.length > 0 && (
        <Table label="Scores" columns={['score', 'value', 'reason']}>
          {scores.map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <NumberCell>
                <ScoreMark value={value} isShare={name === 'correct' || name === 'success'} />
              </NumberCell>
              <td class="wide">
                {metrics?.[name]?.reason ??
                  (name === 'correct' ? feedback?.message : undefined) ??
                  (name === 'reward' && typeof row.reason === 'string' ? row.reason : '')}
              </td>
            </tr>
          ))}
        </Table>
      )}
      <FactList facts={fields.filter((field) => !isLong(field))} />
      {fields.filter(isLong).map(([name, text]) => (
        <details key={name}>
          <summary>{name}</summary>
          <div class="text asked">{text}</div>
        </details>
      ))}
    </>
  );
}

interface Step {
  obs?: string;
  action?: string;
  reward?: number;
  feedback?: { correct?: boolean; message?: string };
}

/** Returns the section of the steps of an episode with several. */
function stepSection(row: Record<string, unknown> | null): Section[] {
  const steps = Array.isArray(row?.step_records) ? (row.step_records as Step[]) : [];
  if (steps.length === 0) return [];
  const content = (
    <Table label="Steps" columns={['step', 'observation', 'action', 'feedback', 'reward']}>
      {steps.map(({ obs, action, reward, feedback }, index) => (
        <tr key={index}>
          <th scope="row">{index + 1}</th>
          <td class="wide">{obs}</td>
          <td class="wide">{action}</td>
          <td class="wide">{feedback?.message}</td>
          <NumberCell>{reward === undefined ? NOTHING : scoreText(reward)}</NumberCell>
        </tr>
      ))}
    </Table>
  );
  return [{ id: 'steps', title: 'Steps', content }];
}

function Unit({ id, unit }: { id: string; unit: { id: string; trial: number } }) {
  return (
    <>
      <input type="hidden" name="id" value={id} />
      <input type="hidden" name="unit" value={unit.id} />
      <input type="hidden" name="trial" value={unit.trial} />
    </>
  );
}

const ReplyForm = ({ id, unit }: { id: string; unit: { id: string; trial: number } }) => (
  <form method="post" action="./act" class="written">
    <Unit id={id} unit={unit} />
    <label>
      Your message, in the place of the user
      <textarea name="text" rows={3} required />
    </label>
    <button type="submit" name="what" value="reply">
      Send
    </button>
  </form>
);

const NoteForm = ({
  id,
  unit,
  note,
}: {
  id: string;
  unit: { id: string; trial: number };
  note: Note | undefined;
}) => (
  <form method="post" action="./act" class="written">
    <Unit id={id} unit={unit} />
    <label>
      Verdict{' '}
      <select name="verdict">
        {[
          ['', 'none'],
          ['right', 'right'],
          ['wrong', 'wrong'],
        ].map(([value, label]) => (
          <option
            key={value}
            value={value}
            selected={value === (note?.verdict == null ? '' : note.verdict ? 'right' : 'wrong')}
          >
            {label}
          </option>
        ))}
      </select>
    </label>
    <label>
      Note
      <textarea name="text" rows={3} value={note?.text ?? ''} />
    </label>
    <button type="submit" name="what" value="note">
      Keep
    </button>
  </form>
);

/** Experiments side by side: the figures of `reprise compare`, and the samples that changed with both answers. */
/** @param ids of the compared experiments, in their order */
export function comparePage({ experiments, comparisons }: Comparison, ids: readonly string[]): Page {
  const [baseline] = experiments;
  const costs = (
    <Table
      label="Table of the compared experiments"
      columns={['experiment', 'status', 'samples', 'rows', 'not judged', 'LM calls', 'cost', 'cost a sample']}
    >
      {experiments.map(({ letter, experiment, status, samples, trials, not_judged, costs }, at) => (
        <tr key={letter}>
          <th scope="row">
            {letter}: {experiment}{' '}
            {at > 0 && (
              <small>
                <a href={href('compare', { id: [ids[at] ?? '', ...ids.filter((_, other) => other !== at)] })}>
                  as the baseline
                </a>
              </small>
            )}
          </th>
          <td>{status.replaceAll('_', ' ')}</td>
          {[samples, trials, not_judged, costs.lm_calls].map((value, index) => (
            <NumberCell key={index}>
              <Count value={value} />
            </NumberCell>
          ))}
          {[costs.cost_usd, costs.cost_usd_per_sample].map((value, index) => (
            <NumberCell key={index}>
              {value === null ? NOTHING : <Figure value={value} shown={dollarsText(value)} />}
            </NumberCell>
          ))}
        </tr>
      ))}
    </Table>
  );
  const sections = comparisons.flatMap((one, at): Section[] => {
    const id = `against-${one.letter}`;
    const title = `${one.letter} against ${baseline?.letter}`;
    return [
      {
        id,
        title,
        heading: `${one.experiment} against ${baseline?.experiment}`,
        content: (
          <>
            <p>
              Paired by sample: {one.samples.both} samples in both, {one.samples.baseline_only} in the first
              only, {one.samples.other_only} in the other only.
            </p>
            <Table
              label={`Scores of ${one.letter} against ${baseline?.letter}`}
              columns={[
                'score',
                'pairs',
                baseline?.experiment ?? '',
                one.experiment,
                'difference',
                '95 % interval',
                'p-value',
              ]}
            >
              {one.scores.map((score) => (
                <ScoreRow key={`${score.score} ${score.trials}`} score={score} />
              ))}
            </Table>
            {one.clustered_by !== undefined && (
              <p class="note">Intervals and p-values are clustered by {one.clustered_by}.</p>
            )}
            {one.unpaired_scores.length > 0 && (
              <p class="note">Of one only: {one.unpaired_scores.join(', ')}.</p>
            )}
            <FactList
              facts={one.differences.map(
                ({ field, baseline: before, other }): NamedFigure => [
                  `${field}${one.unexpected.includes(field) ? ' (not to be expected)' : ''}`,
                  `${JSON.stringify(before)} → ${JSON.stringify(other)}`,
                ],
              )}
            />
          </>
        ),
      },
      ...one.scores.slice(0, 1).flatMap(({ score, changes }) =>
        (['worse', 'better'] as const).map(
          (direction): Section => ({
            id: `${id}-${direction}`,
            title: `${direction} in ${one.letter}`,
            heading: `${score}: ${direction} in ${one.experiment}, ${countedText(changes[direction].length, 'sample')}`,
            content:
              changes[direction].length === 0 ? (
                <p>There is none.</p>
              ) : (
                <Table
                  label={`Samples that are ${direction}`}
                  columns={[
                    'sample',
                    baseline?.experiment ?? '',
                    'its answers',
                    one.experiment,
                    'its answers',
                  ]}
                >
                  {changes[direction]
                    .slice(0, MAX_CHANGES)
                    .map(({ id: sample, question, baseline: before, other }) => (
                      <tr key={sample}>
                        <th scope="row">
                          <a href={unitHref(ids[at + 1] ?? '', sample)}>{sample}</a>
                          {question !== null && <small class="asked">{question.slice(0, 120)}</small>}
                        </th>
                        <NumberCell>
                          <a href={unitHref(ids[0] ?? '', sample)}>{scoreText(before.value)}</a>
                        </NumberCell>
                        <td class="wide answer">
                          {before.answers.map((answer) => answer ?? NOTHING).join('\n')}
                        </td>
                        <NumberCell>
                          <a href={unitHref(ids[at + 1] ?? '', sample)}>{scoreText(other.value)}</a>
                        </NumberCell>
                        <td class="wide answer">
                          {other.answers.map((answer) => answer ?? NOTHING).join('\n')}
                        </td>
                      </tr>
                    ))}
                </Table>
              ),
          }),
        ),
      ),
    ];
  });
  const all: Section[] = [...sections, { id: 'costs', title: 'Experiments', content: costs }];
  return {
    title: 'Comparison',
    trail: [HOME],
    top: heading(
      {
        kind: 'Comparison',
        name: `Against ${baseline?.experiment}`,
        experiment: experiments.map(({ letter, experiment }) => `${letter}: ${experiment}`).join(', '),
      },
      <SectionLinks sections={all} />,
    ),
    sections: all,
    isLive: false,
  };
}

function ScoreRow({ score }: { score: ScoreComparison & { p_value_holm?: number } }) {
  const { is_share, pairs, baseline, other, difference, interval, test, p_value_holm } = score;
  const mean = (value: number | null) =>
    value === null ? NOTHING : is_share ? <Share value={value} /> : scoreText(value);
  const gain = (value: number) =>
    is_share ? pointsText(value) : `${value > 0 ? '+' : ''}${scoreText(value)}`;
  return (
    <tr>
      <th scope="row">
        {score.score}
        {score.trials !== 'only' && `, ${score.trials} of the trials`}
      </th>
      <NumberCell>
        <Count value={pairs} />
      </NumberCell>
      <NumberCell>{mean(baseline)}</NumberCell>
      <NumberCell>{mean(other)}</NumberCell>
      <NumberCell>{difference === null ? NOTHING : gain(difference)}</NumberCell>
      <NumberCell>
        {interval === null ? NOTHING : `${gain(interval.lower)} to ${gain(interval.upper)}`}
      </NumberCell>
      <NumberCell>{test === null ? NOTHING : pValueText(p_value_holm ?? test.p_value)}</NumberCell>
    </tr>
  );
}

/** A page that says why another one is not there. */
export function messagePage(title: string, message: string): Page {
  return {
    title,
    trail: [HOME],
    top: heading({ kind: 'Reprise', name: title, experiment: '' }),
    sections: [{ id: 'message', title, content: <p>{message}</p> }],
    isLive: false,
  };
}
