/** Files of a bundle to start from: a library's desk, with a task to carry out and one to decline. */
const TOOLS = `import { ToolRegistry, z } from 'reprise/bundle';

export const tools = new ToolRegistry('library_tools');

tools.tool(
  'search_books',
  {
    description: 'Find books by a word of their title, with the number of copies that are in.',
    parameters: z.object({ word: z.string().min(1) }),
    readOnly: true,
  },
  async ({ word }, { db }) =>
    db.fetchAll(
      "SELECT id, title, copies_in FROM books WHERE title LIKE '%' || :word || '%' ORDER BY title",
      { word },
    ),
);

tools.tool(
  'lend_book',
  {
    description: 'Lend a copy to a reader until a day (YYYY-MM-DD). Refused where no copy is in.',
    parameters: z.object({ book_id: z.int(), reader: z.string().min(1), due: z.iso.date() }),
  },
  async ({ book_id, reader, due }, { db }) => {
    const sql = 'UPDATE books SET copies_in = copies_in - 1 WHERE id = :book_id AND copies_in > 0';
    const { changes } = await db.execute(sql, { book_id });
    // What is thrown goes to the model as an error that it can act on; the call has then changed nothing.
    if (changes === 0) throw new Error('no copy of this book is in');
    const loan_id = await db.fetchValue('SELECT lower(hex(randomblob(4)))');
    await db.execute(
      'INSERT INTO loans (id, book_id, reader, due) VALUES (:loan_id, :book_id, :reader, :due)',
      { loan_id, book_id, reader, due },
    );
    return { loan_id };
  },
);

tools.tool(
  'decline',
  {
    description: 'Record that a wish cannot be met, and why. Tell the reader as well.',
    parameters: z.object({ reader: z.string().min(1), reason: z.enum(['no_copy', 'loan_too_long']) }),
  },
  async ({ reader, reason }, { db }) => {
    await db.execute('INSERT INTO declined (reader, reason) VALUES (:reader, :reason)', { reader, reason });
    return { declined: true };
  },
);
`;

const REWARD = `import { defineReward, goalHolds } from 'reprise/bundle';

/** 1 where the goal is reached, else 0: half a task is no task. */
export default defineReward(async ({ db, row }) => {
  const done = await goalHolds(db, row.end_goal_sql ?? 'SELECT 0');
  return {
    score: done ? 1 : 0,
    reason: done ? 'the goal is reached' : 'the goal is not reached',
    metrics: { task_complete: { score: done ? 1 : 0, reason: row.id } },
  };
});
`;

const SEED = `CREATE TABLE books (
  id INTEGER PRIMARY KEY,
  title TEXT NOT NULL,
  copies_in INTEGER NOT NULL CHECK (copies_in >= 0)
);
CREATE TABLE loans (
  id TEXT PRIMARY KEY,
  book_id INTEGER NOT NULL REFERENCES books(id),
  reader TEXT NOT NULL,
  due TEXT NOT NULL
);
CREATE TABLE declined (reader TEXT NOT NULL, reason TEXT NOT NULL);

INSERT INTO books VALUES
  (1, 'A Field Guide to Mosses', 2),
  (2, 'A Field Guide to Owls', 0),
  (3, 'Bridges of Iron', 1);
`;

const REWARD_TEST = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tryRow } from 'reprise/bundle/testing';

const lending = () => tryRow(new URL('.', import.meta.url), 'library.lend.001', { now: '2026-03-02' });

test('the book in the hands of its reader is a task that is done', async () => {
  const row = await lending();
  await row.call('lend_book', { book_id: 1, reader: 'Ines', due: '2026-03-16' });
  assert.equal((await row.judge()).score, 1);
});

test('neither is nothing, nor a loan too many', async () => {
  assert.equal((await (await lending()).judge()).score, 0);
  const row = await lending();
  await row.call('lend_book', { book_id: 1, reader: 'Ines', due: '2026-03-16' });
  await row.call('lend_book', { book_id: 3, reader: 'Ines', due: '2026-03-16' });
  assert.equal((await row.judge()).score, 0);
});

test('a book that is not in is not lent', async () => {
  const row = await lending();
  const asked = { book_id: 2, reader: 'Ines', due: '2026-03-16' };
  await assert.rejects(row.call('lend_book', asked), /no copy of this book is in/);
});
`;

/** Settings for editors and tsc. The types of 'reprise/bundle' are available once the package is: npm link reprise. */
const TSCONFIG = `{
  "compilerOptions": {
    "target": "ES2023",
    "lib": ["ES2023"],
    "module": "ESNext",
    "moduleResolution": "bundler",
    "allowImportingTsExtensions": true,
    "strict": true,
    "skipLibCheck": true,
    "noEmit": true
  }
}
`;

/** Files that commands create if they are run in the bundle's folder. */
const GITIGNORE = 'node_modules/\nresults/\n.reprise/\n';

const POLICY =
  'You work at the desk of a library. Today is {{weekday}}, {{today}}. A loan lasts at most 28 days. What the rules or the shelves do not allow is declined with the tool, and nothing is lent.';

const shared = { seed_sql: 'file:seed.sql', toolset: './tools.ts', n_rollouts: 4, max_turns: 12 };

const ROWS = [
  {
    id: 'library.lend.001',
    ...shared,
    initial_messages: [
      { role: 'system', content: POLICY },
      { role: 'user', content: 'I would like the field guide to mosses, for two weeks.' },
    ],
    sim_user_prompt: 'You are Ines. You want the book for two weeks. Your name in the library is Ines.',
    end_goal_sql:
      "SELECT (SELECT COUNT(*) FROM loans) = 1 AND (SELECT COUNT(*) FROM declined) = 0 AND EXISTS (SELECT 1 FROM loans WHERE book_id = 1 AND reader = 'Ines' AND due = '{{today+14}}')",
    oracle: [
      { tool: 'search_books', arguments: { word: 'Mosses' } },
      {
        tool: 'lend_book',
        arguments: { book_id: '{{result.0.0.id}}', reader: 'Ines', due: '{{today+14}}' },
      },
    ],
  },
  {
    id: 'library.decline.001',
    ...shared,
    initial_messages: [
      { role: 'system', content: POLICY },
      { role: 'user', content: 'Tom here. Please lend me the field guide to owls.' },
    ],
    sim_user_prompt: 'You are Tom. You want this book and no other.',
    end_goal_sql:
      "SELECT (SELECT COUNT(*) FROM loans) = 0 AND (SELECT COUNT(*) FROM declined WHERE reader = 'Tom' AND reason = 'no_copy') = 1",
    oracle: [
      { tool: 'search_books', arguments: { word: 'Owls' } },
      { tool: 'decline', arguments: { reader: 'Tom', reason: 'no_copy' } },
    ],
  },
];

/** Contents of the files, by name. */
export const BUNDLE_TEMPLATE: Readonly<Record<string, string>> = {
  'tools.ts': TOOLS,
  'reward.ts': REWARD,
  'reward.test.ts': REWARD_TEST,
  'seed.sql': SEED,
  'task.jsonl': ROWS.map((row) => `${JSON.stringify(row)}\n`).join(''),
  'tsconfig.json': TSCONFIG,
  '.gitignore': GITIGNORE,
};
