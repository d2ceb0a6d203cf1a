import { expect, test } from 'vitest';
import { needsAddress } from '../../src/cli/temporal.js';

test.each([
  'workflow list',
  'workflow start --type run --workflow-id my-run',
  'task-queue describe --task-queue reprise',
  '--color never operator namespace list',
])('temporal %s is told which server', (words) => {
  expect(needsAddress(words.split(' '))).toBe(true);
});

test.each([
  '',
  '--help',
  '-v',
  'workflow list --help',
  'server start-dev',
  'config list',
  'workflow list --address 127.0.0.1:7000',
  'workflow list --address=127.0.0.1:7000',
  'workflow list --profile team',
])('temporal %s goes its own way', (words) => {
  expect(needsAddress(words.split(' ').filter((word) => word !== ''))).toBe(false);
});
