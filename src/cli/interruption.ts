import { sayText } from './print.js';

/** Aborts the signal at the first Ctrl-C or SIGTERM; the second one exits at once. */
export function interruption(): { signal: AbortSignal; dispose(): void } {
  const controller = new AbortController();
  const onSignal = () => {
    if (controller.signal.aborted) process.exit(130);
    sayText('\nEnding: calls in flight may finish. Once more ends at once.');
    controller.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    signal: controller.signal,
    dispose: () => {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}
