import { saidIn } from '../replies/read-reply.js';
import { LONGEST_REPLY } from './bounds.js';
import { compareQuickly } from './compare-quickly.js';
import { beforeGloss } from './extraction/gloss.js';
import { listedAnswer } from './extraction/json-answer.js';
import { findMarkers } from './extraction/markers.js';
import { extractNumericAnswer, fromOption, plainNumbers } from './extraction/numeric-answer.js';
import { type Grade, quote, type SymbolicComparer } from './grade.js';

/** Options of grading a mathematical answer. */
export interface NumericOptions {
  /** Relative to the target: 0.01 accepts 1% above or below. Default 0: exact. */
  tolerance?: number;
  /**
   * Decides what spelling and exact arithmetic cannot (roots, unknowns, equations). Without it such answers are
   * incorrect. `undefined` counts as "not shown to be equal"; a rejection is passed on, since it is no judgement.
   */
  symbolic?: SymbolicComparer;
}

/**
 * Grades a reply to a mathematical question: a number, an expression, an equation, a set, an interval, a tuple, a
 * matrix. Never throws for a text.
 * @throws the errors of `symbolic`.
 */
export async function gradeNumeric(
  output: string,
  target: string,
  options: NumericOptions = {},
): Promise<Grade> {
  const { tolerance = 0, symbolic } = options;
  const gold = readTarget(target);
  if (gold === '') return { correct: false, extracted: null, message: 'The target is empty.' };
  const found = extractNumericAnswer(output);
  if (!found) return { correct: false, extracted: null, message: 'The reply holds no answer.' };
  const { answer, statement } = found;
  const grade = (correct: boolean, verb: string, extracted = answer): Grade => ({
    correct,
    extracted,
    message: `${quote(extracted)} ${verb} ${quote(gold)}.`,
  });
  const quick = compareQuickly(answer, gold, tolerance);
  const glossed = UNIT_IN_BRACKETS.test(gold) ? beforeGloss(gold) : undefined;
  if (quick || (glossed !== undefined && compareQuickly(answer, glossed, tolerance)))
    return grade(true, 'equals');
  const others = [statement, ...listedAnswer(saidIn(output), statement)].filter((one) => one !== answer);
  const other = others.find((one) => compareQuickly(one, gold));
  if (other !== undefined) return grade(true, 'equals', other);
  if (quick === false || !symbolic)
    return grade(false, quick === false ? 'does not equal' : 'was not shown to equal');
  const equal = await symbolic(answer, gold, tolerance);
  return grade(
    equal === true,
    equal ? 'equals' : equal === false ? 'does not equal' : 'was not shown to equal',
  );
}

/** Pattern of a number with words alone in brackets, as ASDiv writes its unit: `9 (apples)`. */
const UNIT_IN_BRACKETS = /^[-+]?[$€£]?\d[\d.,]{0,40}%? {1,3}\(\p{L}[\p{L} .']{1,60}\)$/u;

/** Reads a target, maybe a solution that ends in `\boxed{…}` or `#### …`, as in MATH and GSM8K. */
function readTarget(target: string): string {
  const gold = plainNumbers(target.slice(-LONGEST_REPLY)).trim();
  if (!/boxed|####/.test(gold)) return fromOption(gold)?.answer ?? gold;
  const marked = findMarkers(gold).some((marker) => marker.kind === 'boxed' || marker.kind === 'hashes');
  return marked ? (extractNumericAnswer(gold)?.answer ?? gold) : gold;
}
