import type { AgentEvalConfig } from './agent-eval-schema.js';
import { askedOfModel } from './asked-of-model.js';
import { firstDifferentField } from './difference.js';

/** How an evaluation is paced, bounded and kept is left out; what its rollouts are and how they are judged is not. */
function withoutPacing(config: AgentEvalConfig, { now }: { now: string | null }): unknown {
  const {
    name: _name,
    limits: _limits,
    output: _output,
    concurrency: _concurrency,
    tool_timeout_sec: _timeout,
    agent,
    user,
    ...rest
  } = config;
  const compared = {
    ...rest,
    now,
    agent: { ...agent, lm: askedOfModel(agent.lm) },
    user: user === null || user === 'human' ? user : { ...user, lm: askedOfModel(user.lm) },
  };
  return JSON.parse(JSON.stringify(compared));
}

/**
 * The first field in which a config asks for another evaluation than an earlier one, e.g. `agent.lm.model`; null where
 * there is none. One that names no present time has that of the evaluation which it continues.
 */
export function firstAgentEvalDifference(earlier: AgentEvalConfig, asked: AgentEvalConfig): string | null {
  const now = asked.now === null ? null : earlier.now;
  return firstDifferentField(withoutPacing(earlier, { now }), withoutPacing(asked, { now: asked.now }));
}
