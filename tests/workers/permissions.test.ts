import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Client } from '@temporalio/client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkFile, checkServer, type Named } from '../../src/config/named-files.js';
import { allowedBy, KeptPermissions, permitTyped } from '../../src/workers/permissions.js';
import { ownFolder } from '../../src/workers/server-folder.js';
import { StateFolder } from '../../src/workers/state-folder.js';

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'reprise-permissions-')));
});
afterEach(() => rm(root, { recursive: true, force: true }));

function file(name: string): string {
  const path = join(root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, 'secret');
  return path;
}

function link(name: string, to: string): string {
  const path = join(root, name);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(to, path);
  return path;
}

const state = (id = 'server') => new StateFolder(join(root, 'state'), id);

/** Of a worker in the folder `work`. */
function permissionsOf(environment: NodeJS.ProcessEnv = {}, watchesServers = true): KeptPermissions {
  const allowed = allowedBy({ REPRISE_ALLOWED_FOLDERS: join(root, 'work'), ...environment }, watchesServers);
  return new KeptPermissions(allowed, state());
}

function named(what: string, more: Partial<Named> = {}): Named {
  return { field: 'lm.script', use: 'read', what, ...more };
}

const clientOf = (id: string) =>
  ({
    options: { namespace: 'default' },
    workflowService: { describeNamespace: async () => ({ namespaceInfo: { id } }) },
  }) as unknown as Client;

/** As a command enters what it was given. */
function typed(work: () => unknown, id = 'server', environment: NodeJS.ProcessEnv = {}): Promise<void> {
  return permitTyped(clientOf(id), work, { REPRISE_STATE_DIR: join(root, 'state'), ...environment });
}

describe('a file that a start names', () => {
  const allowed: [string, () => string][] = [
    ['lies in the worker’s folder', () => file('work/a.yaml')],
    ['lies deep in it', () => file('work/a/b/c.yaml')],
    ['is the folder itself', () => join(root, 'work')],
    ['is not there yet', () => join(root, 'work', 'results', 'new')],
    ['is reached by a link within the folder', () => link('work/b.yaml', file('work/a.yaml'))],
    ['has dots in its name', () => file('work/a..b/c.d.yaml')],
  ];
  test.each(allowed)('is allowed where it %s', (_, make) => {
    mkdirSync(join(root, 'work'), { recursive: true });
    const path = make();
    expect(() => permissionsOf().check(named(path))).not.toThrow();
  });

  test.each<[string, () => string]>([
    ['lies elsewhere', () => file('elsewhere/a.yaml')],
    ['is not there, elsewhere', () => join(root, 'elsewhere', 'a.yaml')],
    ['lies in a folder whose name begins alike', () => file('work-2/a.yaml')],
    ['leaves the folder', () => join(root, 'work', '..', 'elsewhere', 'a.yaml')],
    ['is reached by a link out of the folder', () => link('work/a.yaml', file('elsewhere/a.yaml'))],
    [
      'lies in a folder that is a link',
      () => join(link('work/data', dirname(file('elsewhere/a.yaml'))), 'a.yaml'),
    ],
    ['is a link that leads nowhere', () => link('work/new', join(root, 'elsewhere', 'new'))],
    ['is hidden', () => file('work/.env')],
    ['lies in a hidden folder', () => file('work/.reprise/server.json')],
    ['is a package’s', () => file('work/node_modules/left-pad/index.js')],
    ['is the environment of a process', () => '/proc/self/environ'],
  ])('is refused where it %s', (_, make) => {
    mkdirSync(join(root, 'work'), { recursive: true });
    const path = make();
    expect(() => permissionsOf().check(named(path))).toThrow(/^lm\.script: .*REPRISE_ALLOWED_FOLDERS$/);
  });

  test('has one of the endings of its kind', () => {
    const endings = ['.ts'];
    expect(() => permissionsOf().check(named(file('work/a.ts'), { endings }))).not.toThrow();
    expect(() => permissionsOf().check(named(file('work/a.py'), { endings }))).toThrow('that end in .ts');
  });

  test('may lie in any of several folders', () => {
    const folders = [file('one/a'), file('two/a')].map(dirname).join(':');
    const kept = permissionsOf({ REPRISE_ALLOWED_FOLDERS: folders });
    expect(() => kept.check(named(join(root, 'two', 'a')))).not.toThrow();
    expect(() => kept.check(named(file('work/a')))).toThrow();
  });

  test('is held against the working folder where nothing is said', () => {
    expect(allowedBy({}, true).folders).toEqual([process.cwd()]);
  });
});

