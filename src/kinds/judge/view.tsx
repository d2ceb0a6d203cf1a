import { isMapping } from '../../contracts/json.js';
import type { Section } from '../../reports/page.js';
import { NumberCell, Table } from '../../reports/table.js';
import { artifactKeys } from '../../storage/paths.js';
import type { LLMEvaluatedTrajectoryData } from '../../trajectories/schema.js';
import type { KindView, ViewedUnit } from '../kind.js';
import type { JudgeMetrics } from './contracts.js';
import { judgeReport } from './report.js';

type Response = Readonly<Record<string, unknown>> | null | undefined;

/** Returns the numbers among the scores of a judgement. */
function scoresOf(response: Response): Record<string, number | boolean> {
  const scores = isMapping(response?.scores) ? Object.entries(response.scores) : [];
  const success: Record<string, boolean> =
    typeof response?.success === 'boolean' ? { success: response.success } : {};
  const numbers = scores.flatMap(([name, score]) =>
    typeof score === 'number' ? [[name, score] as const] : [],
  );
  return { ...success, ...Object.fromEntries(numbers) };
}

/** Table of a judge's verdict on each step of a trajectory, and on the whole of it. */
export function Verdicts({ trajectory }: { trajectory: LLMEvaluatedTrajectoryData }) {
  const whole = trajectory.judge_response as Response;
  const rows = trajectory.timesteps.flatMap(({ judge_response }, step) =>
    Object.entries((judge_response as Response) ?? { '': null }).map(([criterion, given], index) => {
      const { score, reason, type, message } = (isMapping(given) ? given : {}) as Record<string, unknown>;
      return (
        <tr key={`${step} ${index}`}>
          <th scope="row">{step + 1}</th>
          <td>{criterion === '' ? 'not judged' : criterion}</td>
          <NumberCell>{score === undefined ? '–' : String(score)}</NumberCell>
          <td class="wide">
            {reason === undefined ? [type, message].filter(Boolean).join(': ') : String(reason)}
          </td>
        </tr>
      );
    }),
  );
  return (
    <>
      {typeof whole?.rationale === 'string' && <p>{whole.rationale}</p>}
      <Table label="Verdicts by step" columns={['step', 'criterion', 'score', 'reason']}>
        {rows}
      </Table>
    </>
  );
}

async function verdictSection({ row }: ViewedUnit): Promise<Section[]> {
  if (row === null) return [];
  const trajectory = row as unknown as LLMEvaluatedTrajectoryData;
  return [{ id: 'verdicts', title: 'Verdicts', content: <Verdicts trajectory={trajectory} /> }];
}

export const judgeView: KindView<JudgeMetrics, LLMEvaluatedTrajectoryData> = {
  unit: 'trajectory',
  rowsIn: artifactKeys.trajectories,
  unitOf: (call) => call.replace(/\/\d+$/, ''),
  outcomeOf: ({ episode_id, timesteps, judge_response, error_info }) => {
    const whole = judge_response as Response;
    const asked = timesteps[0]?.chats[0]?.messages.find(({ role }) => role === 'user')?.content;
    return {
      id: episode_id ?? '',
      trial: 0,
      question: typeof asked === 'string' ? asked : null,
      target: null,
      metadata: {},
      answer: typeof whole?.rationale === 'string' ? whole.rationale : (error_info?.message ?? null),
      scores: scoresOf(whole),
      seconds: null,
    };
  },
  report: judgeReport,
  unitSections: verdictSection,
};
