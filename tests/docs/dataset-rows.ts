/** A row as a dataset of the hub has it (the fields that matter, content of our own), and its right answer in words. */
export interface FormatRow {
  row: Record<string, unknown>;
  right: string;
}

/** Rows in the format of each section of docs/datasets.md. */
export const FORMATS: Record<string, FormatRow[]> = {
  MMLU: [
    {
      row: {
        question: 'Which gas do plants take in?',
        subject: 'botany',
        choices: ['carbon dioxide', 'helium', 'argon', 'neon'],
        answer: 0,
      },
      right: 'carbon dioxide',
    },
    {
      row: {
        question: 'The genotype of a carrier?',
        subject: 'genetics',
        choices: ['AA', 'Aa', 'aa', 'A0'],
        answer: 1,
      },
      right: 'Aa',
    },
    {
      row: { question: '2 - 2 = ?', subject: 'arithmetic', choices: ['4', '2', '1', '0'], answer: 3 },
      right: '0',
    },
    {
      row: {
        question: 'Type without antigens?',
        subject: 'medicine',
        choices: ['A', 'B', 'AB', 'O'],
        answer: 3,
      },
      right: 'O',
    },
  ],
  'MMLU-Pro': [
    {
      row: {
        question_id: 7,
        question: 'Which number is prime?',
        options: ['4', '6', '8', '9', '10', '12', '14', '15', '16', '17'],
        answer: 'J',
        answer_index: 9,
        category: 'math',
      },
      right: '17',
    },
    {
      row: {
        question_id: 8,
        question: 'Which type has one antigen of two?',
        options: ['O', 'B', 'AB'],
        answer: 'B',
        answer_index: 1,
        category: 'biology',
      },
      right: 'B',
    },
    {
      row: {
        question_id: 9,
        question: 'A thousandth of a siemens?',
        options: ['ms', 'Ms', 'mS', 'MS'],
        answer: 'C',
        answer_index: 2,
        category: 'physics',
      },
      right: 'mS',
    },
  ],
  ARC: [
    {
      row: {
        id: 'Own_1',
        question: 'What melts ice?',
        choices: { text: ['heat', 'wind', 'shade', 'night'], label: ['A', 'B', 'C', 'D'] },
        answerKey: 'A',
      },
      right: 'heat',
    },
    {
      row: {
        id: 'Own_2',
        question: 'What is a mammal?',
        choices: { text: ['a trout', 'a bat', 'a wren', 'a newt'], label: ['1', '2', '3', '4'] },
        answerKey: '2',
      },
      right: 'a bat',
    },
  ],
  GPQA: [
    {
      row: {
        'Record ID': 'rec1',
        Question: 'Spin of the electron?',
        'Correct Answer': '1/2',
        'Incorrect Answer 1': '1',
        'Incorrect Answer 2': '0',
        'Incorrect Answer 3': '3/2',
      },
      right: '1/2',
    },
    {
      row: {
        'Record ID': 'rec2',
        Question: 'Which grows slower?',
        'Correct Answer': 'o(n)',
        'Incorrect Answer 1': 'O(n)',
        'Incorrect Answer 2': 'Θ(n)',
        'Incorrect Answer 3': 'Ω(n)',
      },
      right: 'o(n)',
    },
  ],
  GSM8K: [
    {
      row: {
        question: 'Ann has 3 bags of 14 nuts. How many nuts?',
        answer: 'Each bag has 14, so 3*14 = <<3*14=42>>42.\n#### 42',
      },
      right: '42',
    },
    {
      row: {
        question: 'A car costs 1,200 dollars twice over. How much?',
        answer: 'Twice is 2,400.\n#### 2,400',
      },
      right: '2400',
    },
  ],
  AIME: [
    {
      row: { id: 1, problem: 'Find 8 + 17.', solution: '25', answer: '025', url: '', year: '2024' },
      right: '25',
    },
    {
      row: { id: 2, problem: 'Find 2 * 102.', solution: '204', answer: 204, url: '', year: '2024' },
      right: '204',
    },
  ],
  'MATH-500': [
    {
      row: {
        problem: 'Half of one third?',
        solution: '…',
        answer: '\\frac{1}{6}',
        subject: 'Algebra',
        level: 1,
      },
      right: '$\\frac{1}{6}$',
    },
    {
      row: {
        problem: 'Interval above 2?',
        solution: '…',
        answer: '(2,\\infty)',
        subject: 'Algebra',
        level: 2,
      },
      right: '(2, \\infty)',
    },
  ],
  HellaSwag: [
    {
      row: {
        ind: 4,
        ctx: 'A man ties his shoe. He',
        endings: ['eats the lace.', 'stands up.', 'melts.', 'is a shoe.'],
        label: '1',
      },
      right: 'stands up.',
    },
    {
      row: {
        ind: 5,
        ctx: 'Rain begins. She',
        endings: ['opens an umbrella.', 'paints the rain.', 'is Tuesday.', 'sings to a boot.'],
        label: '0',
      },
      right: 'opens an umbrella.',
    },
  ],
  SciQ: [
    {
      row: {
        question: 'What pumps blood?',
        distractor3: 'the lung',
        distractor1: 'the liver',
        distractor2: 'the skin',
        correct_answer: 'the heart',
        support: '',
      },
      right: 'the heart',
    },
  ],
  AQuA: [
    {
      row: {
        question: '3 times 7?',
        options: ['A)21', 'B)21.5', 'C)24', 'D)27', 'E)None of these'],
        rationale: 'It is 21.',
        correct: 'A',
      },
      right: '21',
    },
    {
      row: {
        question: 'A square root of 2 as a fraction?',
        options: ['A)7/5', 'B)3/2', 'C)1', 'D)2', 'E)None of these'],
        rationale: 'None.',
        correct: 'E',
      },
      right: 'None of these',
    },
  ],
  MedQA: [
    {
      row: {
        question: 'Which vitamin does sunlight make?',
        answer: 'Vitamin D',
        options: { A: 'Vitamin A', B: 'Vitamin B', C: 'Vitamin C', D: 'Vitamin D' },
        meta_info: 'step1',
        answer_idx: 'D',
      },
      right: 'Vitamin D',
    },
  ],
  MedMCQA: [
    {
      row: {
        id: 'x1',
        question: 'Longest bone?',
        opa: 'femur',
        opb: 'tibia',
        opc: 'ulna',
        opd: 'stapes',
        cop: 0,
        choice_type: 'single',
      },
      right: 'femur',
    },
    {
      row: {
        id: 'x2',
        question: 'Smallest bone?',
        opa: 'femur',
        opb: 'tibia',
        opc: '',
        opd: 'stapes',
        cop: 3,
        choice_type: 'single',
      },
      right: 'stapes',
    },
  ],
  AGIEval: [
    {
      row: {
        query:
          'Q: Ann sits left of Bo, and Bo left of Cy. Who sits in the middle? Answer Choices: (A)Ann (B)Bo (C)Cy\nA: Among A through C, the answer is',
        choices: ['(A)Ann', '(B)Bo', '(C)Cy'],
        gold: [1],
      },
      right: 'Bo',
    },
    {
      row: {
        query: 'Q: Who sits left? Answer Choices: (A)Ann (B)Bo (C)Cy\nA: Among A through C, the answer is',
        choices: ['(A)Ann', '(B)Bo', '(C)Cy'],
        gold: [0],
      },
      right: 'Ann',
    },
  ],
  TruthfulQA: [
    {
      row: {
        question: 'What happens to a swallowed seed?',
        mc1_targets: { choices: ['It passes through.', 'It grows.', 'It sings.'], labels: [1, 0, 0] },
        mc2_targets: { choices: ['It passes through.', 'It leaves you.', 'It grows.'], labels: [1, 1, 0] },
      },
      right: 'It passes through.',
    },
    {
      row: {
        question: 'Is the moon cheese?',
        mc1_targets: {
          choices: ['No, it is rock.', 'Yes.', 'On Fridays.', 'Half of it.'],
          labels: [1, 0, 0, 0],
        },
        mc2_targets: { choices: ['No, it is rock.', 'Yes.'], labels: [1, 0] },
      },
      right: 'No, it is rock.',
    },
  ],
  WinoGrande: [
    {
      row: {
        sentence: 'The vase did not fit in the crate because _ was too tall.',
        option1: 'the vase',
        option2: 'the crate',
        answer: '1',
      },
      right: 'the vase',
    },
    {
      row: {
        sentence: 'Mara thanked Ines because _ had helped.',
        option1: 'Mara',
        option2: 'Ines',
        answer: '2',
      },
      right: 'Ines',
    },
  ],
  SIQA: [
    {
      row: {
        context: 'Kim spilled tea on the map.',
        question: 'How would Kim feel?',
        answerA: 'proud',
        answerB: 'sorry',
        answerC: 'hungry',
        label: '2',
      },
      right: 'sorry',
    },
    {
      row: {
        context: 'Bo lost a key.',
        question: 'What will Bo do next?',
        answerA: 'sing',
        answerB: 'swim',
        answerC: 'search',
        label: '3',
      },
      right: 'search',
    },
  ],
  QuALITY: [
    {
      row: {
        article: 'The crew landed on Europa.',
        question: 'Where do they land?',
        options: ['on Io', 'on Europa', 'on Titan', 'on Mars'],
        gold_label: 2,
      },
      right: 'on Europa',
    },
    {
      row: {
        article: 'All ended in a mutiny.',
        question: 'How does it end?',
        options: ['a storm', 'a trial', 'a rescue', 'a mutiny'],
        gold_label: 4,
      },
      right: 'a mutiny',
    },
  ],
  BoolQ: [
    { row: { question: 'is water wet', answer: true, passage: 'Water wets what it touches.' }, right: 'yes' },
    { row: { question: 'is fire cold', answer: false, passage: 'Fire is hot.' }, right: 'no' },
  ],
  BBH: [
    {
      row: {
        input:
          'Of three books, the red one is left of the blue one, and the green one is rightmost.\nOptions:\n(A) The red book is the leftmost\n(B) The blue book is the leftmost\n(C) The green book is the leftmost',
        target: '(A)',
      },
      right: 'The red book is the leftmost',
    },
    {
      row: {
        input: 'It is the day after Monday. What day is it?\nOptions:\n(A) Sunday\n(B) Tuesday\n(C) Friday',
        target: '(B)',
      },
      right: 'Tuesday',
    },
  ],
  DROP: [
    {
      row: {
        section_id: 'own',
        query_id: 'q1',
        passage: 'The Bears kicked goals of 23 and 41 yards.',
        question: 'How long was the longest?',
        answers_spans: { spans: ['41', '41-yard', '41 yards'], types: ['number', 'span', 'span'] },
      },
      right: '41 yards',
    },
  ],
  TriviaQA: [
    {
      row: {
        question: 'Which city is the capital of Ukraine?',
        question_id: 'own_1',
        answer: {
          value: 'Kyiv',
          aliases: ['Kyiv', 'Kiev'],
          normalized_aliases: ['kyiv', 'kiev'],
          type: 'WikipediaEntity',
        },
      },
      right: 'Kiev',
    },
  ],
};
