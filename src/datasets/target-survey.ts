import { hash } from 'node:crypto';
import { LETTERS } from '../grading/choices.js';
import { DatasetError } from './dataset-error.js';
import { scalarText } from './fields.js';
import { parseListText } from './list-text.js';
import type { Cell } from './row.js';
import type { ReadTarget } from './targets.js';
import type { ReadTask } from './tasks.js';

/** Way in which a target names a choice: by label (or field name), letter, text, or an index from 0 or 1. */
export type Way = 'label' | 'letter' | 'text' | 0 | 1;

/** Ways that a config can set. */
type Asked = Exclude<Way, 'label'>;

const ASKED: readonly Asked[] = ['letter', 'text', 0, 1];

const BASE: Record<Asked, string> = { letter: 'A', text: 'none', 0: '0', 1: '1' };
const AS: Record<Asked, string> = {
  letter: 'a letter',
  text: 'the text of a choice',
  0: 'an index from 0',
  1: 'an index from 1',
};

const BOOLEAN = /^(?:true|false)$/i;

/** Minimum number of rows for a note about the right choice's place. */
const SAME_PLACE = 5;

/** Pattern of a choice that means others by their place: all of the above, (A) and (C). */
const OF_OTHERS =
  /\b(?:all|any|both|each|either|neither|none) (?:of )?(?:the )?(?:above|preceding|following)\b|^(?:both |all of |either |neither |only )?\(?[A-H]\)?(?:, ?\(?[A-H]\)?)*,? (?:and|or|nor|&) \(?[A-H]\)?(?: only| above)?\.?$/i;

/** The first row in which something is so, and the number of all such rows. */
class FirstRow {
  private first: { rowNumber: number; what: string } | null = null;
  private rows = 0;

  add(rowNumber: number, what: string): void {
    this.first ??= { rowNumber, what };
    this.rows += 1;
  }

  note(says: (what: string) => string, end: string): string[] {
    if (this.first === null) return [];
    const { rowNumber, what } = this.first;
    const others = this.rows === 1 ? '' : `, and so it is in ${this.rows - 1} more`;
    return [`Row ${rowNumber}${says(what)}${others}; ${end}.`];
  }
}

interface Difference {
  rowNumber: number;
  text: string;
  read: Asked;
}

/**
 * Survey of how all the targets of a dataset name their choices. Each target is read by its own form; only together do
 * they show whether another reading would fit as well, which no score shows: where indices are off by one, a model that
 * is always right has 0 %.
 */
export class TargetSurvey {
  /** Ways in which every target so far could be read. */
  private readonly possible = new Set<Asked>(ASKED);
  private readonly chosen = new Set<Asked>();
  /** The first row in which this way means another choice than the way that was used. */
  private readonly differs = new Map<Asked, Difference>();
  private indices = 0;
  private fromOne = 0;
  private rows = 0;
  private place: number | null = null;
  private inPlace = 0;
  private readonly twice = new FirstRow();
  private readonly ofOthers = new FirstRow();
  private readonly unseenImages = new FirstRow();
  private readonly repeated = new FirstRow();
  private readonly asked = new Set<string>();
  private readonly unseen: Set<string>;
  private fields = '';
  /** Targets without choices, and how many of them are texts that mean something else. */
  private readonly plain = { all: 0, lists: 0, booleans: 0, unshown: null as string | null };

  /**
   * @param isSaid true if the config sets how targets are read: then nothing has to be checked
   * @param fields the fields that hold one choice each
   * @param choices those that the config gives for all rows
   */
  constructor(
    private readonly isSaid: boolean,
    fields: readonly string[] = [],
    private readonly choices: readonly string[] = [],
  ) {
    this.unseen = new Set(fields);
  }

