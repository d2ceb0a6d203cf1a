import { createReadStream } from 'node:fs';
import { type Command, Option } from 'commander';
import { InvalidInputError } from '../config/errors.js';
import { kindAt, scalarText } from '../datasets/fields.js';
import { parseJsonText } from '../datasets/json-text.js';
import { type Cell, type DatasetRow, isRow } from '../datasets/row.js';
import { Choices } from '../grading/choices.js';
import { gradeExact } from '../grading/exact.js';
import { type Grade, GradingLimitError, quote } from '../grading/grade.js';
import { gradeMultipleChoice } from '../grading/multiple-choice.js';
import { gradeNumeric } from '../grading/numeric.js';
import { gradeByAny, rightByAny } from '../grading/several.js';
import { readNumberedJsonLines } from '../storage/json-lines.js';
import { GradingPool } from '../workers/grading-pool.js';
import { examples } from './examples.js';
import { EXIT } from './exit.js';
import { headedTable } from './format.js';
import { printJson, printText } from './print.js';

const TASK_TYPES = ['numeric', 'mcq', 'exact'] as const;
type TaskType = (typeof TASK_TYPES)[number];

interface WrittenRow {
  output: string;
  /** Right answers; each one is accepted. */
  targets: string[];
  choices?: string[];
  /** Expected result; it is compared with the grade. */
  correct?: boolean;
}

/** A row with its grade. */
interface GradedRow extends Omit<WrittenRow, 'correct' | 'targets'> {
  line: number;
  /** All targets, joined by "or". */
  target: string;
  correct: boolean;
  extracted: string | null;
  message: string;
  /** Expected result; absent where the row has none. */
  expected?: boolean;
}

interface Disagreement {
  line: number;
  output: string;
  target: string;
  expected: boolean;
  graded: boolean;
  extracted: string | null;
  message: string;
}

export interface GradeReport {
  rows: number;
  correct: number;
  /** Rows whose grading exceeded a limit, so that their grade is unknown. Absent where there are none. */
  errors?: { line: number; message: string }[];
  /** Only where rows have `correct`. */
  agreed?: number;
  false_positives?: number;
  false_negatives?: number;
  disagreements?: Disagreement[];
  /** All graded rows, in the file's order. */
  graded: GradedRow[];
}

/** Checks a row. Numbers are taken as written. */
function checkRow(value: Cell, line: number, taskType: TaskType): WrittenRow {
  const row: DatasetRow = isRow(value) ? value : {};
  const text = (field: string): string => {
    const found = scalarText(row[field] ?? null);
    if (found !== undefined) return found;
    const kind = row[field] === undefined ? 'missing' : kindAt(row, field);
    throw new InvalidInputError(`line ${line}: '${field}' must be a text; it is ${kind}`, field);
  };
  const { choices, correct } = row;
  const texts = Array.isArray(choices) ? choices.map((choice) => scalarText(choice)) : [];
  const targets = (): string[] => {
    const found = row.target;
    if (!Array.isArray(found)) return [text('target')];
    const several = found.map((one) => scalarText(one));
    if (several.length > 0 && !several.includes(undefined)) return several as string[];
    throw new InvalidInputError(
      `line ${line}: 'target' must be a text, or a list of right answers`,
      'target',
    );
  };
  if (taskType === 'mcq' && (texts.length < 2 || texts.includes(undefined))) {
    throw new InvalidInputError(`line ${line}: task type mcq needs 'choices', a list of texts`, 'choices');
  }
  const output = text('output');
  const accepted = targets();
  const offered = texts as string[];
  const stray =
    taskType === 'mcq'
      ? accepted.find((target) => new Choices(offered, target).readTarget(target) === undefined)
      : undefined;
  if (stray !== undefined) {
    throw new InvalidInputError(
      `line ${line}: 'target' ${JSON.stringify(stray)} is none of the choices ${quote(offered.join(', '))}; a target is a letter, the text of one choice, or its position from 0`,
      'target',
    );
  }
  return {
    output,
    targets: accepted,
    ...(taskType === 'mcq' ? { choices: offered } : {}),
    ...(typeof correct === 'boolean' ? { correct } : {}),
  };
}

type Grader = (row: WrittenRow) => Promise<Grade> | Grade;

function graderFor(taskType: TaskType, tolerance: number | undefined, pool: GradingPool): Grader {
  switch (taskType) {
    case 'exact':
      return ({ output, targets }) =>
        rightByAny(targets.map((target) => ({ target, grade: gradeExact(output, target) }))).grade;
    case 'mcq':
      return ({ output, targets, choices = [] }) =>
        rightByAny(targets.map((target) => ({ target, grade: gradeMultipleChoice(output, target, choices) })))
          .grade;
    case 'numeric':
      return async ({ output, targets }) => {
        const { grade } = await gradeByAny(targets, (target) =>
          gradeNumeric(output, target, {
            symbolic: pool.compare,
            ...(tolerance === undefined ? {} : { tolerance }),
          }),
        );
        return grade;
      };
  }
}

