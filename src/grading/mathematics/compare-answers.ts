import { type Assignment, asAssignment } from './assignment.js';
import { compareScalars, type ValueJudge } from './compare-scalars.js';
import { withValue } from './scalar.js';
import { asSolutionSet, subjectOf } from './solution-set.js';
import type { MathAnswer, Relation } from './structure.js';
import { type Decision, every, sameMembers, samePairs, some } from './three-valued.js';

/** Functions that decide what the structure of two answers does not. */
export interface PartComparison {
  values: ValueJudge;
  /** Compares equations and inequalities that are not just a name and its value. */
  relations(left: Relation, right: Relation): Decision;
}

/** Compares two answers part by part. `undefined` where a part could not be decided. */
export function compareAnswers(left: MathAnswer, right: MathAnswer, judge: PartComparison): Decision {
  if (sameText(left.text, right.text)) return true;
  if (left.kind === 'relation' && right.kind === 'relation') return compareRelations(left, right, judge);
  const [first, second] = [assignmentOf(left), assignmentOf(right)];
  if (first) return either(compareAnswers(first.value, right, judge), compareAsSets(left, right, judge));
  if (second) return either(compareAnswers(left, second.value, judge), compareAsSets(left, right, judge));
  return compareKinds(left, right, judge);
}

/** Compares spellings without spaces, and words without case. */
export function sameText(left: string, right: string): boolean {
  return left !== '' && textKey(left) === textKey(right);
}

function textKey(text: string): string {
  const compact = text.replace(/(?<!\d) | (?!\d)/g, '');
  return WORD.test(text) ? compact.toLowerCase() : compact;
}

/** Matches a word: of two letters only those that are hardly names, such as `AB` is. */
const WORD = /(?<!\\|[a-zA-Z])(?:[a-zA-Z]{3}|(?:no|up)(?![a-zA-Z]))|\d ?[ap]m(?![a-zA-Z])/i;

function assignmentOf(answer: MathAnswer): Assignment | undefined {
  return answer.kind === 'relation' ? asAssignment(answer) : undefined;
}

function compareRelations(left: Relation, right: Relation, judge: PartComparison): Decision {
  const [first, second] = [asAssignment(left), asAssignment(right)];
  if (first && second && (isSameName(first, second) || isComputed(first) || isComputed(second))) {
    return compareAnswers(first.value, second.value, judge);
  }
  const asSets = subjectOf(left) === subjectOf(right) ? compareAsSets(left, right, judge) : 'no sets';
  return asSets === 'no sets' ? judge.relations(left, right) : asSets;
}

function isSameName(first: Assignment, second: Assignment): boolean {
  return sameText(first.name.text, second.name.text);
}

/** Reports whether the name is a number: `6 \cdot 7 = 42`. */
const isComputed = ({ name }: Assignment) => name.kind === 'scalar' && name.value !== undefined;

function compareKinds(left: MathAnswer, right: MathAnswer, judge: PartComparison): Decision {
  const equal = (a: MathAnswer, b: MathAnswer) => compareAnswers(a, b, judge);
  if (left.kind === 'scalar' && right.kind === 'scalar') return compareScalars(left, right, judge.values);
  if (isCollection(left) && isCollection(right)) return compareCollections(left, right, judge);
  if (left.kind === 'set' && left.members.length === 1) return equal(left.members[0] as MathAnswer, right);
  if (right.kind === 'set' && right.members.length === 1) return equal(left, right.members[0] as MathAnswer);
  // `x+11 or 11+x` states one value twice.
  if (left.kind === 'list' && right.kind === 'scalar')
    return every(left.members, (member) => equal(member, right));
  if (left.kind === 'scalar' && right.kind === 'list')
    return every(right.members, (member) => equal(left, member));
  if (left.kind === 'matrix' && right.kind === 'matrix') {
    if (left.determinant !== right.determinant || left.rows.length !== right.rows.length) return false;
    return every(left.rows, (row, index) => inOrder(row, right.rows[index] ?? [], equal));
  }
  if (left.kind === 'ratio' && right.kind === 'ratio') return inOrder(left.members, right.members, equal);
  if (left.kind === 'ratio' && right.kind === 'scalar') return compareQuotient(left.members, right, judge);
  if (left.kind === 'scalar' && right.kind === 'ratio') return compareQuotient(right.members, left, judge);
  if (left.kind === 'tuple' && right.kind === 'list') return tupleAndList(left, right.members, equal);
  if (left.kind === 'list' && right.kind === 'tuple') return tupleAndList(right, left.members, equal);
  return either(false, compareAsSets(left, right, judge));
}

