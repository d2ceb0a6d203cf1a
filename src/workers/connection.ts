import {
  Client,
  Connection,
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { NativeConnection, NativeConnectionOptions } from '@temporalio/worker';
import { InvalidInputError } from '../config/errors.js';
import { type EmbeddedServer, useEmbeddedServer } from './embedded-server.js';
import type { EmbeddedServerOptions } from './launch-server.js';
import { dataConverter } from './payload-storage.js';
import { serverFolder } from './server-folder.js';
import { findEmbeddedServer } from './server-record.js';

/** Temporal server, and how to connect to it. */
export interface Server {
  address: string;
  namespace: string;
  /** Address of the web UI, if known. */
  uiUrl: string | null;
  embedded: boolean;
  /** Folder of an embedded server; null: an existing server. */
  folder: string | null;
  options: NativeConnectionOptions;
  /** Rejects if the server has moved away from `address`; an existing server never does. */
  lost: Promise<never>;
  /** Ends this process's use; an embedded server is ended by its last user. */
  release(): Promise<void>;
}

const NEVER = new Promise<never>(() => undefined);

export interface ServerOptions {
  /** Folder of the embedded server. */
  folder?: string;
  environment?: NodeJS.ProcessEnv;
  say?: (message: string) => void;
  /** True if an embedded server may be started; otherwise only a running one is found. */
  start: boolean;
}

/**
 * Returns the server that TEMPORAL_ADDRESS or a profile of the Temporal CLI's config file names; null if there is none.
 */
export function configuredServer(environment: NodeJS.ProcessEnv): Server | null {
  const variables = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined),
  );
  let config: ReturnType<typeof loadClientConnectConfig>;
  try {
    config = loadClientConnectConfig({ overrideEnvVars: variables as Record<string, string> });
  } catch (error) {
    throw new InvalidInputError(
      `the Temporal connection's configuration is wrong: ${(error as Error).message}`,
    );
  }
  const { address } = config.connectionOptions;
  if (address === undefined) return null;
  return {
    address,
    namespace: config.namespace ?? 'default',
    uiUrl: environment.TEMPORAL_UI_URL ?? null,
    embedded: false,
    folder: null,
    options: config.connectionOptions,
    lost: NEVER,
    release: async () => undefined,
  };
}

/** Embedded servers that this process uses, by folder. */
const used = new Map<string, { users: number; server: Promise<EmbeddedServer> }>();

/** Uses the embedded server of a folder as {@link useEmbeddedServer} does; the last user here ends the process's use. */
async function sharedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const { folder } = options;
  const entry = used.get(folder) ?? { users: 0, server: useEmbeddedServer(options) };
  used.set(folder, entry);
  entry.users += 1;
  const leave = (): boolean => {
    entry.users -= 1;
    return entry.users === 0 && used.delete(folder);
  };
  try {
    const server = await entry.server;
    return { ...server, release: async () => (leave() ? server.release() : undefined) };
  } catch (error) {
    leave();
    throw error;
  }
}

/**
 * Returns the server to work with: a configured one, else the embedded server of this folder.
 * @throws InvalidInputError if there is none and none may be started.
 */
export async function resolveServer(options: ServerOptions): Promise<Server> {
  const { environment = process.env } = options;
  const configured = configuredServer(environment);
  if (configured !== null) return configured;
  const folder = options.folder ?? serverFolder(environment);
  const embedded = (
    address: string,
    uiUrl: string,
    { lost, release }: Pick<Server, 'lost' | 'release'>,
  ): Server => ({
    address,
    namespace: 'default',
    uiUrl,
    embedded: true,
    folder,
    // Compression is useless on one machine; it took a fifth of the server's time.
    options: { address, grpcCompression: { codec: 'none' } },
    lost,
    release,
  });
  if (options.start) {
    const server = await sharedServer({
      folder,
      environment,
      ...(options.say ? { say: options.say } : {}),
    });
    return embedded(server.address, server.uiUrl, server);
  }
  const found = await findEmbeddedServer(folder, { say: options.say });
  if (found === null) {
    throw new InvalidInputError(
      `no Temporal server: none runs for ${folder}, and TEMPORAL_ADDRESS is not set. Start one with: npx reprise dev`,
    );
  }
  return embedded(`127.0.0.1:${found.port}`, `http://127.0.0.1:${found.ui_port}`, {
    lost: NEVER,
    release: async () => undefined,
  });
}

function unreachable(server: Server, error: unknown): InvalidInputError {
  return new InvalidInputError(
    `the Temporal server at ${server.address} cannot be reached: ${(error as Error).message}. Check TEMPORAL_ADDRESS, or unset it to use the embedded server`,
  );
}

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];
type NextCall = Parameters<Interceptor>[1];
type Call = ReturnType<NextCall>;
type Listener = Parameters<Call['start']>[1];
type Status = Parameters<NonNullable<NonNullable<Listener>['onReceiveStatus']>>[0];

const CANCELLED = 1;

/** Creates a call that ends at once. */
function endedCall(): Pick<Call, 'start' | 'sendMessage' | 'halfClose'> {
  return {
    start(metadata, listener) {
      const status: Status = { code: CANCELLED, details: 'the connection was closed', metadata };
      listener?.onReceiveMessage?.(null);
      listener?.onReceiveStatus?.(status);
    },
    sendMessage: () => undefined,
    halfClose: () => undefined,
  };
}

/**
 * Wraps the SDK's interceptor that repeats calls. It repeats them by a timer, in which an error of a closed connection
 * is uncaught and ends the process; with this wrapper the call ends as cancelled.
 */
function repeatedCalls(): Interceptor {
  const repeat = makeGrpcRetryInterceptor(defaultGrpcRetryOptions());
  return (options, nextCall) => {
    let isRepeated = false;
    const next: NextCall = (nextOptions) => {
      if (!isRepeated) {
        isRepeated = true;
        return nextCall(nextOptions);
      }
      try {
        return nextCall(nextOptions);
      } catch {
        return endedCall() as Call;
      }
    };
    return repeat(options, next);
  };
}

/** Connects a client for commands: starts, queries and updates workflows. */
export async function connectClient(server: Server): Promise<Client> {
  const { address, tls, apiKey, metadata } = server.options;
  const connection = await Connection.connect({
    ...(address === undefined ? {} : { address }),
    ...(tls === undefined ? {} : { tls }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(metadata === undefined ? {} : { metadata: metadata as never }),
    connectTimeout: '10s',
    interceptors: [repeatedCalls()],
  }).catch((error: unknown) => {
    throw unreachable(server, error);
  });
  return new Client({ connection, namespace: server.namespace, dataConverter: dataConverter() });
}

/** Connects a worker. */
export async function connectWorker(server: Server): Promise<NativeConnection> {
  // A command that only uses a client does not load the worker's native part.
  const { NativeConnection } = await import('@temporalio/worker');
  return NativeConnection.connect(server.options).catch((error: unknown) => {
    throw unreachable(server, error);
  });
}
