// A listing as JSON text in pieces: the result of `listDirectory`, without holding it in memory.
import type { AccountNames } from './account-names.ts';
import { descriptions, type Folder, named } from './list-directory.ts';

export async function* directoryJson(folder: Folder, names: AccountNames): AsyncGenerator<string> {
  yield `${openObject(folder.shown)},"files":[`;
  let isFirst = true;
  for await (const some of descriptions(folder, names)) {
    if (some.length === 0) continue;
    const text = JSON.stringify(some).slice(1, -1);
    yield isFirst ? text : `,${text}`;
    isFirst = false;
  }
  yield '],"subdirectories":[';
  for (const [index, one] of folder.subfolders.entries()) {
    if (index > 0) yield ',';
    if ('files' in one) yield* directoryJson(one, names);
    else yield JSON.stringify(named(one.shown));
  }
  yield ']}';
}

const openObject = (shown: string) => JSON.stringify(named(shown)).slice(0, -1);
