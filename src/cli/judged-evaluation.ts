import type { AgentEvalProgress, AgentEvalResult } from '../contracts/agent-eval-results.js';
import type { JudgeProgress, JudgeResult } from '../contracts/judge.js';
import { type CarriedOut, type Carry, sayExit } from './carry-out.js';
import { EXIT } from './exit.js';
import { exitOf } from './exit-code.js';
import { printJson, printText, sayText } from './print.js';

/**
 * Carries an evaluation to its end and, where it is done, its judgement. The result as JSON is one object: that of the
 * evaluation, with the other's as `judgement` where there is one.
 * @param judging the judgement of a folder
 * @returns the exit code.
 */
export async function carryOutJudged(
  carry: Carry,
  evaluation: CarriedOut<AgentEvalProgress, AgentEvalResult>,
  judging: (artifacts: string) => CarriedOut<JudgeProgress, JudgeResult>,
): Promise<number> {
  const { json } = evaluation;
  const result = await carry(evaluation, (ended) => json || printText(evaluation.report(ended)));
  if (result === null) return EXIT.interrupted;
  const { artifacts, metrics } = result;
  if (metrics.status !== 'done') {
    if (json) printJson(result);
    sayText('Not judged: the evaluation is not complete. The same command goes on with both.');
    return sayExit(metrics, evaluation.mostErrors);
  }
  const exit = exitOf(metrics, evaluation.mostErrors);
  if (exit.code !== EXIT.done) {
    if (json) printJson(result);
    sayText(`${exit.why ?? ''} Nothing is judged by a model.`.trim());
    return exit.code;
  }
  let judgement: JudgeResult | null = null;
  try {
    const judged = judging(artifacts);
    judgement = await carry(judged, (ended) => json || printText(judged.report(ended)));
  } finally {
    // The evaluation is done, whatever became of its judgement.
    if (json) printJson(judgement === null ? result : { ...result, judgement });
  }
  return judgement === null ? EXIT.interrupted : sayExit(judgement.metrics, evaluation.mostErrors);
}
