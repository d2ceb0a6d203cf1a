import { InvalidInputError } from './errors.js';
import { namedModel } from './named-model.js';

type Mapping = Record<string, unknown>;

/** `human`, `none`, or a model's name. */
export function shortUser(user: string): unknown {
  if (user === 'human') return user;
  return user === 'none' ? null : { lm: namedModel(user) };
}

/**
 * Writes out what may be said in a word: `dataset: x` for a list of one, and a model's name in the place of `agent` and
 * `user`.
 * @throws InvalidInputError where `dataset` stands beside `datasets`.
 */
export function withoutAgentEvalShortForms(raw: Mapping): Mapping {
  const { dataset: given, agent, user, ...rest } = raw;
  // Null says the same as leaving out.
  const dataset = given ?? undefined;
  if (dataset !== undefined && raw.datasets != null) {
    throw new InvalidInputError('dataset: stands beside datasets; name all of them there', 'dataset');
  }
  return {
    ...rest,
    // A mapping is the section of a run, which is refused as such.
    ...(dataset !== undefined && (typeof dataset === 'string' ? { datasets: [dataset] } : { dataset })),
    ...(agent !== undefined && { agent: typeof agent === 'string' ? { lm: namedModel(agent) } : agent }),
    ...(user !== undefined && { user: typeof user === 'string' ? shortUser(user) : user }),
  };
}
