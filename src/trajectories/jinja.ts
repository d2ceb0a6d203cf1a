import { Environment, Interpreter, Template } from '@huggingface/jinja';
import { type ChatTemplate, ChatTemplateError } from './chat-template.js';

/** Globals of the library's own `render`, which cannot be used, because its `strftime_now` reads the clock. */
const GLOBALS: Readonly<Record<string, unknown>> = {
  true: true,
  false: false,
  none: null,
  True: true,
  False: false,
  None: null,
  raise_exception: (message: string) => {
    throw new Error(message);
  },
  range: (first: number, second?: number, step = 1) => {
    const [start, stop] = second === undefined ? [0, first] : [first, second];
    if (step === 0) throw new Error('range() step must not be zero');
    return Array.from(
      { length: Math.max(0, Math.ceil((stop - start) / step)) },
      (_, index) => start + index * step,
    );
  },
};

const JOINED_OBJECT = '[object Map]';

/** Compiles a Hugging Face chat template, for use with many chats. Throws `ChatTemplateError` where it is not Jinja. */
export function compileChatTemplate(source: string): ChatTemplate {
  let program: Template['parsed'];
  try {
    // As in Jinja itself, carriage returns never reach the text.
    program = new Template(source.replace(/\r\n?/g, '\n')).parsed;
  } catch (error) {
    throw new ChatTemplateError(`the chat template is not Jinja: ${(error as Error).message}`, {
      cause: error,
    });
  }
  return {
    render(variables) {
      const environment = new Environment();
      for (const [name, value] of Object.entries({ ...GLOBALS, ...variables })) environment.set(name, value);
      const text = String(new Interpreter(environment).run(program).value);
      // Where Jinja refuses to join a text and an object, the library inserts this text.
      if (text.includes(JOINED_OBJECT) && !JSON.stringify(variables).includes(JOINED_OBJECT)) {
        throw new ChatTemplateError(
          'the chat template joins a text and an object: try toolArguments or content as text',
        );
      }
      return text;
    },
  };
}
