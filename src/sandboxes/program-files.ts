import { type FunctionProgram, type Program, SandboxError } from './sandbox.js';

/**
 * @throws SandboxError where a file's name leaves the program's folder, two names cannot both be files, or `main` is
 * none of the files.
 */
export function checkProgram({ files, main }: Pick<Program, 'files' | 'main'>): void {
  const names = Object.keys(files);
  for (const name of names) {
    const parts = name.split('/');
    if (parts.some((part) => part === '' || part === '.' || part === '..') || name.includes('\0')) {
      throw refusal(`${JSON.stringify(name)} is not a relative path of a file`);
    }
    if (names.some((other) => other.startsWith(`${name}/`))) {
      throw refusal(`${JSON.stringify(name)} is a file and a folder at once`);
    }
  }
  if (!Object.hasOwn(files, main)) throw refusal(`there is no file ${JSON.stringify(main)} to run`);
  // The interpreter would take it for one of its options.
  if (main.startsWith('-')) throw refusal('the name of the file to run may not start with a hyphen');
}

/** @throws SandboxError where its files cannot be, or the module is none of them. */
export function checkFunctionProgram({ files, module, function: name }: FunctionProgram): void {
  for (const part of [module, name]) {
    if (!/^[A-Za-z_]\w*$/.test(part)) throw refusal(`${JSON.stringify(part)} is no name in Python`);
  }
  checkProgram({ files, main: `${module}.py` });
}

function refusal(reason: string): SandboxError {
  return new SandboxError(`the program cannot be run: ${reason}`, false);
}