type Tuple = Extract<MathAnswer, { kind: 'tuple' }>;

type Collection = Extract<MathAnswer, { kind: 'list' | 'set' }>;

const isCollection = (answer: MathAnswer): answer is Collection =>
  answer.kind === 'list' || answer.kind === 'set';

/** Compares lists and sets. A bare list is unordered, like the solutions of an equation. */
function compareCollections(left: Collection, right: Collection, judge: PartComparison): Decision {
  const equal = (a: MathAnswer, b: MathAnswer) => compareAnswers(a, b, judge);
  const [first, second] = [flatten(left), flatten(right)];
  // In `x = 2, y = 3` against `2, 3`, different names give the list an order.
  if (hasOwnNames(first) !== hasOwnNames(second)) return inOrder(first, second, equal);
  const compare = left.kind === 'set' && right.kind === 'set' ? sameMembers : samePairs;
  const verdict = compare(first, second, equal);
  return either(verdict, compareAsSets(left, right, judge));
}

function flatten(collection: Collection): MathAnswer[] {
  return collection.members.flatMap((member) => (member.kind === 'list' ? flatten(member) : [member]));
}

/** Reports whether each value has another name; `x_1` and `x_2` are two values of one. */
function hasOwnNames(members: MathAnswer[]): boolean {
  const names = members.map((member) => assignmentOf(member)?.name.text.replace(/_\{\d\}$|\d$/, ''));
  return (
    names.every((name) => name !== undefined) && new Set(names).size === names.length && names.length > 1
  );
}

function inOrder(
  left: MathAnswer[],
  right: MathAnswer[],
  equal: (a: MathAnswer, b: MathAnswer) => Decision,
): Decision {
  return (
    left.length === right.length && every(left, (item, index) => equal(item, right[index] as MathAnswer))
  );
}

/** Compares a tuple with a list. A point may lack its round brackets; other brackets of a pair mean an interval. */
function tupleAndList(
  tuple: Tuple,
  list: MathAnswer[],
  equal: (a: MathAnswer, b: MathAnswer) => Decision,
): Decision {
  const isPoint =
    (tuple.open === '(' && tuple.close === ')') || tuple.members.length > 2 || hasOwnNames(list);
  return isPoint && inOrder(tuple.members, list, equal);
}

function compareQuotient(members: MathAnswer[], other: MathAnswer, judge: PartComparison): Decision {
  const [over, under] = members;
  if (over?.kind !== 'scalar' || under?.kind !== 'scalar' || members.length !== 2) return false;
  const latex = `\\frac{${over.latex}}{${under.latex}}`;
  return other.kind === 'scalar' && compareScalars(withValue({ kind: 'scalar', latex }), other, judge.values);
}

/** Compares intervals, unions and inequalities as sets of reals. */
function compareAsSets(left: MathAnswer, right: MathAnswer, judge: PartComparison): Decision | 'no sets' {
  const [first, second] = [asSolutionSet(left), asSolutionSet(right)];
  if (!first || !second) return 'no sets';
  const equal = (a: MathAnswer, b: MathAnswer) => compareAnswers(a, b, judge);
  if (first.kind === 'tuple' && second.kind === 'tuple') {
    const brackets = round(first.open) === round(second.open) && round(first.close) === round(second.close);
    return brackets && inOrder(first.members, second.members, equal);
  }
  if (first.kind === 'union' && second.kind === 'union')
    return samePairs(first.members, second.members, equal);
  return first !== left || second !== right ? equal(first, second) : false;
}

function either(verdict: Decision, sets: Decision | 'no sets'): Decision {
  return sets === 'no sets' ? verdict : some([verdict, sets], (one) => one);
}

const round = (bracket: string) => (bracket === '\\langle' ? '(' : bracket === '\\rangle' ? ')' : bracket);
