// Words that hide the subject of a sentence. A component that has a name is called by its name.

export type FillerWord = { readonly file: string; readonly line: number; readonly word: string };

const checkedFiles = /\.(ts|tsx|mjs|md|yaml|c|h|sh)$/;
/** They list these words. */
const exemptFiles = /^scripts\/plain-words\b/;

const anywhere = /\b(?:whoever|somebody|nobody|everybody|one that)\b/gi;
const commentStart = /^\s*(?:\/\/|\/\*+|\*)\s+(What|Which|Who|Where|How|Of|As|Its)\b/;

const fileHeader = /^\+\+\+ (.*)$/;
const hunkHeader = /^@@ -\S+ \+(\d+)/;

/** Filler words on the added lines of a unified diff without prefixes of paths. */
export function findFillerWords(diff: string): FillerWord[] {
  const found: FillerWord[] = [];
  let file = '';
  let line = 0;
  for (const text of diff.split('\n')) {
    const [, path] = fileHeader.exec(text) ?? [];
    const [, start] = hunkHeader.exec(text) ?? [];
    if (path !== undefined) file = path;
    else if (start !== undefined) line = Number(start);
    else if (text.startsWith('+')) {
      if (checkedFiles.test(file) && !exemptFiles.test(file))
        found.push(...wordsOf(text.slice(1)).map((word) => ({ file, line, word })));
      line += 1;
    }
  }
  return found;
}

function wordsOf(text: string): string[] {
  const [, first] = commentStart.exec(text) ?? [];
  return [...(first === undefined ? [] : [first]), ...(text.match(anywhere) ?? [])];
}