  /** Records a target. */
  read({ way, readings, text }: ReadTarget, rowNumber: number): void {
    if (this.isSaid || way === 'label') return;
    this.chosen.add(way);
    if (way === 0) {
      this.indices += 1;
      if (readings[1] !== undefined) this.fromOne += 1;
    }
    const position = readings[way]?.[0];
    for (const other of this.possible) {
      const found = readings[other]?.[0];
      if (found === undefined) this.possible.delete(other);
      else if (found !== position && !this.differs.has(other))
        this.differs.set(other, { rowNumber, text, read: way });
    }
  }

  /**
   * Records a target without choices.
   * @param unshown the row's field with choices that the target names and the question does not show; null: none
   */
  answer(value: Cell, taskType: string, unshown: string | null): void {
    this.plain.all += 1;
    this.plain.unshown = this.plain.all === 1 || this.plain.unshown === unshown ? unshown : null;
    if (typeof value !== 'string') return;
    const list = parseListText(value);
    // As mathematics, a list of numbers is one answer.
    const isItem = (item: Cell) =>
      typeof item === 'string' || (taskType === 'exact' && scalarText(item) !== undefined);
    const items = Array.isArray(list) ? list.filter((item) => item !== null) : [];
    if (items.length > 0 && items.every(isItem)) this.plain.lists += 1;
    if (BOOLEAN.test(value)) this.plain.booleans += 1;
  }

  /** True if every target without choices so far names a choice that is not shown. */
  get wondersAboutChoices(): boolean {
    return this.plain.all === 0 || this.plain.unshown !== null;
  }

  /** Records what a row asks, and its right answers. */
  asks({ question, messages, choices, target, targets, images = [] }: ReadTask, rowNumber: number): void {
    // A long image is told apart by its ends.
    const shown = images.flatMap((one) => Object.values(one) as string[]);
    const ends = shown.map((text) => [text.length, text.slice(0, 200), text.slice(-200)]);
    // The order of choices is another one for each sample where they are shuffled.
    const asked = JSON.stringify([question, messages, choices && [...choices].sort(), target, targets, ends]);
    const key = hash('sha256', asked).slice(0, 16);
    if (this.asked.has(key)) this.repeated.add(rowNumber, '');
    this.asked.add(key);
  }

  /** Records the choices of a row that are shuffled. */
  shuffles(rowNumber: number, choices: readonly string[]): void {
    const text = choices.find((choice) => OF_OTHERS.test(choice.trim()));
    if (text !== undefined) this.ofOthers.add(rowNumber, text);
  }

  /** Records a row that names an image by a number, and has fewer. */
  lacksImage(rowNumber: number, named: number): void {
    this.unseenImages.add(rowNumber, `<image ${named}>`);
  }

  /** Records a row with choices, and the positions of the right ones in the order that is shown. */
  row(
    rowNumber: number,
    choices: readonly string[],
    { right, isShuffled }: { right: readonly number[]; isShuffled: boolean },
  ): void {
    const [first = -1] = right;
    this.rows += 1;
    if (first !== this.place || isShuffled) this.inPlace = 0;
    this.place = first;
    this.inPlace += 1;
    const text = choices[first];
    const same = choices.flatMap((choice, index) => (choice === text ? [LETTERS[index] ?? ''] : []));
    if (text === undefined || same.length < 2) return;
    this.twice.add(rowNumber, `\`${text}\` is offered more than once, as ${same.join(' and ')}`);
  }

  /** Records which of the fields with one choice each a row has. */
  sees(fields: Iterable<string | undefined>, all: () => string): void {
    if (this.unseen.size === 0) return;
    for (const field of fields) if (field !== undefined) this.unseen.delete(field);
    this.fields = all();
  }

  /**
   * Returns the notes about the dataset, after every row was read.
   * @throws DatasetError where all the targets together contradict how they were read.
   */
  finish(): string[] {
    const [missing] = this.unseen;
    if (missing !== undefined && this.rows > 0) {
      throw new DatasetError(
        `no row has a choice in the field '${missing}' (dataset.choices_field); the fields of the last one are: ${this.fields}`,
        'dataset.choices_field',
      );
    }
    return [
      ...this.baseNotes(),
      ...this.orderNotes(),
      ...this.readingNotes(),
      ...this.rowNotes(),
      ...this.placeNotes(),
      ...this.plainNotes(),
    ];
  }