function addGrade(
  report: GradeReport,
  { row, line, grade }: { row: WrittenRow; line: number; grade: Grade },
): void {
  const { correct, extracted, message } = grade;
  const { correct: says, targets, ...written } = row;
  const target = targets.join(' or ');
  if (correct) report.correct += 1;
  const expectation = says === undefined ? {} : { expected: says };
  report.graded.push({ line, ...written, target, correct, extracted, message, ...expectation });
  if (row.correct === undefined) return;
  report.agreed ??= 0;
  report.false_positives ??= 0;
  report.false_negatives ??= 0;
  report.disagreements ??= [];
  if (correct === row.correct) {
    report.agreed += 1;
    return;
  }
  if (correct) report.false_positives += 1;
  else report.false_negatives += 1;
  const { output, correct: expected } = row;
  report.disagreements.push({ line, output, target, expected, graded: correct, extracted, message });
}

/** Grades a JSONL of `output`, `target` (or a list) and `choices?`; compares with `correct` where present. */
async function gradeFile(
  path: string,
  taskType: TaskType,
  tolerance: number | undefined,
): Promise<GradeReport> {
  const pool = new GradingPool();
  const grade = graderFor(taskType, tolerance, pool);
  const report: GradeReport = { rows: 0, correct: 0, graded: [] };
  const source = createReadStream(path);
  await new Promise<void>((resolve, reject) => {
    source.once('open', () => resolve());
    source.once('error', () => reject(new InvalidInputError(`there is no file at ${path}`)));
  });
  try {
    for await (const { line, value } of readNumberedJsonLines(source, { name: path, parse: parseJsonText })) {
      const row = checkRow(value, line, taskType);
      report.rows += 1;
      try {
        addGrade(report, { row, line, grade: await grade(row) });
      } catch (error) {
        if (!(error instanceof GradingLimitError)) throw error;
        report.errors ??= [];
        report.errors.push({ line, message: error.message });
      }
    }
  } finally {
    await pool.close();
  }
  return report;
}

const short = (text: string) => (text.length > 50 ? `…${text.slice(-49)}` : text).replaceAll('\n', ' ');
const verdict = (correct: boolean) => (correct ? 'correct' : 'wrong');

function printReport(report: GradeReport): void {
  printText(`${report.correct} of ${report.rows} correct`);
  for (const { line, message } of report.errors ?? []) printText(`line ${line} is not graded: ${message}`);
  if (report.agreed !== undefined) {
    const { agreed, false_positives, false_negatives } = report;
    printText(`agreed ${agreed}, false positives ${false_positives}, false negatives ${false_negatives}`);
  }
  const disagreements = report.disagreements ?? [];
  printTable(
    ['line', 'output', 'target', 'row says', 'graded', 'why'],
    disagreements.map(({ line, output, target, expected, graded, message }) =>
      [String(line), output, target, verdict(expected), verdict(graded), message].map(short),
    ),
  );
  const wrong = report.graded.filter(({ correct, expected }) => !correct && expected !== true);
  printTable(
    ['line', 'extracted', 'target', 'why it is wrong'],
    wrong.map(({ line, extracted, target, message }) =>
      [String(line), extracted ?? '–', target, message].map(short),
    ),
  );
}

function printTable(head: string[], rows: string[][]): void {
  if (rows.length > 0) printText(headedTable(head, rows));
}

export function addGradeCommand(program: Command, finish: (code: number) => void): void {
  program
    .command('grade')
    .addHelpText('after', examples('reprise grade cases.jsonl --task-type numeric --tolerance 0.01'))
    .argument('<file>', 'a JSONL file')
    .addOption(
      new Option('--task-type <type>', 'how they are judged').choices(TASK_TYPES).makeOptionMandatory(),
    )
    .option('--tolerance <share>', 'numeric: relative tolerance')
    .option('--json', 'for machines, with every row')
    .action(async (file: string, options: { taskType: TaskType; tolerance?: string; json?: boolean }) => {
      const tolerance = options.tolerance === undefined ? undefined : Number(options.tolerance);
      if (tolerance !== undefined && !(tolerance >= 0 && tolerance < 1)) {
        throw new InvalidInputError(`--tolerance ${options.tolerance}: must be a number from 0 to below 1`);
      }
      const report = await gradeFile(file, options.taskType, tolerance);
      if (options.json) printJson(report);
      else printReport(report);
      finish(EXIT.done);
    });
}
