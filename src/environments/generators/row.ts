/** A generated row; `answer` is one right answer, where the environment accepts several. */
export interface GeneratedRow {
  id: string;
  question: string;
  answer: string;
  [field: string]: string | number;
}