describe('what a person has typed', () => {
  test('is allowed, for the use that was made of it', async () => {
    const path = file('elsewhere/env.ts');
    await typed(() => checkFile('dataset.env_file', path, 'code'));
    expect(() => permissionsOf().check(named(path, { use: 'code' }))).not.toThrow();
    expect(() => permissionsOf().check(named(path))).toThrow();
    expect(() => permissionsOf().check(named(file('elsewhere/b.ts'), { use: 'code' }))).toThrow();
  });

  test('is allowed with all that a folder holds', async () => {
    await typed(() => checkFile('output.results_dir', join(root, 'results'), 'write'));
    expect(() => permissionsOf().check(named(join(root, 'results', 'run'), { use: 'write' }))).not.toThrow();
    expect(() => permissionsOf().check(named(join(root, 'results-2'), { use: 'write' }))).toThrow();
  });

  test('may be hidden', async () => {
    const path = file('work/.configs/a.yaml');
    await typed(() => checkFile('lm.script', path));
    expect(() => permissionsOf().check(named(path))).not.toThrow();
  });

  test('says nothing to another server', async () => {
    const path = file('elsewhere/a.yaml');
    await typed(() => checkFile('lm.script', path), 'another');
    expect(() => permissionsOf().check(named(path))).toThrow();
  });

  test('is kept where nobody else may look or write', async () => {
    const path = file('elsewhere/a.yaml');
    await typed(() => checkFile('lm.script', path));
    const folder = join(root, 'state', 'server');
    const entries = readdirSync(folder).map((name) => join(folder, name));
    expect(entries).toHaveLength(1);
    const modes = [join(root, 'state'), folder, ...entries].map((one) => statSync(one).mode & 0o777);
    expect(modes).toEqual([0o700, 0o700, 0o600]);
    chmodSync(folder, 0o777);
    expect(() => permissionsOf().check(named(path))).toThrow();
  });

  test('is entered nowhere, and missed only where it is needed', async () => {
    const nowhere = { REPRISE_STATE_DIR: join(file('a-file'), 'state') };
    await typed(() => checkFile('lm.script', join(process.cwd(), 'a.yaml')), 'server', nowhere);
    const team = { ...nowhere, TEMPORAL_ADDRESS: 'temporal:7233' };
    await typed(() => checkServer('lm.base_url', 'http://gpu:8000/v1'), 'server', team);
    await expect(
      typed(() => checkFile('lm.script', join(root, 'a.yaml')), 'server', nowhere),
    ).rejects.toThrow(/^lm\.script: nobody but you may name .*REPRISE_STATE_DIR names another folder$/);
  });
});

describe('a server that a start names', () => {
  const server = (origin: string) => named(origin, { field: 'lm.base_url', use: 'server' });

  test('is the vendor’s, or one that the worker allows', () => {
    const kept = permissionsOf({ REPRISE_ALLOWED_SERVERS: 'http://gpu:8000/v1, https://router.example/api' });
    for (const origin of ['https://api.openai.com', 'http://gpu:8000', 'https://router.example']) {
      expect(() => kept.check(server(origin))).not.toThrow();
    }
    for (const origin of [
      'http://gpu',
      'https://gpu:8000',
      'http://api.openai.com',
      'https://evil.example',
    ]) {
      expect(() => kept.check(server(origin))).toThrow(/^lm\.base_url: .*REPRISE_ALLOWED_SERVERS$/);
    }
  });

  test('is any where the server is a team’s, unless a variable says otherwise', () => {
    expect(() => permissionsOf({}, false).check(server('http://gpu:8000'))).not.toThrow();
    const none = permissionsOf({ REPRISE_ALLOWED_SERVERS: 'none' }, false);
    expect(() => none.check(server('http://gpu:8000'))).toThrow();
  });

  test('is allowed where it was typed, or an allowed file names it', async () => {
    await typed(() => checkServer('lm.base_url', 'http://127.0.0.1:8000/v1'));
    expect(() => permissionsOf().check(server('http://127.0.0.1:8000'))).not.toThrow();
    permissionsOf().allow(server('http://127.0.0.1:9000'));
    // Also in another worker of this machine.
    expect(() => permissionsOf().check(server('http://127.0.0.1:9000'))).not.toThrow();
  });
});

test('the host’s python3 is allowed where a worker’s variable says so', () => {
  const process = named('hash', { field: 'sandbox', use: 'sandbox' });
  expect(() => permissionsOf().check(process)).toThrow(
    /^sandbox: .*REPRISE_ALLOWED_SANDBOXES=process there$/,
  );
  expect(() => permissionsOf({ REPRISE_ALLOWED_SANDBOXES: 'docker,process' }).check(process)).not.toThrow();
});

test.each([
  ['REPRISE_ALLOWED_SERVERS', 'gpu'],
  ['REPRISE_ALLOWED_SANDBOXES', 'proces'],
])('%s=%s is refused by name', (name, value) => {
  expect(() => allowedBy({ [name]: value }, true)).toThrow(name);
});

describe('the server’s folder', () => {
  const modeOf = (path: string) => statSync(path).mode & 0o7777;

  test('is made for its user alone, and becomes so where it was not', async () => {
    const folder = join(root, 'a', '.reprise');
    await ownFolder(folder);
    expect(modeOf(folder)).toBe(0o700);
    chmodSync(folder, 0o755);
    await ownFolder(folder);
    expect(modeOf(folder)).toBe(0o700);
  });

  test('stays as it is where it is another thing as well', async () => {
    const shared = join(root, 'shared');
    mkdirSync(shared);
    chmodSync(shared, 0o755);
    await ownFolder(shared);
    expect(modeOf(shared)).toBe(0o755);
    file('shared/server.json');
    chmodSync(shared, 0o1777);
    await ownFolder(shared);
    expect(modeOf(shared)).toBe(0o1777);
    chmodSync(shared, 0o755);
    await ownFolder(shared);
    expect(modeOf(shared)).toBe(0o700);
    expect(existsSync(join(shared, 'server.json'))).toBe(true);
  });
});
