import type { Task } from '../../../contracts/environment.js';
import type { JsonObject } from '../../../contracts/json.js';
import type { CallRecord } from '../../../contracts/language-model.js';
import type { ResultRow } from '../../../contracts/results.js';
import { MathQAEnv } from '../../../environments/math-qa.js';
import { MCQEnv } from '../../../environments/mcq.js';
import { QAEnv } from '../../../environments/qa.js';
import { findWrittenAnswer } from '../../../grading/extraction/marked-answer.js';
import { unwrapped } from '../../../grading/extraction/wrappings.js';
import { GradingLimitError, type SymbolicComparer } from '../../../grading/grade.js';
import {
  normalizedAnswer,
  type Rouge,
  rouge,
  rougeWords,
  sentenceBleu,
  wordF1,
} from '../../../grading/text-overlap.js';
import { boundedMatch, MatchTimeoutError } from '../../../language-models/bounded-match.js';
import { saidIn } from '../../../replies/read-reply.js';
import { GRADE_TRIES } from '../contracts.js';
import { validJson } from './json-validity.js';
import { ordinalOf, readModelVerdict, scoreOfVotes, type Vote } from './model-graded.js';
import type { OwnScorers } from './own-scorer.js';
import type { ScorerConfig, ScorerOf, ScorerType } from './schema.js';
import { type Score, type ScoreValue, UnscoredError } from './score.js';

/** Finished episode that is scored. */
export interface ScoredAnswer {
  task: Task;
  row: ResultRow;
  /** Its calls; the verdicts of models are read from them. */
  calls: readonly CallRecord[];
}

/** What scorers need beside the answer. */
export interface ScoringServices {
  compareSymbolically: SymbolicComparer;
  own: Pick<OwnScorers, 'score'>;
  /** Returns the cosine of the vectors of an answer and of each other text. */
  cosines(scorer: ScorerOf<'similarity'>, answer: string, others: readonly string[]): Promise<number[]>;
  /** Votes of the run, in their order. */
  votes: readonly Vote[];
}

interface Scoring<Type extends ScorerType> extends ScoredAnswer, ScoringServices {
  name: string;
  config: ScorerOf<Type>;
}

type Scorer<Type extends ScorerType> = (scoring: Scoring<Type>) => Score | Promise<Score>;

/** Returns the whole reply, or what an explicit marker in it marks, without what encloses that. */
export function readFrom(reply: string, reads: 'answer' | 'reply'): string {
  const said = saidIn(reply);
  if (reads === 'reply') return said;
  const marked = findWrittenAnswer(said);
  return marked === null ? said : (unwrapped(marked.text).at(-1) ?? marked.text);
}

/** Returns the right answers. @throws UnscoredError if there is none. */
function rightAnswers({ target, targets }: Task): string[] {
  const all = targets ?? (target === null ? [] : [target]);
  if (all.length === 0) throw new UnscoredError('the row has no right answer');
  return all;
}

const answerOf = ({ row }: ScoredAnswer) => row.action ?? '';

/** Scores by an environment's own class. */
const byEnvironment =
  (
    made: (
      scoring: Pick<Scoring<'numeric'>, 'task' | 'compareSymbolically'> & { options: JsonObject },
    ) => QAEnv,
  ) =>
  async (
    scoring: ScoredAnswer & Pick<ScoringServices, 'compareSymbolically'>,
    options: JsonObject = {},
  ): Promise<boolean> => {
    rightAnswers(scoring.task);
    const feedback = await made({ ...scoring, options }).evaluate(answerOf(scoring));
    return feedback.correct;
  };

const exact = byEnvironment(({ task, ...services }) => new QAEnv(task, { options: {} }, services));
const mathematics = byEnvironment(
  ({ task, options, ...services }) => new MathQAEnv(task, { options }, services),
);
const choice = byEnvironment(({ task, ...services }) => new MCQEnv(task, { options: {} }, services));

/** Returns the right answers of which something is left; @throws UnscoredError if nothing is. */
function telling(
  targets: readonly string[],
  normalize: (text: string) => string,
  why = 'the right answer is empty',
): string[] {
  const left = targets.filter((target) => normalize(target) !== '');
  if (left.length === 0) throw new UnscoredError(why);
  return left;
}

const NO_ROUGE = 'the right answer has no letter or digit of ASCII, and ROUGE sees no others: use f1';

const lower = (text: string, isFolded: boolean) => (isFolded ? text.toLowerCase() : text);

function best(values: readonly number[]): number {
  return Math.max(...values);
}

