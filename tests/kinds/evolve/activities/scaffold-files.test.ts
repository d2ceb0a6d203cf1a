import { expect, test } from 'vitest';
import { readScaffold, writeScaffold } from '../../../../src/kinds/evolve/activities/scaffold-files.js';
import { scaffoldFolder } from '../../../../src/kinds/evolve/evolution/layout.js';
import { keysBelow } from '../../../../src/storage/read-ahead.js';
import { temporaryStore } from '../../../activities/support.js';

const metadata = {
  created_at: '2026-01-31T23:59:59.500Z',
  model: null,
  parent_scaffold_id: null,
  iteration: 1,
};
const place = (id: string) => ({ iteration: 1, generation: 'new' as const, id });

test('a scaffold that is written anew has no file of the one before, and its neighbours keep theirs', async () => {
  const store = await temporaryStore();
  const first = { 'scaffold.py': 'import helpers', 'helpers.py': '', 'lib/words.txt': 'a' };
  for (const id of ['2', '2-0']) await writeScaffold(store, place(id), { files: first, metadata });
  const files = { 'scaffold.py': 'pass', 'lib/more.txt': 'b' };
  await writeScaffold(store, place('2'), { files, metadata });
  await writeScaffold(store, place('2'), { files, metadata });
  expect(await readScaffold(store, place('2'))).toEqual(files);
  expect(await readScaffold(store, place('2-0'))).toEqual(first);
  const folder = `${scaffoldFolder(1, 'new', '2')}/`;
  expect((await keysBelow(store, folder)).map((key) => key.slice(folder.length))).toEqual([
    'lib/more.txt',
    'llm_executor.py',
    'llm_interfaces.py',
    'metadata.json',
    'scaffold.py',
  ]);
});
