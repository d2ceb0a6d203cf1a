import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';

// The SDK warns at every start that its future versions require Node 22. The lock file keeps a version that does not.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';

/** Environment variables, as in `process.env`. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/**
 * Number of attempts: two, so that a kept-alive connection that the server has just closed is not reported; no more,
 * because retries belong to the calling activity, which can wait longer, shows its attempts and can be cancelled.
 */
const ATTEMPTS = 2;
const CONNECTION_TIMEOUT_MS = 5_000;
/** Milliseconds without data before a request is aborted. */
const IDLE_TIMEOUT_MS = 30_000;

export interface S3ClientTuning {
  idleTimeoutMs?: number;
}

/**
 * Creates the SDK's client for `S3_ENDPOINT` (path-style addressing) or for AWS. Credentials come from the given
 * variables, or else from the SDK's default chain (profile, container, instance role).
 */
export function createS3Client(environment: EnvironmentVariables, tuning: S3ClientTuning = {}): S3Client {
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

/** Returns the region of the profile in use, or us-east-1, which is the default of S3-compatible services. */
async function defaultRegion(): Promise<string> {
  try {
    return await new S3Client({}).config.region();
  } catch {
    return 'us-east-1';
  }
}
