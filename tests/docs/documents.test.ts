import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { referencePage } from '../../scripts/reference.js';
import { addCommands } from '../../src/cli/commands.js';
import { EXIT } from '../../src/cli/exit.js';
import { resolveConfig } from '../../src/config/load.js';
import { experimentFiles, scaffoldSupportFiles } from '../../src/kinds/evolve/evolution/layout.js';
import { MAIN_FILE } from '../../src/kinds/evolve/evolution/types.js';
import { runConfigs } from '../../src/kinds/run/config.js';
import { artifactKeys } from '../../src/storage/paths.js';
import { documents, fencesOf } from './markdown.js';

function read(path: string): string {
  return readFileSync(path, 'utf8');
}

/** The document without its fenced blocks, where a `#` begins a comment and a bracket is no link. */
function prose(document: string): string {
  return read(document).replace(/^\s*```[\s\S]*?^\s*```$/gm, '');
}

/** The anchor that a heading gets on GitHub. */
function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function anchorsOf(document: string): string[] {
  return [...prose(document).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchor(heading ?? ''));
}

interface Link {
  document: string;
  target: string;
}

function linksOf(document: string): Link[] {
  const inline = [...prose(document).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target as string);
  return inline.map((target) => ({ document, target }));
}

const LOCAL_LINKS = documents()
  .flatMap(linksOf)
  .filter(({ target }) => !/^[a-z]+:/.test(target));

describe('links', () => {
  test('there are some to check', () => expect(LOCAL_LINKS.length).toBeGreaterThan(30));

  test.each(LOCAL_LINKS)('$document → $target leads somewhere', ({ document, target }) => {
    const [path = '', fragment] = target.split('#');
    const found = path === '' ? document : normalize(join(dirname(document), path));
    expect(existsSync(found), found).toBe(true);
    if (fragment !== undefined) expect(anchorsOf(found)).toContain(fragment);
  });
});

describe('what a newcomer is sent to', () => {
  const ROOTS = ['', 'src', 'src/kinds', 'tests/language-models', 'tests/storage'];
  const pathsIn = (document: string): string[] =>
    [...read(document).matchAll(/`([\w.-]+(?:\/[\w.-]+)*\/?)`/g)]
      .map(([, path = '']) => path)
      .filter((path) => /^[\w.-]+\/.*\.\w+$/.test(path) && !/\b(?:KIND|X)\b/.test(path));

  test.each([
    ['docs/architecture.md', 'src/workflows/units-control.ts'],
    ['CONTRIBUTING.md', 'src/storage/open.ts'],
  ])('the files that %s names are there', (document, one) => {
    const paths = pathsIn(document);
    expect(paths.map((path) => path.replace(/^(?!src\/)/, 'src/'))).toContain(one);
    const missing = paths.filter((path) => !ROOTS.some((root) => existsSync(join(root, path))));
    expect(missing).toEqual([]);
  });
});

describe('what points at the documents', () => {
  test('the list of decisions names every page', () => {
    const pages = readdirSync('docs/decisions').filter((name) => /^\d{4}-.*\.md$/.test(name));
    const listed = linksOf('docs/decisions/README.md').map(({ target }) => target);
    expect(pages.length).toBeGreaterThan(5);
    expect(pages.filter((page) => !listed.includes(page))).toEqual([]);
  });

  test('comments in the source name pages that exist', () => {
    const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );
    const named = files.flatMap((name) =>
      [...read(join('src', name)).matchAll(/\bdocs\/[\w/-]+\.md\b/g)].map(([path]) => path),
    );
    expect(named).toContain('docs/decisions/0002-embedded-server.md');
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
  });
});

describe('the README', () => {
  test('opens with the two commands that do everything', () => {
    const [first, second] = fencesOf('README.md');
    expect([first?.content, second?.content]).toEqual(['npm ci && npm run demo', 'npm cit']);
    expect(JSON.parse(read('package.json')).scripts.demo).toBe('node dist/cli/main.js demo');
  });
});