/** Every scorer by its type. */
const SCORERS: { [Type in ScorerType]: Scorer<Type> } = {
  environment: ({ row }) => row.feedback?.correct ?? null,
  exact: async (scoring) => {
    if (!scoring.config.normalize) return exact(scoring);
    const said = normalizedAnswer(readFrom(answerOf(scoring), 'answer'));
    return telling(rightAnswers(scoring.task), normalizedAnswer).some(
      (one) => normalizedAnswer(one) === said,
    );
  },
  includes: ({ config: { ignore_case, reads }, ...scoring }) => {
    const reply = lower(readFrom(answerOf(scoring), reads), ignore_case);
    const targets = telling(rightAnswers(scoring.task), (text) => text);
    return targets.some((target) => reply.includes(lower(target, ignore_case)));
  },
  regex: ({ config: { pattern, group, ignore_case, reads }, ...scoring }) => {
    const found = boundedMatch(
      new RegExp(pattern, ignore_case ? 'iu' : 'u'),
      readFrom(answerOf(scoring), reads),
    );
    if (group === undefined || found === null) return found !== null;
    const said = lower((found[group] ?? '').trim(), ignore_case);
    return rightAnswers(scoring.task).some((target) => lower(target.trim(), ignore_case) === said);
  },
  numeric: ({ config: { tolerance }, ...scoring }) =>
    mathematics(scoring, tolerance === 0 ? {} : { tolerance }),
  math: (scoring) => mathematics(scoring),
  mcq: (scoring) => {
    if ((scoring.task.choices?.length ?? 0) < 2) throw new UnscoredError('the row has no choices');
    return choice(scoring);
  },
  f1: ({ config: { reads }, ...scoring }) => {
    const said = readFrom(answerOf(scoring), reads);
    return best(telling(rightAnswers(scoring.task), normalizedAnswer).map((target) => wordF1(said, target)));
  },
  rouge: ({ config: { reads }, ...scoring }) => {
    const said = readFrom(answerOf(scoring), reads);
    const targets = telling(rightAnswers(scoring.task), (text) => rougeWords(text).join(''), NO_ROUGE);
    const all = targets.map((target) => rouge(said, target));
    const names = Object.keys(all[0] as Rouge) as (keyof Rouge)[];
    return Object.fromEntries(
      names.map((name) => [name.replace('rouge_', ''), best(all.map((one) => one[name]))]),
    );
  },
  bleu: ({ config: { reads }, ...scoring }) =>
    sentenceBleu(
      readFrom(answerOf(scoring), reads),
      telling(rightAnswers(scoring.task), (text) => text.trim()),
    ),
  json_schema: ({ config: { schema, reads }, ...scoring }) =>
    validJson(readFrom(answerOf(scoring), reads), schema as JsonObject | undefined),
  similarity: async ({ config, cosines, ...scoring }) => {
    const said = readFrom(answerOf(scoring), config.reads);
    const targets = telling(rightAnswers(scoring.task), (text) => text.trim());
    if (said.trim() === '') return 0;
    return Math.min(Math.max(best(await cosines(config, said, targets)), 0), 1);
  },
  code: ({ name, config, own, task, row }) => {
    const { index: _index, examples: _examples, ...sample } = task;
    const about = { trial: row.trial, extracted: row.extracted, feedback: row.feedback, reward: row.reward };
    return own.score(name, config, row.action ?? '', JSON.parse(JSON.stringify({ ...sample, ...about })));
  },
  model_graded: ({ name, config, votes, calls }) => {
    const graded = new Map(
      calls.filter(({ purpose }) => purpose === 'grade').map((call) => [call.ordinal, call.text]),
    );
    const verdicts = votes.flatMap(({ scorer }, vote) => {
      if (scorer !== name) return [];
      for (let attempt = 0; attempt < GRADE_TRIES; attempt++) {
        const text = graded.get(ordinalOf(vote, attempt));
        const verdict = text === undefined ? null : readModelVerdict(text, config);
        if (verdict !== null && 'value' in verdict) return [verdict.value];
      }
      return [null];
    });
    return scoreOfVotes(config, verdicts);
  },
};

/** Scores of a row by name, and why there is none, by the name of the scorer. */
export interface RowScores {
  scores: Record<string, ScoreValue>;
  unscored: Record<string, string>;
}

function describe(error: unknown): string {
  if (error instanceof UnscoredError || error instanceof GradingLimitError) return error.message;
  if (error instanceof MatchTimeoutError) return error.message;
  throw error;
}

/**
 * Scores an answer by every scorer, in their order. Several values of a scorer are named `scorer.value`.
 * @throws what may succeed later: a comparison, a sandbox or a store that is unavailable.
 */
export async function scoreAnswer(
  scorers: Readonly<Record<string, ScorerConfig>>,
  answer: ScoredAnswer,
  services: ScoringServices,
): Promise<RowScores> {
  const [scores, unscored]: [RowScores['scores'], RowScores['unscored']] = [{}, {}];
  for (const [name, config] of Object.entries(scorers)) {
    try {
      const scorer = SCORERS[config.type] as Scorer<ScorerType>;
      const score = await scorer({ ...answer, ...services, name, config });
      const values = typeof score === 'object' && score !== null ? score : { '': score };
      for (const [part, value] of Object.entries(values)) {
        scores[part === '' ? name : `${name}.${part}`] = value;
      }
    } catch (error) {
      scores[name] = null;
      unscored[name] = describe(error);
    }
  }
  return { scores, unscored };
}