  get hasIndices(): boolean {
    return this.indices > 0;
  }

  /** True if there are indices, and all of them would fit from 1 as well. */
  get wondersAboutBase(): boolean {
    return this.indices > 0 && this.fromOne === this.indices;
  }

  /** Records that rows beyond the limit show that indices count from 0. */
  tellBase(): void {
    this.fromOne = 0;
  }

  private baseNotes(): string[] {
    if (!this.wondersAboutBase) return [];
    return [
      'Targets are read as indices from 0 (dataset.target_base: 0), and none of them tells: all would fit from 1 as well. Set dataset.target_base: 1 if that is how the dataset counts.',
    ];
  }

  private orderNotes(): string[] {
    if (this.indices === 0 || this.choices.length === 0) return [];
    const read = this.choices.map((text, index) => `${index}${index === 0 ? ' is read' : ''} as \`${text}\``);
    return [
      `Targets are indices: ${read.join(', ')} (the order of dataset.choices). Change that order where the dataset means another; dataset.target_base: 0 says that it is right.`,
    ];
  }

  private readingNotes(): string[] {
    for (const other of this.possible) {
      const difference = this.differs.get(other);
      if (difference === undefined || (other === 1 && this.chosen.has(0))) continue;
      const { rowNumber, text, read } = difference;
      const said = `row ${rowNumber}: target \`${text}\` (dataset.target_field) is read as ${AS[read]}, and every target of the dataset could be ${AS[other]}, which is another choice here`;
      const ways = `dataset.target_base: ${BASE[other]} if it is that, ${BASE[read]} if not`;
      if (this.chosen.size > 1) throw new DatasetError(`${said}. Set ${ways}.`, 'dataset.target_base');
      return [`${said.replace('row', 'Row')}. Set ${ways}.`];
    }
    return [];
  }

  private rowNotes(): string[] {
    return [
      ...this.twice.note(
        (what) => ` (dataset.choices_field): the right choice ${what}`,
        'each of these letters counts as right',
      ),
      ...this.ofOthers.note(
        (text) =>
          ` (dataset.shuffle_choices): the choice \`${text}\` speaks of others, and choices are shuffled`,
        'dataset.shuffle_choices: false keeps their order',
      ),
      ...this.unseenImages.note(
        (image) => ` (dataset.image_field): ${image} is named, and the row has fewer images`,
        'the field may be a list of fields',
      ),
      ...this.repeated.note(
        () => ' has the question and the right answer of an earlier one',
        'each is a sample of its own, and intervals take them for independent',
      ),
    ];
  }

  private placeNotes(): string[] {
    if (this.rows < SAME_PLACE || this.inPlace < this.rows || this.place === null) return [];
    return [
      `The right choice is ${LETTERS[this.place]} in each of the ${this.rows} rows; dataset.shuffle_choices: true shuffles choices by the seed.`,
    ];
  }

  private plainNotes(): string[] {
    const { all, lists, booleans, unshown } = this.plain;
    if (unshown !== null) {
      return [
        `Every target (dataset.target_field) names one of the row's choices in the field '${unshown}', which the question does not show. Set dataset.choices_field: ${unshown} if they are to be chosen from.`,
      ];
    }
    if (lists > all / 2) {
      const which =
        lists === all
          ? 'Every target (dataset.target_field)'
          : `${lists} of ${all} targets (dataset.target_field), each`;
      return [
        `${which} is the text of a list, and a reply has to be that text. Set dataset.target_match: any if each of its items is a right answer.`,
      ];
    }
    if (all === 0 || booleans < all) return [];
    return [
      'Every target (dataset.target_field) is the text of a boolean, and a reply has to be spelled like it: yes is wrong. Set dataset.choices: ["yes", "no"] if True is to mean yes.',
    ];
  }
}
