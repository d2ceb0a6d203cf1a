import { createReadStream } from 'node:fs';
import type { Command } from 'commander';
import { InvalidInputError } from '../config/errors.js';
import { Choices } from '../grading/choices.js';
import { gradeExact } from '../grading/exact.js';
import { type Grade, GradingLimitError, quote } from '../grading/grade.js';
import { gradeMultipleChoice } from '../grading/multiple-choice.js';
import { gradeNumeric } from '../grading/numeric.js';
import { gradeByAny, rightByAny } from '../grading/several.js';
import { readNumberedJsonLines } from '../storage/json-lines.js';
import { GradingPool } from '../workers/grading-pool.js';
import { EXIT } from './exit.js';
import { headedTable } from './format.js';
import { printJson, printText } from './print.js';

const TASK_TYPES = ['numeric', 'mcq', 'exact'] as const;
type TaskType = (typeof TASK_TYPES)[number];

interface GradedRow {
  output: string;
  /** Several: each is a right answer. */
  targets: string[];
  choices?: string[];
  /** What the row says; compared with the grade. */
  correct?: boolean;
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
  /** Rows whose grading took too much: nobody knows whether they are correct. Absent where there are none. */
  errors?: { line: number; message: string }[];
  /** Only where rows carry `correct`. */
  agreed?: number;
  false_positives?: number;
  false_negatives?: number;
  disagreements?: Disagreement[];
}

function checkRow(value: unknown, line: number, taskType: TaskType): GradedRow {
  const row = value as Record<string, unknown> | null;
  const text = (field: string): string => {
    const found = row?.[field];
    if (typeof found === 'string' || typeof found === 'number') return String(found);
    throw new InvalidInputError(`line ${line}: '${field}' must be a text`, field);
  };
  const targets = (): string[] => {
    const found = row?.target;
    if (!Array.isArray(found)) return [text('target')];
    if (found.length > 0 && found.every((one) => typeof one === 'string' || typeof one === 'number'))
      return found.map(String);
    throw new InvalidInputError(
      `line ${line}: 'target' must be a text, or a list of right answers`,
      'target',
    );
  };
  const choices = row?.choices;
  if (taskType === 'mcq' && !(Array.isArray(choices) && choices.length > 1)) {
    throw new InvalidInputError(`line ${line}: task type mcq needs 'choices', a list of texts`, 'choices');
  }
  const output = text('output');
  const accepted = targets();
  const texts = Array.isArray(choices) ? choices.map(String) : undefined;
  const stray =
    taskType === 'mcq' && texts !== undefined
      ? accepted.find((target) => new Choices(texts, target).readTarget(target) === undefined)
      : undefined;
  if (stray !== undefined) {
    throw new InvalidInputError(
      `line ${line}: 'target' ${JSON.stringify(stray)} is none of the choices ${quote(texts?.join(', ') ?? '')}; a target is a letter, the text of one choice, or its position from 0`,
      'target',
    );
  }
  return {
    output,
    targets: accepted,
    ...(texts === undefined ? {} : { choices: texts }),
    ...(typeof row?.correct === 'boolean' ? { correct: row.correct } : {}),
  };
}

type Grader = (row: GradedRow) => Promise<Grade> | Grade;

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
  { row, line, grade }: { row: GradedRow; line: number; grade: Grade },
): void {
  const { correct, extracted, message } = grade;
  if (correct) report.correct += 1;
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
  const { output, targets, correct: expected } = row;
  const target = targets.join(' or ');
  report.disagreements.push({ line, output, target, expected, graded: correct, extracted, message });
}

/** Grades a JSONL of `output`, `target` (a list: any of these) and `choices?`; compares with `correct` where rows carry it. */
async function gradeFile(
  path: string,
  taskType: TaskType,
  tolerance: number | undefined,
): Promise<GradeReport> {
  const pool = new GradingPool();
  const grade = graderFor(taskType, tolerance, pool);
  const report: GradeReport = { rows: 0, correct: 0 };
  const source = createReadStream(path);
  await new Promise<void>((resolve, reject) => {
    source.once('open', () => resolve());
    source.once('error', () => reject(new InvalidInputError(`there is no file at ${path}`)));
  });
  try {
    for await (const { line, value } of readNumberedJsonLines<unknown>(source, { name: path })) {
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

function printReport(report: GradeReport): void {
  printText(`${report.correct} of ${report.rows} correct`);
  for (const { line, message } of report.errors ?? []) printText(`line ${line} is not graded: ${message}`);
  if (report.agreed === undefined) return;
  printText(
    `agreed ${report.agreed}, false positives ${report.false_positives}, false negatives ${report.false_negatives}`,
  );
  if (report.disagreements === undefined || report.disagreements.length === 0) return;
  const short = (text: string) => (text.length > 50 ? `…${text.slice(-49)}` : text).replaceAll('\n', ' ');
  const rows = report.disagreements.map((found) => [
    String(found.line),
    short(found.output),
    short(found.target),
    found.expected ? 'correct' : 'wrong',
    found.graded ? 'correct' : 'wrong',
    short(found.message),
  ]);
  printText(headedTable(['line', 'output', 'target', 'row says', 'graded', 'why'], rows));
}

export function addGradeCommand(program: Command, finish: (code: number) => void): void {
  program
    .command('grade')
    .description('grade a JSONL of output, target and choices; compare with correct where rows carry it')
    .argument('<file>', 'a JSONL file')
    .requiredOption('--task-type <type>', TASK_TYPES.join(', '))
    .option('--tolerance <share>', 'numeric: relative tolerance')
    .option('--json', 'for machines')
    .action(async (file: string, options: { taskType: string; tolerance?: string; json?: boolean }) => {
      const taskType = TASK_TYPES.find((type) => type === options.taskType);
      if (taskType === undefined) {
        throw new InvalidInputError(
          `--task-type: '${options.taskType}' is not allowed; allowed: ${TASK_TYPES.join(', ')}`,
        );
      }
      const tolerance = options.tolerance === undefined ? undefined : Number(options.tolerance);
      if (tolerance !== undefined && !(tolerance >= 0 && tolerance < 1)) {
        throw new InvalidInputError(`--tolerance ${options.tolerance}: must be a number from 0 to below 1`);
      }
      const report = await gradeFile(file, taskType, tolerance);
      if (options.json) printJson(report);
      else printReport(report);
      finish(EXIT.done);
    });
}
