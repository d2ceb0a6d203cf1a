import type { OnUnreachable } from '../language-models/outage.js';
import type { WorkerDependencies } from './dependencies.js';

/** Returns the listener that notifies people, and the current activity's experiment, of an unreachable hub. */
export function hubListener({
  notify,
  notices,
}: Pick<WorkerDependencies, 'notify' | 'notices'>): OnUnreachable {
  const tell = notices.listener('the hub');
  return (unreachable) => {
    if (unreachable !== null) notify(`Waiting for the hub: ${unreachable.message}`);
    tell(unreachable);
  };
}
