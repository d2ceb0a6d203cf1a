import { type FunctionProgram, type Program, SandboxError } from './sandbox.js';

/**
 * Checks the files of a program.
 * @throws SandboxError if a name leaves the program's folder or is both a file and a folder, or `main` is no file.
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
  // The interpreter would take it for an option.
  if (main.startsWith('-')) throw refusal('the name of the file to run may not start with a hyphen');
}

/** @throws SandboxError if its files are invalid, or do not include the module. */
export function checkFunctionProgram({ files, module, function: name }: FunctionProgram): void {
  for (const part of [module, name]) {
    if (!/^[A-Za-z_]\w*$/.test(part)) throw refusal(`${JSON.stringify(part)} is no name in Python`);
  }
  checkProgram({ files, main: `${module}.py` });
}

function refusal(reason: string): SandboxError {
  return new SandboxError(`the program cannot be run: ${reason}`, false);
}
