import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundleOption } from '@temporalio/worker';
import { InvalidInputError } from '../config/errors.js';
import { withImports } from '../user-code/code.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Bundle of the built-in workflows and agents, written by `npm run build`. */
export const PREBUILT_BUNDLE = here('../workflow-bundle.js');

const logger = new DefaultLogger('ERROR', ({ message }) => process.stderr.write(`${message}\n`));

const PAYLOAD_CONVERTER = here('../workflows/payload-converter.js');

const OWN_CODE = here('..');
const INSTRUMENTS = here('../user-code/instrument-loader.js');

/** Reports whether a file belongs to an agent, and neither to Reprise nor to a package. */
const isAgents = (path: string) => !path.startsWith(OWN_CODE) && !/[\\/]node_modules[\\/]/.test(path);

/** The node_modules that holds the workflow SDK. */
const PACKAGES = resolve(
  dirname(createRequire(import.meta.url).resolve('@temporalio/workflow/package.json')),
  '../..',
);

/** User's agent: `agent.type`, `agent.file` and `agent.class_name` of the config. */
export interface AgentSource {
  type: string;
  file: string;
  className: string | null;
}

/** Bundles the workflows without any user code. */
export async function buildBundle(): Promise<string> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: here('../workflows/index.js'),
    payloadConverterPath: PAYLOAD_CONVERTER,
    logger,
  });
  return code;
}

function entrySource(agents: readonly AgentSource[]): string {
  const lines = [
    `export * from ${JSON.stringify(here('../workflows/index.js'))};`,
    `export { default } from ${JSON.stringify(here('../workflows/index.js'))};`,
    `import { registerAgentFile } from ${JSON.stringify(here('../agents/registry.js'))};`,
  ];
  for (const [number, { type, file, className }] of agents.entries()) {
    const names = [type, file, className ?? 'default'].map((name) => JSON.stringify(name));
    lines.push(`import agent${number} from './agent${number}.cjs';`);
    lines.push(`registerAgentFile(${names.join(', ')}, agent${number});`);
  }
  return lines.join('\n');
}

/**
 * Returns the module that loads an agent's file. The file may throw when it is loaded: without this module, every
 * workflow of the worker would fail with it, for ever.
 */
function agentSource({ file }: AgentSource): string {
  // In a function: webpack accepts a missing module within `try` itself without an error.
  return `const load = () => ({ exports: require(${JSON.stringify(file)}) });
try {
  module.exports = load();
} catch (thrown) {
  module.exports = { thrown };
}`;
}

/**
 * Bundles the workflows with users' agents, directly from TypeScript.
 * @throws InvalidInputError if a file cannot be bundled, with the bundler's message.
 */
async function bundleWith(agents: readonly AgentSource[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'reprise-agents-'));
  const entry = join(folder, 'workflows.mjs');
  const messages: string[] = [];
  try {
    await writeFile(entry, entrySource(agents));
    for (const [number, agent] of agents.entries())
      await writeFile(join(folder, `agent${number}.cjs`), agentSource(agent));
    const { code } = await bundleWorkflowCode({
      workflowsPath: entry,
      payloadConverterPath: PAYLOAD_CONVERTER,
      logger: new DefaultLogger('ERROR', ({ message }) => void messages.push(message)),
      webpackConfigHook: (config) => ({
        ...config,
        module: {
          ...config.module,
          rules: [
            ...(config.module?.rules ?? []),
            { test: isAgents, exclude: folder, enforce: 'post', loader: INSTRUMENTS },
          ],
        },
        resolve: {
          ...config.resolve,
          // The entry is in a temporary folder, from which no package is found.
          modules: [...(config.resolve?.modules ?? ['node_modules']), PACKAGES],
          alias: { ...config.resolve?.alias, reprise$: here('../index.js') },
          // A TypeScript file imports its neighbour as './neighbour.js'.
          extensionAlias: { '.js': ['.ts', '.js'] },
        },
      }),
    });
    return code;
  } catch (error) {
    const reason = [...messages, (error as Error).message].join('\n').slice(0, 2000);
    throw new InvalidInputError(
      `agent.file: ${agents.map(({ file }) => file).join(', ')} cannot be bundled:\n${reason}`,
      'agent.file',
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns a hash that names the code of users' agents; null if there are none. */
export function codeHashOf(agents: readonly AgentSource[]): string | null {
  if (agents.length === 0) return null;
  const sources = agents.map(({ type, file, className }) => [
    type,
    className,
    [...withImports(file).values()],
  ]);
  return createHash('sha256').update(JSON.stringify(sources)).digest('hex').slice(0, 10);
}

/** Returns a worker's workflow code, and a hash that names the code if it includes a user's agent. */
export async function workflowBundle(
  agents: readonly AgentSource[],
): Promise<{ bundle: WorkflowBundleOption; codeHash: string | null }> {
  const codeHash = codeHashOf(agents);
  if (codeHash === null) {
    if (existsSync(PREBUILT_BUNDLE)) return { bundle: { codePath: PREBUILT_BUNDLE }, codeHash };
    return { bundle: { code: await buildBundle() }, codeHash };
  }
  return { bundle: { code: await bundleWith(agents) }, codeHash };
}
