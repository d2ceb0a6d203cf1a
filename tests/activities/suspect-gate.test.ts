import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Place, SuspectGate, type Suspicion } from '../../src/activities/suspect-gate.js';

/** Who is in, by name, in the order of their places. */
function hall(hold?: number) {
  const gate = new SuspectGate(hold);
  const inside: string[] = [];
  const places = new Map<string, Place>();
  const enter = (name: string, suspicion: Suspicion) => {
    const place = gate.enter(suspicion);
    places.set(name, place);
    if (place.wait === null) inside.push(name);
    else void place.wait.then(() => inside.push(name));
  };
  const leave = async (name: string) => {
    places.get(name)?.leave();
    if (inside.includes(name)) inside.splice(inside.indexOf(name), 1);
    await sleep(0);
  };
  return { enter, leave, inside };
}

test('without suspects everybody begins at once', () => {
  const { enter, inside } = hall();
  for (let number = 0; number < 100; number++) enter(`${number}`, 'none');
  expect(inside).toHaveLength(100);
});

test('suspects of the first degree run four at once, and nobody new beside them', async () => {
  const { enter, leave, inside } = hall();
  enter('old', 'none');
  for (const name of ['a', 'b', 'c', 'd', 'e']) enter(name, 'few');
  enter('new', 'none');
  expect(inside).toEqual(['old', 'a', 'b', 'c', 'd']);
  await leave('b');
  expect(inside).toEqual(['old', 'a', 'c', 'd', 'e']);
  for (const name of ['a', 'c', 'd']) await leave(name);
  expect(inside).toEqual(['old', 'e']);
  await leave('e');
  expect(inside).toEqual(['old', 'new']);
});

test('one of the second degree runs alone, in its turn', async () => {
  const { enter, leave, inside } = hall();
  enter('few', 'few');
  enter('alone', 'alone');
  // It would fit, but the one before it would wait for ever.
  enter('late', 'few');
  expect(inside).toEqual(['few']);
  await leave('few');
  expect(inside).toEqual(['alone']);
  await leave('alone');
  expect(inside).toEqual(['late']);
});

test('one that is to be alone waits for the unsuspected who are in: it would answer for what they do', async () => {
  const { enter, leave, inside } = hall();
  for (const name of ['old', 'older']) enter(name, 'none');
  enter('alone', 'alone');
  enter('new', 'none');
  expect(inside).toEqual(['old', 'older']);
  await leave('old');
  expect(inside).toEqual(['older']);
  await leave('older');
  expect(inside).toEqual(['alone']);
  await leave('alone');
  expect(inside).toEqual(['new']);
});

test('who gives up waiting is not waited for', async () => {
  const { enter, leave, inside } = hall();
  enter('few', 'few');
  enter('alone', 'alone');
  enter('new', 'none');
  await leave('alone');
  expect(inside).toEqual(['few']);
  await leave('few');
  expect(inside).toEqual(['few', 'new'].slice(1));
});

test('nobody waits for one that takes long', async () => {
  const { enter, inside } = hall(20);
  enter('old', 'none');
  enter('slow', 'alone');
  enter('next', 'alone');
  enter('new', 'none');
  expect(inside).toEqual(['old']);
  await expect.poll(() => inside).toEqual(['old', 'slow', 'next', 'new']);
});

test('in every order: nobody waits for ever, and one that is alone is alone', async () => {
  const suspicion = fc.constantFrom<Suspicion>('none', 'few', 'alone');
  await fc.assert(
    fc.asyncProperty(
      fc.array(suspicion, { maxLength: 20 }),
      fc.infiniteStream(fc.nat()),
      async (all, draws) => {
        const { enter, leave, inside } = hall(60_000);
        const level = (name: string) => all[Number(name)];
        all.forEach((one, number) => void enter(`${number}`, one));
        await sleep(0);
        for (let left = all.length; left > 0; left--) {
          const suspects = inside.filter((name) => level(name) !== 'none');
          expect(suspects.length).toBeLessThanOrEqual(4);
          if (suspects.some((name) => level(name) === 'alone')) expect(inside).toHaveLength(1);
          expect(inside.length).toBeGreaterThan(0);
          const draw = draws.next().value as number;
          await leave(inside[draw % inside.length] as string);
        }
        expect(inside).toEqual([]);
      },
    ),
    { numRuns: 100 },
  );
});
