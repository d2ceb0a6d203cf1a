import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { type Provider, SERVICES, serviceOf } from '../config/providers.js';
import { findKey, missingCredentials } from '../language-models/create.js';
import { serverInEnvironment } from '../language-models/server-address.js';
import { configuredServer, connectClient } from '../workers/connection.js';
import { serverFolder } from '../workers/server-folder.js';
import { findEmbeddedServer } from '../workers/server-record.js';
import { cacheFolder, findOnPath, findTemporalBinary } from '../workers/temporal-binary.js';
import { examples } from './examples.js';
import { EXIT } from './exit.js';
import { headedTable } from './format.js';
import { printJson, printText } from './print.js';

interface Finding {
  what: string;
  /** `missing` is only for parts without which nothing works. */
  state: 'found' | 'missing' | 'optional';
  detail: string;
}

const run = promisify(execFile);

/** Returns the first line of a program's version output; null where the program is missing or fails. */
async function versionOf(program: string, args: string[]): Promise<string | null> {
  const { stdout } = await run(program, args, { timeout: 10_000 }).catch(() => ({ stdout: '' }));
  return stdout.trim().split('\n')[0] || null;
}

function checkNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const enough = major > 20 || (major === 20 && minor >= 19);
  return {
    what: 'Node.js',
    state: enough ? 'found' : 'missing',
    detail: enough
      ? process.version
      : `${process.version} is too old; install 20.19 or newer from https://nodejs.org`,
  };
}

async function checkEmbedded(): Promise<Pick<Finding, 'state' | 'detail'>> {
  try {
    const running = await findEmbeddedServer(serverFolder(), { patience: 5000 });
    const where =
      running === null ? '; it is started when it is needed' : `, running on 127.0.0.1:${running.port}`;
    return { state: 'found', detail: `embedded${where}` };
  } catch (error) {
    return { state: 'missing', detail: (error as Error).message };
  }
}

async function checkTemporal(): Promise<Finding[]> {
  const configured = configuredServer(process.env);
  const findings: Finding[] = [];
  if (configured !== null) {
    const reachable = await connectClient(configured).then(
      (client) => client.connection.close().then(() => true),
      () => false,
    );
    findings.push({
      what: 'Temporal server',
      state: reachable ? 'found' : 'missing',
      detail: reachable
        ? `${configured.address}, namespace ${configured.namespace}`
        : `${configured.address} cannot be reached; check TEMPORAL_ADDRESS, or unset it to use the embedded server`,
    });
  } else {
    findings.push({ what: 'Temporal server', ...(await checkEmbedded()) });
  }
  const binary = await findTemporalBinary();
  const go = await findOnPath('go', process.env);
  const needed = configured === null;
  findings.push({
    what: 'Temporal CLI',
    state: binary !== null ? 'found' : needed && go === null ? 'missing' : 'optional',
    detail:
      binary !== null
        ? `${binary} (${(await versionOf(binary, ['--version'])) ?? 'no version'})`
        : go === null
          ? 'not here: it is downloaded when it is first needed; without access to temporal.download install it (https://docs.temporal.io/cli) or Go'
          : 'not here: it is downloaded, or built with Go in 3 to 8 minutes, when it is first needed',
  });
  return findings;
}

/** Names a provider's server, where the environment sets it. */
function serverText(provider: string): string {
  const named = serverInEnvironment(provider, process.env);
  if (named === null) return '';
  const { variable, address } = named;
  return `; asked at ${URL.canParse(address) ? new URL(address).host : 'no address'} (${variable})`;
}

/** Providers that most people have a key of; the others are named where they are set up. */
const USUAL: readonly Provider[] = ['gemini', 'openai', 'anthropic'];

function checkKeys(): Finding[] {
  const isSetUp = (provider: Provider) =>
    findKey(provider, process.env) !== undefined ||
    (serviceOf(provider)?.needs !== undefined && missingCredentials({ provider }, process.env) === null);
  const named = (Object.keys(SERVICES) as Provider[]).filter(
    (provider) => USUAL.includes(provider) || isSetUp(provider),
  );
  return named.map((provider) => {
    const missing = missingCredentials({ provider }, process.env);
    return {
      what: `${provider} key`,
      state: missing === null ? 'found' : 'optional',
      detail: `${missing ?? 'set in the environment'}${serverText(provider)}`,
    };
  });
}

async function checkTools(): Promise<Finding[]> {
  const go = await versionOf('go', ['version']);
  const docker = await versionOf('docker', ['info', '--format', 'Docker Engine {{.ServerVersion}}']);
  return [
    {
      what: 'Go',
      state: go === null ? 'optional' : 'found',
      detail: go ?? 'only needed to build the Temporal server where it cannot be downloaded',
    },
    {
      what: 'Docker',
      state: docker === null ? 'optional' : 'found',
      detail: docker ?? 'no daemon; docker-compose.yml and the sandbox for code that a model writes need one',
    },
    {
      what: 'S3',
      state: process.env.S3_ENDPOINT ? 'found' : 'optional',
      detail: process.env.S3_ENDPOINT
        ? `endpoint ${process.env.S3_ENDPOINT}`
        : 'S3_ENDPOINT is not set: s3:// addresses go to AWS',
    },
    { what: 'cache', state: 'found', detail: cacheFolder() },
  ];
}

export function addDoctorCommand(program: Command, finish: (code: number) => void): void {
  program
    .command('doctor')
    .addHelpText('after', examples('reprise doctor'))
    .option('--json', 'for machines')
    .action(async (options: { json?: boolean }) => {
      const findings = [checkNode(), ...(await checkTemporal()), ...checkKeys(), ...(await checkTools())];
      if (options.json) printJson(findings);
      else {
        const rows = findings.map(({ what, state, detail }) => [what, state, detail]);
        printText(headedTable(['part', 'state', 'detail'], rows));
      }
      finish(findings.some(({ state }) => state === 'missing') ? EXIT.failed : EXIT.done);
    });
}
