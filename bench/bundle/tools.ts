import { ToolRegistry, z } from 'reprise/bundle';

export const tools = new ToolRegistry('bench_tools');

tools.tool(
  'count',
  { description: 'Write a number down.', parameters: z.object({ number: z.int().positive() }) },
  async ({ number }, { db }) => {
    await db.execute('INSERT INTO counted VALUES (:number)', { number });
    return { counted: await db.fetchValue<number>('SELECT COUNT(*) FROM counted') };
  },
);
