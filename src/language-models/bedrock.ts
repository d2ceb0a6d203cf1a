import { BedrockRuntimeClient, ConverseCommand } from '@aws-sdk/client-bedrock-runtime';
import type { LanguageModel } from '../contracts/language-model.js';
import { withoutTrailing } from '../contracts/trailing.js';
import { readConverse, toConverse } from './bedrock-wire.js';
import type { Notify } from './chat-messages.js';
import { dialectOf, LearnedDialect } from './dialect.js';
import { LanguageModelError } from './errors.js';
import { unmarkIntegers } from './exact-integers.js';
import { type GuardedAttempt, guard, nameServer } from './guard.js';
import { forReplies, providerFetch } from './provider-fetch.js';

export interface BedrockOptions {
  /** Identifier of a model or of an inference profile, or the ARN of one. */
  model: string;
  /** Bedrock's API key; absent: credentials as Amazon's client finds them (variables, a profile, a role). */
  apiKey?: string;
  /** Region such as `eu-central-1`; absent: that of the profile. */
  region?: string;
  /** Milliseconds one request may take. */
  timeoutMs: number;
  /** Maximum megabytes of a reply. */
  maxReplyMb?: number;
  baseUrl?: string;
  notify?: Notify;
}

/** Request and answer of the client's transport, as far as they are used here. */
interface HttpRequest {
  protocol: string;
  hostname: string;
  port?: number;
  path: string;
  method: string;
  headers: Record<string, string>;
  body?: BodyInit;
}

/** Creates a transport over `fetch`, so that replies are limited and redirects not followed, as with all providers. */
function transport(ask: typeof fetch) {
  return {
    async handle(
      { protocol, hostname, port, path, method, headers, body }: HttpRequest,
      { abortSignal }: { abortSignal?: AbortSignal } = {},
    ) {
      // `fetch` writes these two itself.
      const { host: _host, 'content-length': _length, ...sent } = headers;
      const url = `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`;
      const answer = await ask(url, { method, headers: sent, body, signal: abortSignal });
      return {
        response: {
          statusCode: answer.status,
          headers: Object.fromEntries(answer.headers),
          body: new Uint8Array(await answer.arrayBuffer()),
        },
      };
    },
    updateHttpClientConfig() {},
    httpHandlerConfigs: () => ({}),
  };
}

/** Error of Amazon's client, as far as it is read. */
interface ClientError extends Error {
  $metadata?: { httpStatusCode?: number };
  $response?: { statusCode?: number; headers?: Record<string, string> };
}

/** Gives an error the fields by which errors are classified; the name of the fault counts as its code. */
function readable(error: unknown, attempt: GuardedAttempt): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, $metadata, $response } = error as ClientError;
  if (name === 'CredentialsProviderError' || name === 'TokenProviderError') {
    const way =
      'set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile';
    return new LanguageModelError('authentication', `bedrock finds no credentials: ${way} in AWS_PROFILE`, {
      provider: 'bedrock',
    });
  }
  if (message === 'Region is missing')
    return new LanguageModelError('configuration', 'bedrock needs a region: set AWS_REGION', {
      provider: 'bedrock',
    });
  const status = $metadata?.httpStatusCode ?? $response?.statusCode;
  if (status === undefined) return error;
  const headers = new Headers($response?.headers);
  attempt.response = { status, headers };
  return status < 400 ? error : Object.assign(error, { status, headers, error: { type: name, message } });
}

/**
 * Creates a model behind Amazon Bedrock's Converse (`POST /model/{model}/converse`). One request per call, except that a
 * request with a refused field is repeated without it.
 */
export function bedrockLanguageModel(options: BedrockOptions): LanguageModel {
  const { model, apiKey, baseUrl, notify } = options;
  const provider = 'bedrock';
  const serverName = nameServer(provider, baseUrl);
  const secrets = apiKey === undefined ? [] : [apiKey];
  // Another server has no region of its own, but a signature names one.
  const region = options.region ?? (baseUrl === undefined ? undefined : 'us-east-1');
  const client = new BedrockRuntimeClient({
    maxAttempts: 1,
    ...(region !== undefined && { region }),
    ...(baseUrl !== undefined && { endpoint: withoutTrailing(baseUrl, /\//) }),
    ...(apiKey !== undefined && { token: { token: apiKey }, authSchemePreference: ['httpBearerAuth'] }),
    requestHandler: transport(providerFetch(forReplies(provider, serverName, options.maxReplyMb))),
  });
  const learned = new LearnedDialect(dialectOf('bedrock'), { notify, secrets });
  return guard({ provider, serverName, timeoutMs: options.timeoutMs, secrets }, (request, attempt) =>
    learned.ask(request, async (dialect, say) => {
      const command = new ConverseCommand(toConverse(model, request, dialect, say));
      command.middlewareStack.add(
        (next) => (step) => {
          const sent = step.request as HttpRequest;
          // Before the body is measured and signed.
          if (sent.body instanceof Uint8Array)
            sent.body = new TextEncoder().encode(unmarkIntegers(new TextDecoder().decode(sent.body)));
          Object.assign(
            sent.headers,
            request.parameters.extra_headers,
            attempt.idempotencyKey && { 'idempotency-key': attempt.idempotencyKey },
          );
          return next(step);
        },
        { step: 'build', priority: 'high' },
      );
      const output = await client.send(command, { abortSignal: attempt.signal }).catch((error: unknown) => {
        throw readable(error, attempt);
      });
      return readConverse(output, serverName);
    }),
  );
}
