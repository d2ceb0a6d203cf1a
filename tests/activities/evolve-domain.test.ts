import { utimes, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { evolveDomain } from '../../src/activities/evolve/evolve-domain.js';
import { InvalidInputError } from '../../src/config/errors.js';
import type { OwnScorers } from '../../src/evolution/domains/domain.js';
import { userFile } from '../support/user-file.js';

const SCORER = "export const score = () => ({ score: 1, message: 'so' });\n";

function scorers() {
  const tried: string[] = [];
  const ownScorers: OwnScorers = {
    tried: async (file) => {
      tried.push(file);
    },
    scorer: () => () => ({ score: 0.5, message: 'in a thread' }),
  };
  return { tried, ownScorers };
}

const domain = (file: string) => ({ domain: { name: 'custom' as const, file, options: {} } });

test('a scorer’s file is tried once, and again where it was edited since', async () => {
  const file = await userFile('score.ts', SCORER);
  const { tried, ownScorers } = scorers();
  const { score } = await evolveDomain(domain(file), { ownScorers });
  expect(await score('', { id: '0', input: '', scoring_data: {} })).toMatchObject({ score: 0.5 });
  await evolveDomain(domain(file), { ownScorers });
  expect(tried).toEqual([file]);
  await utimes(file, new Date(), new Date(Date.now() + 5000));
  await evolveDomain(domain(file), { ownScorers });
  expect(tried).toEqual([file, file]);
});

test('a scorer’s file is loaded as the experiment began with it, whatever it says now', async () => {
  const file = await userFile(
    'score.ts',
    "export const score = () => ({ score: 2, message: 'as it is' });\n",
  );
  const begunWith = new Map([[file, SCORER]]);
  const { tried, ownScorers } = scorers();
  const example = { id: '0', input: '', scoring_data: {} };
  const scoreOf = async (texts?: Map<string, string>) =>
    (await evolveDomain(domain(file), {}, texts)).score('', example);
  expect(await scoreOf(begunWith)).toMatchObject({ score: 1 });
  expect(await scoreOf()).toMatchObject({ score: 2 });
  await evolveDomain(domain(file), { ownScorers }, begunWith);
  expect(tried).toEqual([file]);
  // Now it says what it did, and is loaded as that.
  await writeFile(file, SCORER);
  expect(await scoreOf(begunWith)).toMatchObject({ score: 1 });
  await evolveDomain(domain(file), { ownScorers }, begunWith);
  expect(tried).toEqual([file]);
});

test('one that could not be loaded is tried again', async () => {
  const file = await userFile('score.ts', "throw new Error('no licence');\n");
  const { tried, ownScorers } = scorers();
  for (const _ of [1, 2]) {
    await expect(evolveDomain(domain(file), { ownScorers })).rejects.toThrow(InvalidInputError);
  }
  expect(tried).toEqual([file, file]);
});
