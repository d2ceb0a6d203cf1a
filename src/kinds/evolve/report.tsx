import type { ComponentChildren, VNode } from 'preact';
import { Chart } from '../../reports/chart.js';
import { Changes, CodeBudget, PlusMinus } from '../../reports/code.js';
import { compareFiles } from '../../reports/diff.js';
import { FactList, Figure, type NamedFigure, NOTHING } from '../../reports/figures.js';
import { dot, lineY, link, text } from '../../reports/libraries.js';
import type { Section } from '../../reports/page.js';
import { encoded, fileAddress } from '../../reports/render.js';
import type { Report } from '../../reports/report.js';
import { NumberCell, Scroll, Table } from '../../reports/table.js';
import { scoreText } from '../../statistics/figure-text.js';
import { groupBy } from '../../statistics/group-by.js';
import { isScaffoldId } from './evolution/ids.js';
import { scaffoldFolder } from './evolution/layout.js';
import { type LineageNode, latestScore, type ScaffoldStatus } from './evolution/lineage.js';
import { layOut, type PlacedNode } from './evolution/lineage-layout.js';
import { iterationText } from './evolution/progress-lines.js';
import { MAIN_FILE, type ScaffoldFiles } from './evolution/types.js';
import { EVOLVE_FACTS } from './facts.js';
import type { EvolveMetrics } from './results.js';

/** Maximum characters of code, which a browser opens at once, even on a phone: 300 scaffolds of 10 kB fit. */
const MAX_CODE = 8_000_000;
/** Maximum scaffolds whose code is highlighted in a report: the marks make it four times as large. */
const MAX_HIGHLIGHTED = 60;
const MAX_UNFRAMED = 40;
/** Height of a row of the lineage, in pixels. */
const ROW = 22;

const STATUS_WORDS: Record<ScaffoldStatus, string> = {
  new: 'not validated',
  validated: 'validated',
  duplicate: 'duplicate',
  failed: 'failed',
  unscored: 'given up',
};
const STATUSES = Object.keys(STATUS_WORDS);

export interface EvolutionReportInput {
  metrics: EvolveMetrics;
  /** In any order. */
  nodes: readonly LineageNode[];
  /** Returns the means of a scaffold's metrics in its newest validation. */
  metricsOf?(node: LineageNode): Readonly<Record<string, number>>;
  /** Returns the files of a scaffold; null where it has none. Called for one scaffold at a time. */
  files(id: string): Promise<ScaffoldFiles | null>;
}

/**
 * Returns the page of an evolution: figures, scores by iteration, lineage, table, and the code of each scaffold with its
 * changes to its parent's. Only the files of one scaffold and of its ancestors are in memory.
 */
export function evolutionReport(input: EvolutionReportInput): Report {
  const { metrics, nodes } = input;
  const evolution = new Evolution(metrics, nodes, (id) => `#scaffold-${encoded(id)}`);
  return {
    metrics,
    facts: EVOLVE_FACTS,
    kind: 'Evolution report',
    changes: metrics.code_changes ?? [],
    what: 'iterations',
    links: evolution.bestLinks(),
    sections: [...evolution.sections(), { id: 'code', title: 'Code', content: evolution.code(input) }],
  };
}

/** An evolution as its pages show it. */
export class Evolution {
  /** In the order of the tree. */
  readonly placed: readonly PlacedNode[];
  private readonly best: string | null;
  /** Digits after the point of every score: as many as one of them needs, 4 at most. */
  private readonly digits: number;
  /** Validation scores from the lowest to the highest, or 0 to 1 where they lie there. */
  private readonly range: [number, number];

  /** @param hrefOf address of a scaffold */
  constructor(
    private readonly metrics: Pick<EvolveMetrics, 'best' | 'best_by_iteration' | 'iterations' | 'status'>,
    nodes: readonly LineageNode[],
    private readonly hrefOf: (id: string) => string,
  ) {
    this.best = metrics.best?.id ?? null;
    this.placed = layOut(nodes, this.best);
    const scores = [
      ...nodes.flatMap(({ valid }) => valid.map(({ score }) => score)),
      ...metrics.best_by_iteration.filter((score) => score !== null),
    ];
    this.digits = digitsOf([...scores, ...nodes.flatMap(({ train }) => train.map(({ score }) => score))]);
    this.range = rangeOf(scores);
  }

