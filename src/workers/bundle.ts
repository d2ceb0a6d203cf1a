import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundleOption } from '@temporalio/worker';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Bundle of the workflows, written by `npm run build`. */
export const PREBUILT_BUNDLE = here('../workflow-bundle.js');

const logger = new DefaultLogger('ERROR', ({ message }) => process.stderr.write(`${message}\n`));

/** Bundles the workflows. */
export async function buildBundle(): Promise<string> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: here('../workflows/index.js'),
    payloadConverterPath: here('../workflows/payload-converter.js'),
    logger,
  });
  return code;
}

/** Returns a worker's workflow code. */
export async function workflowBundle(): Promise<WorkflowBundleOption> {
  return existsSync(PREBUILT_BUNDLE) ? { codePath: PREBUILT_BUNDLE } : { code: await buildBundle() };
}
