import { InvalidInputError } from './errors.js';

type Kind = 'run' | 'evolve' | 'agent-eval';

const SAID: Readonly<Record<Kind, string>> = {
  run: 'a run',
  evolve: 'an evolution',
  'agent-eval': 'an evaluation on task bundles',
};

/** What a config is most likely of, by the sections that only one kind has; null where they do not say. */
function kindOf(raw: Record<string, unknown>): Kind | null {
  if ('scaffolder' in raw) return 'dataset' in raw ? null : 'evolve';
  if ('datasets' in raw || typeof raw.dataset === 'string') return 'agent-eval';
  return 'dataset' in raw ? 'run' : null;
}

/**
 * Refuses a config of another kind by naming the command that takes it.
 * @throws InvalidInputError
 */
export function refuseOtherKind(raw: Record<string, unknown>, source: string, own: Kind): void {
  const kind = kindOf(raw);
  if (kind === null || kind === own) return;
  throw new InvalidInputError(
    `${source}: this is the config of ${SAID[kind]}; start it with: reprise ${kind}`,
  );
}