describe('the reference', () => {
  test('lists the exit codes that there are', () => {
    const line = /^Exit codes: (.*)$/m.exec(read('docs/reference.md'))?.[1] ?? '';
    const listed = [...line.matchAll(/\b(\d+) /g)].map(([, code]) => Number(code));
    expect(listed).toEqual(Object.values(EXIT));
  });

  test('lists every command with its options, as the program has them', async () => {
    expect(await referencePage(addCommands)).toBe(read('docs/reference.md'));
  });
});

describe('docs/artifacts.md', () => {
  const rows = read('docs/artifacts.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'));

  test.each([
    ...Object.values(artifactKeys),
    ...Object.values(experimentFiles),
    ...Object.values(scaffoldSupportFiles),
    MAIN_FILE,
  ])('has a row with %s', (name) => {
    expect(rows.some((row) => row.includes(name))).toBe(true);
  });
});

describe('environment variables', () => {
  /** Node's own and the system's, which need no words here. */
  const ORDINARY = ['HOME', 'PATH', 'XDG_CACHE_HOME', 'AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'];

  function usedIn(folder: string): string[] {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );
    return usedBy(files.map((name) => read(join(folder, name))).join('\n'));
  }

  function usedBy(source: string): string[] {
    const read_ = [...source.matchAll(/\b(?:env|environment)\.([A-Z][A-Z0-9_]+)\b/g)];
    const named = [...source.matchAll(/'([A-Z]+(?:_[A-Z]+)*_(?:API_KEY|PROFILE|REGION)|REPRISE_[A-Z_]+)'/g)];
    return [...new Set([...read_, ...named].map(([, name]) => name as string))];
  }

  const used = usedIn('src').filter((name) => !ORDINARY.includes(name));

  test('are found in the source', () => {
    expect(used).toEqual(
      expect.arrayContaining(['GEMINI_API_KEY', 'REPRISE_SERVER_DIR', 'AWS_PROFILE', 'HF_TOKEN']),
    );
  });

  test.each(used)('%s is in the reference', (name) => {
    const documented = [...read('docs/reference.md').matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(
      ([, variable]) => variable,
    );
    expect(documented).toContain(name);
  });

  test('that are documented exist', () => {
    const documented = documents().flatMap((path) => [...read(path).matchAll(/`(REPRISE_[A-Z_]+)/g)]);
    const known = [...used, ...usedIn('tests'), ...usedBy(read('vitest.config.ts'))];
    expect(documented.length).toBeGreaterThan(0);
    expect(documented.map(([, name]) => name).filter((name) => !known.includes(name as string))).toEqual([]);
  });
});

describe('YAML and JSON in the documents', () => {
  const blocks = documents()
    .flatMap(fencesOf)
    .filter(({ language }) => language === 'yaml');

  const json = documents()
    .flatMap(fencesOf)
    .filter(({ language }) => language === 'json');

  test.each(json)('$document:$line, of JSON, can be read', ({ content }) => {
    expect(JSON.parse(content)).toBeTypeOf('object');
  });

  test.each(blocks)('$document:$line can be read', ({ content }) => {
    expect(parse(content)).toBeTypeOf('object');
  });

  test.each([
    ['dataset.yaml', 'examples/own-environment'],
    ['agent.yaml', 'examples/own-agent'],
  ])('%s is a part of a config in %s', (name, folder) => {
    const shown = blocks.find(({ before }) => before === `<!-- file: ${name} -->`);
    const shipped = parse(read(join(folder, 'experiment.yaml')));
    for (const [section, fields] of Object.entries(parse(shown?.content ?? '') as Record<string, object>)) {
      expect(shipped[section]).toMatchObject(fields);
    }
    const context = { source: name, folder: resolve(folder), fallbackName: name };
    expect(resolveConfig(runConfigs, shipped, context).name).toBe(shipped.name);
  });
});
