import { onTestFinished } from 'vitest';
import { openStore } from '../../src/storage/open.js';
import { Experiments } from '../../src/view/experiments.js';
import { Live } from '../../src/view/live.js';
import { serveViewer } from '../../src/view/server.js';

/** A viewer of a folder, without a Temporal server, which ends with the test. Returns its address. */
export async function viewerOf(folder: string, { write = false } = {}): Promise<string> {
  const live = new Live(false);
  const viewer = await serveViewer({
    experiments: new Experiments(openStore(folder), live),
    live,
    write,
    port: 0,
    retry: async () => {},
  });
  onTestFinished(() => viewer.close());
  return viewer.url;
}

/** A page of a viewer. */
export async function pageAt(
  url: string,
  path = '',
): Promise<{ status: number; text: string; headers: Headers }> {
  const response = await fetch(`${url}${path}`, { redirect: 'manual' });
  return { status: response.status, text: await response.text(), headers: response.headers };
}
