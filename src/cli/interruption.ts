import { sayText } from './print.js';

/** Aborts the signal at the first Ctrl-C or SIGTERM; the second one exits at once. @param notice text at the first one */
export function interruption(notice = 'Ending: calls in flight may finish. Once more ends at once.'): {
  signal: AbortSignal;
  /** Resolves at the first one. */
  came: Promise<void>;
  dispose(): void;
} {
  const controller = new AbortController();
  const { signal } = controller;
  const came = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  const onSignal = () => {
    if (signal.aborted) process.exit(130);
    sayText(`\n${notice}`);
    controller.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    signal,
    came,
    dispose: () => {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}
