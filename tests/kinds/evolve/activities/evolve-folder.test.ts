import { afterAll, beforeAll, describe } from 'vitest';
import { openStore } from '../../../../src/storage/open.js';
import { testEvolveFolders } from '../../../activities/evolve-folder-contract.js';
import type { FolderSubject } from '../../../activities/evolve-folder-support.js';
import { testEvolveForks } from '../../../activities/evolve-fork-contract.js';
import { temporaryStore } from '../../../activities/support.js';
import { findVersitygw, mustSkip, type S3Server, startS3Server } from '../../../support/s3-server.js';

const versitygw = await findVersitygw();

describe('in a folder', () => {
  const subject: FolderSubject = {
    makeResults: temporaryStore,
    openStore: (address) => openStore(address),
  };
  testEvolveFolders(subject);
  testEvolveForks(subject);
});

describe.skipIf(mustSkip(versitygw))('on a real S3 server', () => {
  let server: S3Server;
  let counter = 0;

  beforeAll(async () => {
    server = await startS3Server();
  }, 60_000);
  afterAll(() => server.stop());

  const open = (address: string) => openStore(address, { environment: server.environment });
  const subject: FolderSubject = {
    makeResults: async () => {
      counter += 1;
      return open(`s3://${server.bucket}/experiments/${counter}`);
    },
    openStore: open,
  };
  testEvolveFolders(subject);
  testEvolveForks(subject);
});
