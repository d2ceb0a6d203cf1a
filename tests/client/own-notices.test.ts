import { expect, test } from 'vitest';
import { OwnNotices } from '../../src/client/own-notices.js';

function listener() {
  const said: string[] = [];
  return { said, notices: new OwnNotices((message) => said.push(message)) };
}

test('a command says what is about its own experiments and about the worker, and nothing of others', () => {
  const { said, notices } = listener();
  notices.carry('mine');
  notices.received('of the run', 'mine');
  notices.received('of its child', 'mine/s0');
  notices.received('of the worker', null);
  notices.received('of another', 'other');
  notices.received('of the child of another', 'other/s0');
  notices.received('of one with a longer name', 'mine-2/s0');
  expect(said).toEqual(['of the run', 'of its child', 'of the worker']);
  notices.carry('other');
  notices.received('of the next one', 'other');
  expect(said.slice(3)).toEqual(['of the next one']);
});

test('what came before the command knew its experiment is said then, if it is its own', () => {
  const { said, notices } = listener();
  notices.received('early', 'mine');
  notices.received('early, of another', 'other');
  expect(said).toEqual([]);
  notices.carry('mine');
  expect(said).toEqual(['early']);
});
