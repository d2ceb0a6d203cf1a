import { describe, expect, test } from 'vitest';
import { ownMemory, ownMemoryOf } from '../../src/agents/own-memory.js';
import type { Entry } from '../../src/memory/entries.js';
import type { MemorySnapshot } from '../../src/memory/memory-module.js';

class Notes {
  #count = 0;
  kept: Entry[] = [];

  update(entry: Entry): void {
    this.#count += 1;
    this.kept.push(entry);
  }

  recall(): readonly Entry[] {
    return this.kept;
  }

  snapshot(): MemorySnapshot {
    return { _type: 'notes', count: this.#count, none: undefined as never };
  }

  loudest(): number {
    return this.#count;
  }
}

const note: Entry = { _type: 'reflection', content: 'c' };
const own = { _type: 'own', file: '/notes.ts', options: { a: 1 } } as const;

describe('a memory of one’s own', () => {
  test('is saved as JSON of its own type, and keeps its further methods for an agent that knows them', () => {
    const memory = ownMemory(() => new Notes());
    memory.update(note);
    expect(memory.recall()).toEqual([note]);
    expect(memory.snapshot()).toEqual({ _type: 'own', count: 1 });
    expect((memory as unknown as Notes).loudest()).toBe(1);
    expect('loudest' in memory).toBe(true);
    expect('setCheatsheet' in memory).toBe(false);
  });

  test.each([
    [
      () => ({}),
      "memory.file: the class lacks 'update', 'recall', 'snapshot'; write each of update, recall, snapshot",
    ],
    [() => null, "memory.file: the class lacks 'update', 'recall', 'snapshot'"],
    [() => ({ update: () => 0, recall: () => 0 }), "the class lacks 'snapshot'"],
  ])('that lacks methods is refused: %#', (make, message) => {
    expect(() => ownMemory(make)).toThrow(message);
  });

  const circular: Record<string, unknown> = {};
  circular.self = circular;

  test.each([
    [{ recall: () => 'text' }, 'recall', 'recall answered no list of entries'],
    [{ recall: () => [note, { content: 1 }] }, 'recall', 'recall answered {"content":1}, which is no entry'],
    [{ snapshot: () => [] }, 'snapshot', 'snapshot answered no object'],
    [{ snapshot: async () => ({}) }, 'snapshot', 'snapshot answered a promise; it must answer at once'],
    [{ recall: async () => [] }, 'recall', 'recall answered a promise; it must answer at once'],
    [{ snapshot: () => circular }, 'snapshot', 'snapshot answered what cannot be written as JSON'],
  ] as [object, 'recall' | 'snapshot', string][])(
    'that answers nonsense says so: %#',
    (methods, name, message) => {
      const whole = { update: () => undefined, recall: () => [], snapshot: () => ({}), ...methods };
      const memory = ownMemory(() => whole);
      expect(() => memory[name]()).toThrow(message);
    },
  );

  test('is made of its options and of what was saved', () => {
    const made: unknown[] = [];
    class Remembered extends Notes {
      constructor(options: object, saved: MemorySnapshot | null) {
        super();
        made.push([options, saved]);
      }
    }
    const remember = (saved: MemorySnapshot | null) => ownMemoryOf(own, Remembered as never, saved);
    remember(null);
    remember({ _type: 'own', count: 3 });
    expect(made).toEqual([
      [{ a: 1 }, null],
      [{ a: 1 }, { _type: 'own', count: 3 }],
    ]);
    expect(() => remember({ _type: 'history_list' })).toThrow(
      'the saved memory is a history_list, the config asks for a own',
    );
  });
});
