import type { VNode } from 'preact';
import type { TaskRow } from '../../contracts/results.js';
import { UNCERTAINTY_HEADS } from '../../facts/uncertainty.js';
import { Chart } from '../../reports/chart.js';
import { Count, NOTHING, Share } from '../../reports/figures.js';
import { barX, ruleX, ruleY } from '../../reports/libraries.js';
import type { Section } from '../../reports/page.js';
import { errorSection, factSection, groupsSection, type Report } from '../../reports/report.js';
import { NumberCell, Scroll, Table } from '../../reports/table.js';
import { answerOf } from '../../statistics/result-row.js';
import { RUN_FACTS } from './facts.js';
import { groupFacts } from './group-facts.js';
import type { Metrics } from './results.js';
import { ofTrialText } from './trial-figures.js';

/** Limit of samples, for the browser; all rows are in `results.jsonl`. */
const MAX_SAMPLES = 1000;
/** Limit of an answer or a message, in characters. */
const LONGEST_TEXT = 160;
/** Number of shades of a matrix cell; classes `m1` (few) to `m4` (all) of the page's style. */
const SHADES = 4;

type Rows = AsyncIterable<TaskRow> | Iterable<TaskRow>;

/**
 * Returns the page of a run: figures, what the agent was shown, success by trial, groups, confusion and errors.
 * @param rows of `results.jsonl`, sample by sample, the trials in order, of which the first samples are shown with their
 * outcomes; they are read no further. Absent: none are shown.
 */
export function runReport(metrics: Metrics, rows?: Rows): Report {
  const ended = { metrics, facts: RUN_FACTS };
  return {
    ...ended,
    kind: 'Run report',
    changes: metrics.code_changes ?? [],
    what: 'episodes',
    statement: metrics.in_words.join(' '),
    sections: [
      { id: 'trials', title: 'Trials', heading: 'Success by trial', content: <Trials {...metrics} /> },
      ...factSection(ended, 'reducers', { id: 'epochs', title: 'Epochs', heading: 'Over epochs' }),
      ...factSection(ended, 'score_reducers', {
        id: 'score-epochs',
        title: 'Scores',
        heading: 'Scores over epochs',
      }),
      { id: 'tasks', title: 'Environments', content: <Environments {...metrics} /> },
      ...groupsSection(groupFacts(metrics, Number.POSITIVE_INFINITY)),
      ...factSection(ended, 'agreement', {
        id: 'agreement',
        title: 'Agreement',
        heading: 'Agreement with labels',
      }),
      ...factSection(ended, 'calls_by_purpose', {
        id: 'purposes',
        title: 'Calls',
        heading: 'Calls by purpose',
      }),
      ...confusionSection(metrics),
      errorSection(metrics, 'sample', 'A sample counts where its last trial could not be judged.'),
      ...(rows === undefined
        ? []
        : [{ id: 'samples', title: 'Samples', content: sampleTable(rows, metrics) }]),
    ],
  };
}

/** Cells of the standard error of a share, and of the bounds of its interval. */
const Uncertain = ({ stderr, interval }: { stderr: number | null; interval: [number, number] | null }) => (
  <>
    <NumberCell>
      <Share value={stderr} />
    </NumberCell>
    <NumberCell>
      {interval === null ? (
        NOTHING
      ) : (
        <>
          <Share value={interval[0]} /> to <Share value={interval[1]} />
        </>
      )}
    </NumberCell>
  </>
);

function Trials(metrics: Metrics): VNode {
  const { success_by_trial: shares, correct_by_trial: correct, accuracy_of } = metrics;
  const intervals = metrics.success_by_trial_interval;
  return (
    <>
      {shares.length > 1 && (
        <figure class="chart">
          <Scroll label="Success by trial">
            <Chart
              label="Success by trial; the table below has the same figures"
              options={{
                width: 460,
                height: 28 * shares.length + 40,
                marginLeft: 50,
                style: { fontSize: '12px' },
                x: { domain: [0, 1], tickFormat: '.0%', label: null },
                y: { label: null, tickFormat: (trial: number) => `trial ${trial + 1}`, tickSize: 0 },
                marks: [
                  barX(shares, {
                    x: (share) => share ?? 0,
                    y: (_, trial) => trial,
                    fill: 'var(--link)',
                    inset: 3,
                  }),
                  ruleY(
                    intervals.flatMap((interval, trial) => (interval === null ? [] : [{ interval, trial }])),
                    {
                      x1: (one) => one.interval[0],
                      x2: (one) => one.interval[1],
                      y: 'trial',
                      strokeWidth: 2,
                    },
                  ),
                  ruleX([0]),
                ],
              }}
            />
          </Scroll>
        </figure>
      )}
      <Table
        label="Table of success by trial"
        columns={['trial', 'success', ...UNCERTAINTY_HEADS, 'correct']}
      >
        {shares.map((share, trial) => (
          <tr>
            <th scope="row">{trial + 1}</th>
            <NumberCell>
              <Share value={share} />
            </NumberCell>
            <Uncertain
              stderr={metrics.success_by_trial_stderr[trial] ?? null}
              interval={intervals[trial] ?? null}
            />
            <NumberCell>
              <Count value={correct[trial] ?? 0} />
            </NumberCell>
          </tr>
        ))}
      </Table>
      <p class="note">
        The share of the judged samples whose newest trial up to this one succeeded.
        {accuracy_of === 'any_trial' &&
          ' A sample is not tried again after a success, so that is the share that any trial so far got right.'}
      </p>
    </>
  );
}

