import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';

// The SDK announces on every start that its future versions want Node 22. The lock file keeps one that does not.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';

/** Variables such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Two attempts, so that a kept-alive connection the server has just closed is not reported; no more, because
 * retries belong to the activity that called, which can wait longer, shows its attempts and can be cancelled.
 */
const ATTEMPTS = 2;
const CONNECTION_TIMEOUT_MS = 5_000;
/** Silence on a connection before the request is given up. */
const IDLE_TIMEOUT_MS = 30_000;

export interface S3ClientTuning {
  idleTimeoutMs?: number;
}

/**
 * The SDK's client for `S3_ENDPOINT` (path-style addressing) or for AWS. Credentials come from the given variables,
 * or else from the SDK's usual chain (profile, container, instance role).
 */
export function createS3Client(environment: Environment, tuning: S3ClientTuning = {}): S3Client {
  const endpoint = environment.S3_ENDPOINT;
  const accessKeyId = environment.AWS_ACCESS_KEY_ID;
  const secretAccessKey = environment.AWS_SECRET_ACCESS_KEY;
  const sessionToken = environment.AWS_SESSION_TOKEN;
  const configuration: S3ClientConfig = {
    region: environment.AWS_REGION || environment.AWS_DEFAULT_REGION || defaultRegion,
    maxAttempts: ATTEMPTS,
    followRegionRedirects: true,
    // The SDK's default CRC32 trailers make bodies `aws-chunked`, which some S3-compatible services refuse.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      socketTimeout: tuning.idleTimeoutMs ?? IDLE_TIMEOUT_MS,
    },
  };
  if (endpoint) Object.assign(configuration, { endpoint, forcePathStyle: true });
  if (accessKeyId && secretAccessKey) {
    configuration.credentials = {
      accessKeyId,
      secretAccessKey,
      ...(sessionToken ? { sessionToken } : {}),
    };
  }
  return new S3Client(configuration);
}

/** The region of the profile in use, or us-east-1, which S3-compatible services take for a default. */
async function defaultRegion(): Promise<string> {
  try {
    return await new S3Client({}).config.region();
  } catch {
    return 'us-east-1';
  }
}