  /** Links to the best scaffold: on the page, and in the folder. */
  bestLinks(): NamedFigure[] {
    const { best } = this.metrics;
    if (best === null) return [];
    return [
      [
        'best scaffold',
        <>
          {this.link(best.id)} in {iterationText(best.iteration, this.metrics)}
        </>,
      ],
      [
        'best program',
        <a key="program" href={fileAddress(best.path)}>
          <code>{best.path}</code>
        </a>,
      ],
    ];
  }

  sections(): Section[] {
    return [
      { id: 'scores', title: 'Scores', heading: 'Score by iteration', content: this.curve() },
      { id: 'lineage', title: 'Lineage', content: this.lineage() },
      { id: 'scaffolds', title: 'Scaffolds', content: this.table() },
    ];
  }

  link(id: string): VNode {
    return <a href={this.hrefOf(id)}>{id}</a>;
  }

  score(score: number | null | undefined): ComponentChildren {
    return score == null ? NOTHING : <Figure value={score} shown={score.toFixed(this.digits)} />;
  }

  /** Options of a plot for the colours of scores: perceptually even steps, also with colour blindness and in grey. */
  private get colour() {
    return { type: 'linear', scheme: 'viridis', domain: this.range, clamp: true, unknown: 'none' } as const;
  }

  /** The best validation score of each iteration as a line, and each validated scaffold as a dot. */
  private curve(): VNode {
    const { best_by_iteration } = this.metrics;
    const dots = this.placed.flatMap(({ node: { id, valid } }) => valid.map((one) => ({ id, ...one })));
    const line = best_by_iteration.flatMap((score, iteration) =>
      score === null ? [] : [{ iteration, score }],
    );
    if (dots.length === 0 && line.length === 0) return <p>Nothing has been validated.</p>;
    const iterations = [...new Set([...dots, ...line].map(({ iteration }) => iteration))];
    const width = Math.max(520, 40 * best_by_iteration.length);
    return (
      <>
        <figure class="chart">
          <Scroll label="Validation scores by iteration">
            <Chart
              label="Validation scores by iteration; the table below has the same figures"
              options={{
                width,
                height: 290,
                marginLeft: 56,
                marginBottom: 44,
                marginTop: 24,
                style: { fontSize: '12px' },
                grid: true,
                x: {
                  label: 'iteration',
                  ticks: iterations,
                  inset: 12,
                  tickFormat: (n: number) => this.place(n),
                },
                y: { label: 'validation score', domain: this.range, nice: true },
                color: this.colour,
                marks: [
                  lineY(line, { x: 'iteration', y: 'score', stroke: 'var(--accent)', strokeWidth: 2 }),
                  dot(spread(dots, this.range), {
                    x: 'at',
                    y: 'score',
                    r: 4.5,
                    fill: 'score',
                    stroke: 'var(--edge)',
                    href: ({ id }) => this.hrefOf(id),
                    title: ({ id, score, iteration }) =>
                      `${id}: ${score} in ${iterationText(iteration, this.metrics)}`,
                  }),
                ],
              }}
            />
          </Scroll>
          <figcaption>
            Line: the best of each iteration. Dots: every scaffold that the iteration validated. Each
            iteration draws its own validation examples, so a scaffold's score may change from one to the next
            while its code does not.
          </figcaption>
        </figure>
        {this.scoreTable(dots)}
      </>
    );
  }

  private scoreTable(dots: readonly ScoreDot[]): VNode {
    const byIteration = groupBy(dots, ({ iteration }) => iteration);
    const last = Math.max(this.metrics.best_by_iteration.length - 1, ...byIteration.keys());
    return (
      <details>
        <summary>The same as a table</summary>
        <Table
          label="Table of scores by iteration"
          columns={['iteration', 'best', 'every validated scaffold']}
        >
          {Array.from({ length: last + 1 }, (_, iteration) => {
            const all = [...(byIteration.get(iteration) ?? [])].sort(
              (left, right) => right.score - left.score,
            );
            return (
              <tr>
                <th scope="row">{this.place(iteration)}</th>
                <td>{this.score(this.metrics.best_by_iteration[iteration] ?? all[0]?.score)}</td>
                <td class="wide">
                  {all.length === 0
                    ? NOTHING
                    : all.map(({ id, score }, index) => [
                        index > 0 && ', ',
                        this.link(id),
                        ': ',
                        this.score(score),
                      ])}
                </td>
              </tr>
            );
          })}
        </Table>
      </details>
    );
  }

