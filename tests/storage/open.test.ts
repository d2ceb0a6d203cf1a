import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { openStore } from '../../src/storage/open.js';

test.each([
  ['a relative path', 'results/run', pathToFileURL(resolve('results/run')).href],
  ['an absolute path', '/data/my results', 'file:///data/my%20results'],
  ['a file URL', 'file:///data/my%20results/', 'file:///data/my%20results'],
  ['a bucket', 's3://bucket', 's3://bucket'],
  ['a bucket and a prefix', 's3://bucket/some/prefix/', 's3://bucket/some/prefix'],
])('%s opens as its own address', (_, address, uri) => {
  expect(openStore(address, { environment: {} }).uri).toBe(uri);
});

test('a plain path and its file URL are the same store', () => {
  const path = join('/tmp', 'ünï cödé#1');
  expect(openStore(path).uri).toBe(openStore(openStore(path).uri).uri);
});

test.each([
  ['', 'empty'],
  ['gs://bucket/x', 'scheme'],
  ['https://example.org/x', 'scheme'],
  ['file://host/x', 'file:///absolute/folder'],
  ['s3://', 'bucket name'],
  ['s3://Bucket_Name/x', 'bucket name'],
  ['s3://bucket//x', 'empty segment'],
  ['s3://bucket/../x', "'..'"],
])('the address %j is refused with a final error that says why', (address, reason) => {
  expect(() => openStore(address, { environment: {} })).toThrow(
    expect.objectContaining({
      name: 'StorageError',
      retryable: false,
      message: expect.stringContaining(reason),
    }),
  );
});

test('an S3_ENDPOINT that is no address is refused before anything is contacted', () => {
  expect(() => openStore('s3://bucket/x', { environment: { S3_ENDPOINT: '127.0.0.1:9000' } })).toThrow(
    /S3_ENDPOINT/,
  );
});
