import { expect, test } from 'vitest';
import { OwnNews } from '../../src/cli/own-news.js';

function listener() {
  const said: string[] = [];
  return { said, news: new OwnNews((message) => said.push(message)) };
}

test('a command says what is about its own experiments and about the worker, and nothing of others', () => {
  const { said, news } = listener();
  news.carry('mine');
  news.hear('of the run', 'mine');
  news.hear('of its child', 'mine/s0');
  news.hear('of the worker', null);
  news.hear('of another', 'other');
  news.hear('of the child of another', 'other/s0');
  news.hear('of one with a longer name', 'mine-2/s0');
  expect(said).toEqual(['of the run', 'of its child', 'of the worker']);
  news.carry('other');
  news.hear('of the next one', 'other');
  expect(said.slice(3)).toEqual(['of the next one']);
});

test('what came before the command knew its experiment is said then, if it is its own', () => {
  const { said, news } = listener();
  news.hear('early', 'mine');
  news.hear('early, of another', 'other');
  expect(said).toEqual([]);
  news.carry('mine');
  expect(said).toEqual(['early']);
});
