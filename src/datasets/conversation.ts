import type { ChatMessage } from '../contracts/language-model.js';
import { DatasetError } from './dataset-error.js';
import { fieldNames, scalarText, typeOf } from './fields.js';
import { type ImageSource, imagesIn } from './images.js';
import { parseListText } from './list-text.js';
import { type Cell, type DatasetRow, isRow } from './row.js';

const FIELD = 'dataset.input_field';

/** Roles as datasets write them. */
const ROLES: Readonly<Record<string, ChatMessage['role']>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  human: 'user',
  assistant: 'assistant',
  model: 'assistant',
  gpt: 'assistant',
  bot: 'assistant',
};

/** Roles of messages of the system that are examples, by their names, as OpenAI evals write them. */
const EXAMPLES: Readonly<Record<string, ChatMessage['role']>> = {
  example_user: 'user',
  example_assistant: 'assistant',
};

/** Types of parts that are texts. */
const TEXTS = ['text', 'input_text', 'output_text'];
/** Types of parts that are images. */
const IMAGES = ['image', 'image_url', 'input_image'];

/** A conversation in its row. */
interface ConversationPlace {
  /** Field of the conversation in the row. */
  path: string;
  rowNumber: number;
  /** Field of the target, which may be the conversation's last message. */
  target: string | null;
  /** True if the user's last message may be empty. */
  mayBeEmpty: boolean;
  /** True if the images are in a field of their own: a part of a message may only say where one belongs. */
  hasImageField: boolean;
}

/** Images of a message; null: one of a field of its own. */
type Images = (ImageSource | null)[];

/**
 * Reads a question that is a list of messages: `{role, content}`, as chat APIs, OpenAI evals and Inspect write them, or
 * `{from, value}` (ShareGPT); also as the text of such a list, as in CSV. A last message of the assistant that is the
 * target is left out.
 * @returns null for any other value.
 * @throws DatasetError for messages that no agent could be asked with: of tools, with images before the last one,
 *   without a last one of the user.
 */
export function readConversation(
  cell: Cell,
  place: ConversationPlace,
): { messages: ChatMessage[]; images: ImageSource[] } | null {
  const items = messagesIn(cell);
  if (items === null) return null;
  const { path, rowNumber, target, mayBeEmpty, hasImageField } = place;
  const refuse = (index: number | null, fault: string) =>
    new DatasetError(
      `row ${rowNumber}: ${index === null ? '' : `message ${index + 1} of `}'${path}' (${FIELD}) ${fault}`,
      FIELD,
    );
  const images = items.map((): Images => []);
  const messages = items.map((item, index) =>
    messageOf(item, images[index] as Images, hasImageField, (fault) => refuse(index, fault)),
  );
  const last = messages.at(-1);
  if (isLastOf(path, target, messages.length)) {
    if (last?.role !== 'assistant')
      throw refuse(
        messages.length - 1,
        `is not the assistant's, and dataset.target_field (${target}) takes it for the right answer`,
      );
    messages.pop();
  }
  const end = messages.at(-1);
  if (end?.role !== 'user') {
    const wayOut =
      end?.role === 'assistant'
        ? `; where that is the right answer, set dataset.target_field: ${path}.-1.${contentName(items.at(-1))}, and it is not shown`
        : '';
    throw refuse(
      null,
      `ends with a message of the ${end?.role ?? 'system'}, and not with the user's${wayOut}`,
    );
  }
  const late = messages.findIndex(
    ({ role }, index) => role === 'system' && messages.slice(0, index).some((one) => one.role !== 'system'),
  );
  if (late > 0) throw refuse(late, 'is one of the system, which may only stand at the beginning');
  const shown = images.findIndex((own, index) => own.length > 0 && index !== messages.length - 1);
  if (shown >= 0) throw refuse(shown, 'has an image, which only the last message may have');
  const own = images[messages.length - 1] ?? [];
  if (end.content.trim() === '' && own.length === 0 && !mayBeEmpty)
    throw refuse(messages.length - 1, 'is empty');
  return {
    messages: messages.filter(({ role, content }) => role !== 'system' || content.trim() !== ''),
    images: own.filter((one) => one !== null),
  };
}

const isMessage = (cell: Cell): cell is DatasetRow => isRow(cell) && ('role' in cell || 'from' in cell);

/** Returns the messages of a list, or of the text of one; null where it is none. */
function messagesIn(cell: Cell): DatasetRow[] | null {
  const list = typeof cell === 'string' && /^\s*\[\s*\{/.test(cell) ? parseListText(cell) : cell;
  return Array.isArray(list) && list.length > 0 && list.every(isMessage) ? list : null;
}

const contentName = (item: DatasetRow | undefined) =>
  item !== undefined && 'role' in item ? 'content' : 'value';

/** @param images receives those of the message */
function messageOf(
  item: DatasetRow,
  images: Images,
  hasImageField: boolean,
  refuse: (fault: string) => DatasetError,
): ChatMessage {
  const written = scalarText(item.role ?? item.from ?? null) ?? '';
  const role = Object.hasOwn(ROLES, written.toLowerCase()) ? ROLES[written.toLowerCase()] : undefined;
  if (role === undefined) {
    throw refuse(
      `has the role ${JSON.stringify(written)}; a question has messages of system, user and assistant`,
    );
  }
  const calls = item.tool_calls ?? item.function_call ?? null;
  if (calls !== null && !(Array.isArray(calls) && calls.length === 0)) {
    throw refuse('calls tools, which a question cannot');
  }
  const name = scalarText(item.name ?? null) ?? '';
  return {
    role: (role === 'system' && EXAMPLES[name]) || role,
    content: contentOf(item, images, hasImageField, refuse),
  };
}

/** Returns the text of a message, which may be in parts. @param images receives those among them */
function contentOf(
  item: DatasetRow,
  images: Images,
  hasImageField: boolean,
  refuse: (fault: string) => DatasetError,
): string {
  const name = contentName(item);
  const value = item[name];
  if (value === undefined) throw refuse(`has no ${name}; its fields are: ${fieldNames(item)}`);
  const text = scalarText(value);
  if (text !== undefined) return text;
  if (!Array.isArray(value)) throw refuse(`has a ${name} that is ${typeOf(value)}, not a text`);
  const parts = value.flatMap((part) => {
    const type = isRow(part) ? scalarText(part.type ?? null) : undefined;
    const own =
      isRow(part) && TEXTS.includes(type ?? 'text') ? scalarText(part.text ?? null) : scalarText(part);
    if (own !== undefined) return own;
    if (!isRow(part) || !IMAGES.includes(type ?? ''))
      throw refuse(
        `has a part of the type ${JSON.stringify(type ?? typeOf(part))}; texts and images are read`,
      );
    const { type: _type, ...image } = part;
    if (hasImageField && Object.values(image).every((one) => one === null || typeof one === 'number')) {
      images.push(null);
      return [];
    }
    const wrong = (what: string): never => {
      throw refuse(`has an image that is ${what}; one in a field of its own is named by dataset.image_field`);
    };
    const found = imagesIn(image, wrong);
    if (found.length === 0) wrong('empty');
    images.push(...found);
    return [];
  });
  return parts.join('\n');
}

/** Reports whether a path such as `messages.-1.content` leads into the last of so many messages at another path. */
function isLastOf(path: string, target: string | null, length: number): boolean {
  if (target === null || !target.startsWith(`${path}.`)) return false;
  const position = target.slice(path.length + 1).split('.', 1)[0];
  return position === '-1' || position === String(length - 1);
}
