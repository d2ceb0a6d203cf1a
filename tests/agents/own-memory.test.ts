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

/** Keeps all that it has where JSON does not look. */
class Hidden {
  #notes = ['a'];

  get notes(): readonly string[] {
    return this.#notes;
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
    [
      { snapshot: () => ({ notes: { by: new Map([['q', 'a']]) } }) },
      'snapshot',
      "it holds a Map: answer what is in it as an object or a list, in 'by'",
    ],
    [{ snapshot: () => new Map() }, 'snapshot', 'it holds a Map: answer what is in it'],
    [{ snapshot: () => ({ seen: [new Set()] }) }, 'snapshot', 'it holds a Set'],
    [
      {
        snapshot: () => ({
          seen: new (class extends Set {
            most = 3;
          })([1]),
        }),
      },
      'snapshot',
      'it holds a Set',
    ],
    [{ snapshot: () => ({ of: new WeakMap() }) }, 'snapshot', 'it holds a WeakMap'],
    [
      { snapshot: () => ({ store: new Hidden() }) },
      'snapshot',
      "it holds a Hidden: answer what is in it as an object or a list, in 'store'",
    ],
    [{ snapshot: () => ({ saved: Promise.resolve(1) }) }, 'snapshot', 'it holds a promise: await it'],
    [
      { snapshot: () => ({ best: -Infinity }) },
      'snapshot',
      "it holds -Infinity, which JSON gives back as null: answer null or a text, in 'best'",
    ],
    [{ snapshot: () => ({ mean: Number.NaN }) }, 'snapshot', 'it holds NaN'],
    [
      { snapshot: () => ({ vector: new Float32Array([1]) }) },
      'snapshot',
      'it holds a Float32Array: answer what is in it as a list',
    ],
  ] as [object, 'recall' | 'snapshot', string][])(
    'that answers nonsense says so: %#',
    (methods, name, message) => {
      const whole = { update: () => undefined, recall: () => [], snapshot: () => ({}), ...methods };
      const memory = ownMemory(() => whole);
      expect(() => memory[name]()).toThrow(message);
    },
  );

  test('may save what JSON writes', () => {
    class Listed extends Map<string, number> {
      toJSON() {
        return [...this];
      }
    }
    const saved = {
      at: new Date(0),
      notes: new Notes(),
      by: new Listed([['q', 1]]),
      none: undefined,
      empty: [{}, [], Object.create(null)],
    };
    const memory = ownMemory(() => ({ update: () => undefined, recall: () => [], snapshot: () => saved }));
    expect(memory.snapshot()).toEqual({
      _type: 'own',
      at: '1970-01-01T00:00:00.000Z',
      notes: { kept: [] },
      by: [['q', 1]],
      empty: [{}, [], {}],
    });
  });

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
