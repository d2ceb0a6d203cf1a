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

const REMEMBERED: Record<Metrics['feedback_in_memory'], string> = {
  full: 'The memory held the right answers: feedback was remembered in full.',
  outcome: 'The memory held whether an answer was right, never what the right answer is.',
  none: 'The memory held nothing of how answers were judged.',
};

/** What the prompts of a Dynamic Cheatsheet showed of it. */
function shownBySheet(curator: boolean | undefined): string {
  if (curator === undefined) return ' No prompt showed how answers were judged.';
  return curator
    ? ' The curator of the cheatsheet was shown how answers were judged.'
    : ' The curator of the cheatsheet never saw how answers were judged, nor did any other prompt show it.';
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

/** Says how requests were sent otherwise than the config says. */
export function adaptationNotice({ adaptations = {} }: Partial<CallFigures>): Html {
  const sentences = Object.entries(adaptations);
  if (sentences.length === 0) return html``;
  const said = sentences.map(([sentence, calls]) => html` ${sentence} (calls: ${count(calls)}).`);
  return html`<p class="notice"><strong>Sent otherwise than asked for.</strong>${said}</p>
`;
}

/** What of the right answers reached the agent: without it a figure of several trials cannot be read. */
export function feedbackNotice(
  metrics: Pick<Metrics, 'agent' | 'feedback_in_memory' | 'curator_sees_feedback' | 'success_by_trial'>,
): Html {
  const { agent, feedback_in_memory: feedback, curator_sees_feedback: curator } = metrics;
  const bySheet = agent === 'dynamic_cheatsheet_agent';
  const retries = metrics.success_by_trial.length > 1;
  const readable = feedback === 'full' && retries && (!bySheet || curator === true);
  return html`<p class="statement"><strong>Feedback.</strong> ${REMEMBERED[feedback]}${readable && ' A later trial of a sample could read its answer there.'}${bySheet && shownBySheet(curator)}</p>
`;
}
