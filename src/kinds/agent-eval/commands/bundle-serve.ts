import { interruption } from '../../../cli/interruption.js';
import { printText } from '../../../cli/print.js';
import { InvalidInputError } from '../../../config/errors.js';
import type { Bundle } from '../bundles/load.js';
import { serveDesk } from '../workbench/serve-desk.js';
import { ToolDesk } from '../workbench/tool-desk.js';

export interface ServeOptions {
  row?: string;
  port: string;
}

/** Serves the tools of a bundle until the first Ctrl-C. @throws InvalidInputError */
export async function serveUntilInterrupted(
  load: () => Promise<Bundle>,
  { row, port }: ServeOptions,
): Promise<void> {
  const number = Number(port);
  if (!/^\d+$/.test(port) || number > 65_535) {
    throw new InvalidInputError(`--port ${port}: must be a whole number from 0 to 65535`);
  }
  const desk = await ToolDesk.open(load, row ?? null);
  const interrupted = interruption();
  const { url, close } = await serveDesk(desk, number);
  printText(
    `The tools of ${desk.row.registry.name}, for the row ${desk.row.row.id}: ${url}\nOpenAPI: ${url}openapi.json. Ctrl-C ends it.`,
  );
  await interrupted.came;
  interrupted.dispose();
  await close();
}