  /** Names an iteration where there is little room: by its number, or as the closing validation. */
  private place(iteration: number): string {
    const { iterations, status } = this.metrics;
    return iteration >= iterations && status === 'done' ? 'closing' : String(iteration);
  }

  /** The forest of scaffolds: one row each, further right the later it was made, coloured by its newest score. */
  private lineage(): VNode {
    const { placed } = this;
    if (placed.length === 0) return <p>There are no scaffolds.</p>;
    const last = placed.reduce((latest, { node }) => Math.max(latest, node.iteration), 0);
    const edges = placed.flatMap((child) => {
      const parent = child.parentRow === null ? undefined : placed[child.parentRow];
      return parent === undefined ? [] : [{ parent, child }];
    });
    const [ahead, others] = [edges.filter(onTheWay), edges.filter((edge) => !onTheWay(edge))];
    const labels = placed.map((one) => [one.node.id, ...this.remarks(one.node)].join('  '));
    const labelWidth = 7.5 * Math.max(...labels.map((label) => label.length));
    const step = Math.min(34, Math.max(12, 240 / Math.max(1, last)));
    const symbols = {
      validated: 'circle',
      new: 'circle',
      unscored: 'circle',
      duplicate: 'square',
      failed: 'times',
    };
    const edge = {
      x1: ({ parent }: Edge) => parent.node.iteration,
      y1: ({ parent }: Edge) => parent.row,
      x2: ({ child }: Edge) => child.node.iteration,
      y2: ({ child }: Edge) => child.row,
      curve: 'step-before' as const,
    };
    return (
      <>
        <p class="note">
          A row each, further right the later it was made; the brighter its mark, the higher its newest
          validation score ({this.range.map((bound) => scoreText(bound)).join(' to ')}). Squares are
          duplicates, crosses failed, empty marks are not validated. The strong line leads to the best.
        </p>
        <Scroll label="Lineage tree" isFramed={placed.length > MAX_UNFRAMED} kind="tree">
          <Chart
            label={`Lineage of ${placed.length} scaffolds; the table below has the same figures`}
            options={{
              width: Math.ceil(28 + step * last + labelWidth + 24),
              height: placed.length * ROW,
              margin: ROW / 2,
              marginRight: labelWidth + 24,
              style: { fontSize: '12px' },
              axis: null,
              x: { domain: [0, Math.max(1, last)], ...(last === 0 ? { range: [14, 14] } : {}) },
              y: {
                domain: [Math.max(1, placed.length - 1), 0],
                ...(placed.length === 1 ? { range: [11, 11] } : {}),
              },
              color: this.colour,
              symbol: { domain: Object.keys(symbols), range: Object.values(symbols) },
              marks: [
                link(others, { ...edge, stroke: 'var(--edge)' }),
                link(ahead, { ...edge, stroke: 'var(--accent)', strokeWidth: 2.5 }),
                dot(placed, {
                  x: ({ node }) => node.iteration,
                  y: 'row',
                  r: 5.5,
                  symbol: ({ node }: PlacedNode) => node.status,
                  fill: ({ node }: PlacedNode) => latestScore(node.valid)?.score ?? Number.NaN,
                  stroke: ({ node }) => (node.status === 'failed' ? 'var(--minus-ink)' : 'var(--edge)'),
                  href: ({ node }) => this.hrefOf(node.id),
                  title: ({ node }) => node.id,
                }),
                text(placed, {
                  x: ({ node }) => node.iteration,
                  y: 'row',
                  dx: 12,
                  textAnchor: 'start',
                  fill: 'var(--ink)',
                  text: (_, index) => labels[index],
                  href: ({ node }) => this.hrefOf(node.id),
                }),
              ],
            }}
          />
        </Scroll>
      </>
    );
  }

  /** Words beside a scaffold in the lineage. */
  private remarks({ id, status, duplicate_of, valid }: LineageNode): string[] {
    const score = latestScore(valid)?.score;
    const said = id === this.best ? '★ best' : status === 'validated' ? '' : STATUS_WORDS[status];
    const twin = status === 'duplicate' && duplicate_of !== undefined ? `same as ${duplicate_of}` : said;
    return [...(score === undefined ? [] : [score.toFixed(this.digits)]), ...(twin === '' ? [] : [twin])];
  }

