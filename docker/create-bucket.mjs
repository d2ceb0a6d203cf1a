// Makes the bucket named on the command line, unless it is there: node docker/create-bucket.mjs reprise
// Connects as the workers do: S3_ENDPOINT, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION.
import { CreateBucketCommand, HeadBucketCommand, S3Client } from '@aws-sdk/client-s3';

const bucket = process.argv[2];
if (!bucket) throw new Error('name the bucket: node docker/create-bucket.mjs NAME');

const client = new S3Client({ endpoint: process.env.S3_ENDPOINT, forcePathStyle: true });
const exists = await client.send(new HeadBucketCommand({ Bucket: bucket })).then(
  () => true,
  (error) => {
    if (error.$metadata?.httpStatusCode === 404) return false;
    throw error;
  },
);
if (!exists) await client.send(new CreateBucketCommand({ Bucket: bucket }));
console.log(`bucket ${bucket}: ${exists ? 'was there' : 'created'}`);
