import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { parse, stringify } from 'yaml';
import { findGoProgram } from './go-program.js';
import { mustSkipWithout } from './missing-part.js';
import { findPostgres, type PostgresServer, startPostgres } from './postgresql.js';
import { ownPort } from './workplace.js';

/** The newest that `go install` can build with what this machine's Go is. */
export const TEMPORAL_SERVER_VERSION = 'v1.29.1';
const MODULE = 'go.temporal.io/server';
const DATABASES = { temporal: 'temporal', visibility: 'temporal_visibility' } as const;
const HISTORY_SHARDS = 4;
const START_TIMEOUT_MS = 120_000;

/** What a production server is made of, or what is missing to have one. */
export type FoundProduction = { server: string; sqlTool: string; postgres: string } | { missing: string };

/** Looks for Temporal's server and its tool for SQL, which are built with Go where they are not there, and PostgreSQL. */
export async function findProduction(): Promise<FoundProduction> {
  const postgres = await findPostgres();
  if ('missing' in postgres) return postgres;
  const version = TEMPORAL_SERVER_VERSION;
  const server = await findGoProgram({ name: 'temporal-server', version, module: `${MODULE}/cmd/server` });
  if ('missing' in server) return server;
  const sql = await findGoProgram({ name: 'temporal-sql-tool', version, module: `${MODULE}/cmd/tools/sql` });
  if ('missing' in sql) return sql;
  return { server: server.path, sqlTool: sql.path, postgres: postgres.path };
}

/** Whether tests that need one must be skipped. */
export function mustSkipProduction(found: FoundProduction): boolean {
  const missing = 'missing' in found ? `Temporal's server on PostgreSQL is missing: ${found.missing}` : null;
  return mustSkipWithout('production-server', missing);
}

/** Temporal's server on PostgreSQL, as `docker-compose.yml` sets them up, in processes of their own. */
export interface ProductionServer {
  address: string;
  database: PostgresServer;
  /** Processes: the server's, and the database's first. */
  pids(): number[];
  /** kill -9, and up again on the same port and database. */
  restart(): Promise<void>;
  /** Ends both and removes what they kept. */
  stop(): Promise<void>;
}

/** Starts one with an empty namespace `default`. @param binary the Temporal CLI, which makes that. */
export async function startProduction(
  { server, sqlTool, postgres }: Exclude<FoundProduction, { missing: string }>,
  binary: string,
): Promise<ProductionServer> {
  const database = await startPostgres(postgres);
  const folder = await mkdtemp(join(tmpdir(), 'reprise-production-'));
  let running: ChildProcess | undefined;
  const stop = async () => {
    if (running !== undefined) await killed(running);
    await database.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    await makeDatabases(sqlTool, database);
    const port = await writeConfig(folder, database);
    const address = `127.0.0.1:${port}`;
    const launch = () => launched(server, folder, () => isServing(binary, address));
    running = await launch();
    await makeNamespace(binary, address);
    return {
      address,
      database,
      pids: () => [running?.pid as number, database.pid()],
      restart: async () => {
        await killed(running as ChildProcess);
        running = await launch();
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function makeDatabases(sqlTool: string, { port, user }: PostgresServer): Promise<void> {
  const server = [
    '--plugin',
    'postgres12',
    '--endpoint',
    '127.0.0.1',
    '--port',
    String(port),
    '--user',
    user,
  ];
  for (const [part, name] of Object.entries(DATABASES)) {
    const tool = (...args: string[]) =>
      promisify(execFile)(sqlTool, [...server, '--password', 'none', '--database', name, ...args]);
    await tool('create-database');
    await tool('setup-schema', '--version', '0.0');
    await tool('update-schema', '--schema-name', `postgresql/v12/${part}`);
  }
}

/** The settings that the team's server has. */
async function dynamicConfig(): Promise<string> {
  const compose = parse(await readFile('docker-compose.yml', 'utf8'));
  return compose.configs['temporal-dynamic-config'].content;
}

/** @returns the port of its frontend. */
async function writeConfig(folder: string, { port, user }: PostgresServer): Promise<number> {
  const settings = join(folder, 'dynamic.yaml');
  await writeFile(settings, await dynamicConfig());
  const sql = (databaseName: string) => ({
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectAddr: `127.0.0.1:${port}`,
      connectProtocol: 'tcp',
      user,
      password: 'none',
      maxConns: 20,
      maxIdleConns: 20,
      maxConnLifetime: '1h',
    },
  });
  // Those of a membership are small integers of the database, so they are below 32,768.
  const rpc = async () => ({
    rpc: { grpcPort: await ownPort(), membershipPort: await ownPort(), bindOnLocalHost: true },
  });
  const frontend = await rpc();
  const config = {
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'default',
      visibilityStore: 'visibility',
      numHistoryShards: HISTORY_SHARDS,
      datastores: { default: sql(DATABASES.temporal), visibility: sql(DATABASES.visibility) },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
    services: { frontend, history: await rpc(), matching: await rpc(), worker: await rpc() },
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: {
          enabled: true,
          initialFailoverVersion: 1,
          rpcName: 'frontend',
          rpcAddress: `127.0.0.1:${frontend.rpc.grpcPort}`,
        },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    dynamicConfigClient: { filepath: settings, pollInterval: '60s' },
  };
  await writeFile(join(folder, 'reprise.yaml'), stringify(config));
  return frontend.rpc.grpcPort;
}

async function launched(
  program: string,
  folder: string,
  isUp: () => Promise<boolean>,
): Promise<ChildProcess> {
  const args = ['--root', folder, '--config', '.', '--env', 'reprise', '--allow-no-auth', 'start'];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const killWithUs = () => void child.kill('SIGKILL');
  process.once('exit', killWithUs);
  child.once('exit', () => process.removeListener('exit', killWithUs));
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (data) => {
      said = (said + data).slice(-4000);
    });
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await isUp())) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await killed(child);
      throw new Error(`Temporal's server did not start: ${said}`);
    }
    await sleep(200);
  }
  return child;
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

function operator(binary: string, address: string, ...args: string[]): Promise<boolean> {
  return promisify(execFile)(binary, ['operator', ...args, '--address', address]).then(
    () => true,
    () => false,
  );
}

function isServing(binary: string, address: string): Promise<boolean> {
  return operator(binary, address, 'cluster', 'health');
}

async function makeNamespace(binary: string, address: string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  const namespace = ['--namespace', 'default'];
  while (!(await operator(binary, address, 'namespace', 'describe', ...namespace))) {
    await operator(binary, address, 'namespace', 'create', '--retention', '1d', ...namespace);
    if (Date.now() > deadline) throw new Error('the namespace could not be made');
    await sleep(200);
  }
}
