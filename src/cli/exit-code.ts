import { InvalidInputError } from '../config/errors.js';
import type { ExperimentMetrics, RunStatus } from '../contracts/results.js';
import { judgedOf, type KindFacts } from '../facts/kind-facts.js';
import { percentText } from '../statistics/figure-text.js';
import { EXIT } from './exit.js';

/** Statuses after which the same command continues. */
const CONTINUED: readonly RunStatus[] = ['incomplete', 'limit_reached', 'stopped', 'decided'];
/** Statuses at which all of the work was attempted. */
const GONE_THROUGH: readonly RunStatus[] = ['done', 'incomplete'];

/** Rounding of a share: 29 of 100 are not more than 0.29 of them. */
const ROUNDING = 1e-9;

/** Exit code of a command, and the reason where the status does not show it. */
export interface Exit {
  code: number;
  why: string | null;
}

/** The option `--fail-on-error` for commander. */
export const FAIL_ON_ERROR = [
  '--fail-on-error <share>',
  'exit with 1 where more than this share could not be judged, e.g. 0.05 or 5%',
] as const;

/**
 * Parses the largest share of errors with which a command succeeds; null where none was given.
 * @throws InvalidInputError
 */
export function shareOf(text: string | undefined, detach = false): number | null {
  if (text === undefined) return null;
  const share = numberOrPercent(text);
  if (share === null || share > 1) {
    throw new InvalidInputError(
      `--fail-on-error: ${JSON.stringify(text)} is no share; give one from 0 to 1, or from 0% to 100%`,
      'fail-on-error',
    );
  }
  if (detach) {
    throw new InvalidInputError(
      '--fail-on-error: says how a command ends that stays to the end; it cannot stand beside --detach',
      'fail-on-error',
    );
  }
  return share;
}

/** Parses a number from 0 on, such as `0.05`, `.05` or `5%`; null for another text. */
export function numberOrPercent(text: string): number | null {
  const [, number, percent] = /^(\d{1,9}(?:\.\d{1,9})?|\.\d{1,9})(%?)$/.exec(text.trim()) ?? [];
  return number === undefined ? null : Number(number) / (percent === '%' ? 100 : 1);
}

/** @param most the largest share of errors with which the command succeeds; null: any. */
export function exitOf(metrics: ExperimentMetrics, kind: KindFacts, most: number | null = null): Exit {
  const { status } = metrics;
  const { what, judged, errors, of } = judgedOf(metrics, kind);
  const isOver = CONTINUED.includes(status) || status === 'done';
  if (!isOver) return { code: EXIT.failed, why: null };
  if (judged === 0 && GONE_THROUGH.includes(status)) {
    return { code: EXIT.failed, why: `Nothing could be judged: no ${what} of ${of} has a figure.` };
  }
  if (most !== null && errors > most * of + ROUNDING) {
    const share = `${errors} of ${of} ${what}s (${percentText(errors / of)})`;
    return { code: EXIT.failed, why: `${share} could not be judged, more than --fail-on-error ${most}.` };
  }
  return { code: status === 'done' || status === 'decided' ? EXIT.done : EXIT.unfinished, why: null };
}