  /** A row per scaffold, in the order of the ids. The page's script sorts by `data-key`. */
  private table(): VNode {
    const { placed, best } = this;
    if (placed.length === 0) return <p>There are no scaffolds.</p>;
    const places = new Map(placed.map(({ node, row }) => [node.id, row]));
    const columns = [
      ...['scaffold', 'parent', 'iteration', 'status'].map((head) => ({ head, sort: 'ascending' as const })),
      ...['train', 'valid'].map((head) => ({ head, sort: 'descending' as const })),
    ];
    return (
      <>
        <Table label="Table of scaffolds" columns={columns} isFramed={placed.length > MAX_UNFRAMED}>
          {placed.map(({ node, row }) => {
            const { id, parent_scaffold_id: parent, iteration, status } = node;
            return (
              <tr class={id === best ? 'best' : undefined}>
                <th scope="row" data-key={row}>
                  {this.link(id)}
                  {this.star(id)}
                </th>
                <td data-key={parent === null ? '' : (places.get(parent) ?? '')}>
                  {parent === null ? NOTHING : places.has(parent) ? this.link(parent) : parent}
                </td>
                <NumberCell sortKey={iteration}>{iteration}</NumberCell>
                <td data-key={STATUSES.indexOf(status)}>{this.status(node)}</td>
                {this.scoreCell(node.train)}
                {this.scoreCell(node.valid)}
              </tr>
            );
          })}
        </Table>
        <p class="note">
          Scores are the newest ones: of one training example, and the mean over an iteration's validation
          examples.
        </p>
      </>
    );
  }

  private scoreCell(scores: readonly { iteration: number; score: number }[]): VNode {
    const score = latestScore(scores)?.score;
    return <NumberCell sortKey={score ?? ''}>{this.score(score)}</NumberCell>;
  }

  private star(id: string): ComponentChildren {
    return id === this.best && [' ', <span class="star">★ best</span>];
  }

  /**
   * The status, marked by a sign besides its colour.
   * @param isLinked false where a click means something else
   */
  private status({ status, duplicate_of: original }: LineageNode, isLinked = true): VNode {
    return (
      <span class={`status ${status}`}>
        {STATUS_WORDS[status]}
        {status === 'duplicate' &&
          original !== undefined && [' of ', isLinked ? this.link(original) : original]}
      </span>
    );
  }

  /** Yields the code of each scaffold beside its parent's. */
  async *code({
    files,
    metricsOf = () => ({}),
  }: Pick<EvolutionReportInput, 'files' | 'metricsOf'>): AsyncGenerator<VNode> {
    yield (
      <p class="note">
        Each scaffold beside its parent: lines marked + are new, lines marked − are gone, and what did not
        change is folded away. Line numbers are the scaffold's own.
        <span class="paper"> On paper are the scaffolds that were open when the page was printed.</span>
      </p>
    );
    const budget = new CodeBudget(MAX_CODE);
    const isHighlighted = this.placed.length <= MAX_HIGHLIGHTED;
    const ancestors: { id: string; files: ScaffoldFiles | null }[] = [];
    for (const { node, leadsToBest } of this.placed) {
      const { id, iteration, status, valid } = node;
      // In the order of the tree, a parent is still on the stack when its child follows.
      while (ancestors.length > 0 && ancestors.at(-1)?.id !== node.parent_scaffold_id) ancestors.pop();
      const own = status === 'failed' ? null : await files(id);
      const parent = ancestors.at(-1)?.files ?? null;
      const changes = own === null ? [] : compareFiles(own, parent, MAIN_FILE);
      // The path needs a valid id; an invalid one is from a damaged lineage.
      const address = (path: string) =>
        isScaffoldId(id) ? fileAddress(`${scaffoldFolder(iteration, 'new', id)}/${path}`) : null;
      yield (
        <details class="scaffold" id={`scaffold-${encoded(id)}`}>
          <summary>
            <h3>{id}</h3>
            {this.star(id)}{' '}
            {status === 'validated' ? (
              <b>{this.score(latestScore(valid)?.score)}</b>
            ) : (
              this.status(node, false)
            )}
            {parent !== null && own !== null && [' ', <ChangeSum changes={changes} />]}
          </summary>
          {this.facts(node, metricsOf(node))}
          {own === null ? (
            this.noCode(node)
          ) : (
            <Changes
              changes={changes}
              options={{ budget, isWhole: leadsToBest, isHighlighted, heading: 'h4', address }}
            />
          )}
        </details>
      );
      ancestors.push({ id, files: own });
    }
  }

