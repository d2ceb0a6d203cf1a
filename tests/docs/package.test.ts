import { readdirSync, readFileSync } from 'node:fs';
import { dirname, normalize } from 'node:path';
import { expect, test } from 'vitest';

const configs = readdirSync('configs').filter((name) => name.endsWith('.yaml'));
const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { files: string[] };
const image = [...readFileSync('Dockerfile', 'utf8').matchAll(/^COPY --chown=\S+ (\S+) \S+$/gm)];

/** Top folders of the files that a config reads. */
function foldersRead(name: string): string[] {
  const text = readFileSync(`configs/${name}`, 'utf8');
  const paths = [...text.matchAll(/^(?!\s*(?:#|results_dir)).*?(\.\.\/\S+)/gm)].map(([, path = '']) => path);
  return paths.map((path) => normalize(`${dirname(`configs/${name}`)}/${path}`).split('/')[0] ?? '');
}

test('some config reads what lies beside configs', () => {
  expect(configs.flatMap(foldersRead)).toContain('examples');
});

test.each(configs)('what %s reads is in the package and in the image', (name) => {
  for (const folder of foldersRead(name)) {
    expect(files).toContain(folder);
    expect(image.map(([, source]) => source)).toContain(folder);
  }
});