function Environments({ by_task, accuracy_of }: Metrics): VNode {
  const accuracy = `accuracy${ofTrialText(accuracy_of)}`;
  return (
    <Table
      label="Table of environments"
      columns={['environment', 'samples', 'correct', 'errors', accuracy, ...UNCERTAINTY_HEADS]}
    >
      {Object.entries(by_task).map(([task, { samples, correct, errors, ...figures }]) => (
        <tr>
          <th scope="row">
            <code>{task}</code>
          </th>
          {[samples, correct, errors].map((number) => (
            <NumberCell>
              <Count value={number} />
            </NumberCell>
          ))}
          <NumberCell>
            <Share value={figures.accuracy} />
          </NumberCell>
          <Uncertain stderr={figures.accuracy_stderr} interval={figures.accuracy_interval} />
        </tr>
      ))}
    </Table>
  );
}

/** Returns the section of target letter by answered letter, for each environment with letters; none if none has. */
function confusionSection({ by_task }: Metrics): Section[] {
  const matrices = Object.entries(by_task).flatMap(([task, { confusion }]) =>
    confusion === undefined ? [] : [<Matrix key={task} task={task} confusion={confusion} />],
  );
  if (matrices.length === 0) return [];
  const content = (
    <>
      {matrices}
      <p class="note">
        The stronger a cell's colour, the larger its share of the row. Right answers are framed.
      </p>
    </>
  );
  return [{ id: 'confusion', title: 'Confusion', content }];
}

function Matrix({ task, confusion }: { task: string; confusion: Record<string, Record<string, number>> }) {
  const targets = Object.keys(confusion);
  const answers = [...new Set([...targets, ...Object.values(confusion).flatMap(Object.keys)])].sort(
    (left, right) => Number(left === 'none') - Number(right === 'none') || (left < right ? -1 : 1),
  );
  const caption = (
    <>
      <code>{task}</code>: right letter down, answered letter across
    </>
  );
  return (
    <Table
      label={`Confusion in ${task}`}
      columns={['right', ...answers]}
      caption={caption}
      tableKind="matrix"
    >
      {Object.entries(confusion).map(([target, counts]) => {
        const all = Object.values(counts).reduce((sum, one) => sum + one, 0);
        return (
          <tr>
            <th scope="row">{target}</th>
            {answers.map((answer) => {
              const number = Object.hasOwn(counts, answer) ? (counts[answer] as number) : 0;
              const shade = number === 0 ? '' : `m${Math.ceil((number / all) * SHADES)}`;
              return <td class={`number ${shade}${answer === target ? ' right' : ''}`}>{number}</td>;
            })}
          </tr>
        );
      })}
    </Table>
  );
}

/** Yields a table of a row per sample: each trial's outcome, and the last answer beside the right one. */
async function* sampleTable(
  rows: Rows,
  { samples: counted, success_by_trial, epochs = 1 }: Metrics,
): AsyncGenerator<VNode> {
  const ofEpoch = success_by_trial.length;
  const samples = Math.ceil(counted / epochs);
  const trials = Array.from({ length: ofEpoch * epochs }, (_, trial) => trialName(trial, ofEpoch, epochs));
  const found = new Map<string, TaskRow[]>();
  for await (const row of rows) {
    const sample = found.get(row.id);
    if (sample !== undefined) sample.push(row);
    else if (found.size === MAX_SAMPLES) break;
    else found.set(row.id, [row]);
  }
  yield (
    <>
      {samples > MAX_SAMPLES && (
        <p class="note">
          The first <Count value={MAX_SAMPLES} /> of <Count value={samples} />; all are in{' '}
          <a href="./results.jsonl">results.jsonl</a>.
        </p>
      )}
      <Table
        label="Table of samples"
        isFramed
        columns={[
          ...['sample', ...trials].map((head) => ({ head, sort: 'ascending' as const })),
          'last answer',
          'right answer',
        ]}
      >
        {[...found.values()].map((sample, place) => (
          <Sample rows={sample} trials={trials.length} place={place} />
        ))}
      </Table>
    </>
  );
}

/** Names a trial, from 0 over all epochs, by the epoch if there are several. */
function trialName(trial: number, ofEpoch: number, epochs: number): string {
  const name = `trial ${(trial % ofEpoch) + 1}`;
  if (epochs === 1) return name;
  const epoch = `epoch ${Math.floor(trial / ofEpoch) + 1}`;
  return ofEpoch === 1 ? epoch : `${epoch}, ${name}`;
}

const OUTCOMES = { error: 0, failure: 1, success: 2 };

function Sample({ rows, trials, place }: { rows: readonly TaskRow[]; trials: number; place: number }) {
  const last = rows.at(-1) as TaskRow;
  const answer =
    last.error !== null ? `${last.error.type}: ${last.error.message}` : (answerOf(last) ?? NOTHING);
  return (
    <tr>
      <th scope="row" data-key={place}>
        {cut(last.id)}
      </th>
      {Array.from({ length: trials }, (_, trial) => {
        const row = rows.find((one) => one.trial === trial);
        if (row === undefined) return <td data-key="">{NOTHING}</td>;
        const outcome = row.error !== null ? 'error' : row.feedback?.correct ? 'success' : 'failure';
        return (
          <td data-key={OUTCOMES[outcome]}>
            <span class={`status ${outcome}`}>{outcome}</span>
          </td>
        );
      })}
      <td class="wide">{cut(answer)}</td>
      <td class="wide">{cut(last.feedback?.target ?? last.target ?? NOTHING)}</td>
    </tr>
  );
}

function cut(text: string): string {
  if (text.length <= LONGEST_TEXT) return text;
  return `${text.slice(0, LONGEST_TEXT).replace(/[\ud800-\udbff]$/, '')}…`;
}