  /** Says whether a scaffold is better than its parent, by the newest validations of both. */
  gain(node: LineageNode, parent: LineageNode): VNode | null {
    const [own, before] = [latestScore(node.valid), latestScore(parent.valid)];
    if (own === undefined || before === undefined) return null;
    const word = own.score > before.score ? 'better' : own.score < before.score ? 'worse' : 'as good';
    return (
      <p>
        <strong>
          {word === 'as good' ? 'As good as' : `${word === 'better' ? 'Better' : 'Worse'} than`}
        </strong>{' '}
        its parent {this.link(parent.id)}: {this.score(own.score)} in{' '}
        {iterationText(own.iteration, this.metrics)} against {this.score(before.score)} in{' '}
        {iterationText(before.iteration, this.metrics)}
        {own.iteration !== before.iteration && ', on other validation examples'}.
      </p>
    );
  }

  /** Says why there is no code. */
  noCode({ status }: LineageNode): VNode {
    return <p>{status === 'failed' ? 'There is no program.' : 'Its code is not in the experiment.'}</p>;
  }

  /** Parent, status, scores and metrics of a scaffold, and its error. */
  facts(node: LineageNode, measured: Readonly<Record<string, number>>): VNode {
    const { parent_scaffold_id: parent, iteration, valid, train, error } = node;
    return (
      <>
        <FactList
          facts={[
            ['parent', parent === null ? NOTHING : this.link(parent)],
            ['made in iteration', iteration],
            ['status', this.status(node)],
            [
              'validation scores',
              valid.length === 0
                ? NOTHING
                : valid.map((one, index) => [
                    index > 0 && ', ',
                    this.score(one.score),
                    ` in ${iterationText(one.iteration, this.metrics)}`,
                  ]),
            ],
            ...Object.entries(measured).map(
              ([name, mean]): NamedFigure => [`${name}, newest`, scoreText(mean)],
            ),
            [
              'training runs',
              train.length === 0
                ? NOTHING
                : train.map((one, index) => [
                    index > 0 && ', ',
                    this.score(one.score),
                    ' on ',
                    <code key={index}>{one.example_id}</code>,
                    ` in iteration ${one.iteration}`,
                  ]),
            ],
          ]}
        />
        {error !== undefined && (
          <pre class="error">
            {'\n'}
            {error}
          </pre>
        )}
      </>
    );
  }
}

interface Edge {
  parent: PlacedNode;
  child: PlacedNode;
}

const onTheWay = ({ child }: Edge) => child.leadsToBest;

const ChangeSum = ({ changes }: { changes: readonly { added: number; removed: number }[] }) => (
  <small>
    <PlusMinus
      added={changes.reduce((sum, { added }) => sum + added, 0)}
      removed={changes.reduce((sum, { removed }) => sum + removed, 0)}
    />
  </small>
);

interface ScoreDot {
  id: string;
  iteration: number;
  score: number;
}

/** Places dots side by side that would hide each other. */
function spread(dots: readonly ScoreDot[], [low, high]: [number, number]): (ScoreDot & { at: number })[] {
  const level = ({ score }: ScoreDot) => Math.round(((score - low) / (high - low)) * 24);
  const groups = groupBy(dots, (one) => `${one.iteration} ${level(one)}`);
  return [...groups.values()].flatMap((group) => {
    const step = Math.min(0.09, 0.7 / group.length);
    return group.map((one, index) => ({
      ...one,
      at: one.iteration + (index - (group.length - 1) / 2) * step,
    }));
  });
}

/** Returns 0 to 1 where scores lie there and are far apart; else as narrow as they are, so that small progress shows. */
function rangeOf(scores: readonly number[]): [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const score of scores) [low, high] = [Math.min(low, score), Math.max(high, score)];
  const isFlat = scores.length === 0 || high - low <= 1e-9 * Math.abs(high);
  const isShare = scores.length === 0 || (low >= 0 && high <= 1);
  if (isShare && (isFlat || high - low >= 0.4)) return [0, 1];
  return isFlat ? [Math.min(0, low), Math.max(0, high)] : [low, high];
}

function digitsOf(scores: readonly number[]): number {
  const most = 4;
  for (let digits = 0; digits < most; digits++) {
    if (scores.every((score) => Math.abs(score - Number(score.toFixed(digits))) < 1e-9)) return digits;
  }
  return most;
}
