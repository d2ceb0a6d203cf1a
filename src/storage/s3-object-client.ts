import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { ObjectClient } from './object-client.js';
import { s3ErrorCode } from './s3-errors.js';

const PART_BYTES = 8 * 1024 * 1024;
// Parts in flight: memory holds at most this many parts of an upload, and one that is being filled.
const CONCURRENT_PARTS = 3;
const CONFLICT_ATTEMPTS = 4;
const CONFLICT_PAUSE_MS = 100;

/** Creates an {@link ObjectClient} with the AWS SDK, for one bucket. */
export function createS3ObjectClient(client: S3Client, bucket: string): ObjectClient {
  let bucketSeen = false;
  /** True unless the service is known not to support `If-None-Match`. */
  let knowsConditions = true;

  /** Checks once that the bucket exists: a HEAD with status 404 may mean a missing object or a missing bucket. */
  async function confirmBucket(): Promise<void> {
    if (bucketSeen) return;
    try {
      await client.send(new HeadBucketCommand({ Bucket: bucket }));
    } catch (error) {
      if (statusOf(error) !== 404) throw error;
      throw Object.assign(error as Error, { Code: 'NoSuchBucket' });
    }
    bucketSeen = true;
  }

  async function putOnce(key: string, body: Uint8Array): Promise<boolean> {
    if (!knowsConditions) return putWhereNone(key, body);
    for (let attempt = 1; ; attempt += 1) {
      try {
        await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body, IfNoneMatch: '*' }));
        return true;
      } catch (error) {
        // Of two writers at the same instant, one gets 409 and retries, and then finds the other's object.
        if (statusOf(error) === 409 && attempt < CONFLICT_ATTEMPTS) {
          await new Promise((resume) => setTimeout(resume, CONFLICT_PAUSE_MS * attempt));
          continue;
        }
        if (statusOf(error) === 501) {
          knowsConditions = false;
          return putWhereNone(key, body);
        }
        if (statusOf(error) !== 412) throw error;
        // After a lost response, the second attempt finds the object that the first one wrote.
        return attemptsOf(error) > 1 && (await holds(key, body));
      }
    }
  }

  /** Writes without conditional writes. Hazard: two writers at the same moment can both succeed. */
  async function putWhereNone(key: string, body: Uint8Array): Promise<boolean> {
    return !(await objectClient.head(key)) && objectClient.put(key, body, false);
  }

  async function holds(key: string, body: Uint8Array): Promise<boolean> {
    const present = await objectClient.get(key);
    return present !== null && Buffer.compare(await buffer(present), body) === 0;
  }

  const objectClient: ObjectClient = {
    bucket,

    async get(key, range) {
      const bytes =
        range === undefined ? undefined : `bytes=${range.start}-${range.start + range.length - 1}`;
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key, Range: bytes }));
        return Body as Readable;
      } catch (error) {
        if (s3ErrorCode(error) === 'NoSuchKey') return null;
        throw error;
      }
    },

    async head(key) {
      try {
        await client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }));
        return true;
      } catch (error) {
        if (statusOf(error) !== 404) throw error;
        await confirmBucket();
        return false;
      }
    },

    async put(key, body, ifAbsent) {
      if (ifAbsent) return putOnce(key, body);
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body }));
      return true;
    },

    async upload(key, blocks) {
      const upload = new Upload({
        client,
        params: { Bucket: bucket, Key: key, Body: Readable.from(blocks, { objectMode: false }) },
        partSize: PART_BYTES,
        queueSize: CONCURRENT_PARTS,
        leavePartsOnError: false,
      });
      await upload.done();
    },

    async listPage(prefix, continuation) {
      const answer = await client.send(
        new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken: continuation }),
      );
      const objects = (answer.Contents ?? []).map(({ Key, Size }) => ({ key: Key ?? '', bytes: Size ?? 0 }));
      return answer.IsTruncated ? { objects, next: answer.NextContinuationToken } : { objects };
    },

    async listFolders(prefix, continuation) {
      const { CommonPrefixes, IsTruncated, NextContinuationToken } = await client.send(
        new ListObjectsV2Command({
          Bucket: bucket,
          Prefix: prefix,
          Delimiter: '/',
          ContinuationToken: continuation,
        }),
      );
      const folders = (CommonPrefixes ?? []).map(({ Prefix = '' }) => Prefix.slice(prefix.length, -1));
      return IsTruncated ? { folders, next: NextContinuationToken } : { folders };
    },

    async deleteBatch(keys) {
      const answer = await client.send(
        new DeleteObjectsCommand({
          Bucket: bucket,
          Delete: { Objects: keys.map((Key) => ({ Key })), Quiet: true },
        }),
      );
      return (answer.Errors ?? []).map(({ Key, Code, Message }) => ({
        key: Key ?? '',
        code: Code ?? 'Unknown',
        message: Message ?? '',
      }));
    },
  };
  return objectClient;
}

function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
}

function attemptsOf(error: unknown): number {
  return (error as { $metadata?: { attempts?: number } }).$metadata?.attempts ?? 1;
}
