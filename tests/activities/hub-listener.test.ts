import { expect, test } from 'vitest';
import { hubListener } from '../../src/activities/hub-listener.js';

test('people and the experiment hear of a hub that is away, and the experiment that it answers', () => {
  const [told, heard]: [string[], (string | null)[]] = [[], []];
  const listener = hubListener({
    notify: (message) => void told.push(message),
    notices: {
      listener: (what) => (unreachable) => void heard.push(unreachable && `${what}: ${unreachable.message}`),
    },
  });
  listener({ since: 0, message: 'no answer' });
  listener(null);
  expect(told).toEqual(['Waiting for the hub: no answer']);
  expect(heard).toEqual(['the hub: no answer', null]);
});
