import { closeSync, openSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withLock } from '../../src/workers/folder-lock.js';

/*
 * Takes a folder's lock again and again, and says `overlap` where another process is at work at the same time. Started
 * by folder-lock.test.ts with the folder and how often.
 */
const [folder = '', times = '1'] = process.argv.slice(2);
const atWork = join(folder, 'at-work');

for (let time = 0; time < Number(times); time += 1) {
  await withLock(folder, async () => {
    try {
      closeSync(openSync(atWork, 'wx'));
    } catch {
      console.log('overlap');
      return;
    }
    await sleep(1);
    unlinkSync(atWork);
  });
}
console.log('done');
