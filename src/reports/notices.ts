import type { CallFigures, Metrics, RunStatus } from '../contracts/results.js';
import { count, moment } from './figures.js';
import { type Html, html } from './html.js';

/** Says so where the figures are not those of a model. */
export function simulationNotice(simulated: boolean): Html {
  if (!simulated) return html``;
  return html`<p class="notice"><strong>Simulated model.</strong> The replies come from a simulation that stands in for a
language model. These are no benchmark figures.</p>
`;
}

const ENDINGS: Record<Exclude<RunStatus, 'done'>, string> = {
  incomplete: 'Incomplete.',
  limit_reached: 'A limit was reached.',
  stopped: 'Stopped before its end.',
  failed: 'Failed.',
  cancelled: 'Cancelled.',
};

/** Says so where the experiment did not come to its end. */
export function endNotice({
  status,
  status_message,
}: {
  status: RunStatus;
  status_message: string | null;
}): Html {
  if (status === 'done') return html``;
  return html`<p class="notice ended"><strong>${ENDINGS[status]}</strong> ${status_message} The figures are those of what was
done until then.</p>
`;
}

/** Says so where not all results had the same code. @param what `rollouts`, `episodes` or `iterations` */
export function codeChangeNotice<What extends string>(
  changes: readonly (Record<What, number> & { at: string; modules: string[] })[],
  what: What,
): Html {
  if (changes.length === 0) return html``;
  const noted = changes.map(
    (change) =>
      html` <code>${change.modules.join(', ')}</code> changed after ${count(change[what])} of the ${what}, before ${moment(change.at)}.`,
  );
  return html`<p class="notice"><strong>More than one version of the code, or of a price.</strong>${noted} The figures below are of all of them
together.</p>
`;
}

/** What the figures were made with: the order of the samples, what each prompt could show, what the accuracy is of. */
export function inWordsStatement({ in_words }: Pick<Metrics, 'in_words'>): Html {
  return html`<p class="statement">${in_words.join(' ')}</p>
`;
}

/** Says how requests were sent otherwise than the config says. */
export function adaptationNotice({ adaptations = {} }: Partial<CallFigures>): Html {
  const sentences = Object.entries(adaptations);
  if (sentences.length === 0) return html``;
  const said = sentences.map(([sentence, calls]) => html` ${sentence} (calls: ${count(calls)}).`);
  return html`<p class="notice"><strong>Sent otherwise than asked for.</strong>${said}</p>
`;
}
