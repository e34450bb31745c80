// pnpm plain-words [base]: warns about filler words on the lines that differ from the base, origin/main unless given. It
// never fails: a word can be right where it stands.
import { spawnSync } from 'node:child_process';
import { findFillerWords } from './plain-words/find-filler-words.ts';

const base = process.argv[2] ?? 'origin/main';
const git = (...args: string[]) => spawnSync('git', args, { encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 });

const { stdout, status } = git('merge-base', base, 'HEAD');
if (status === 0) {
  const { stdout: diff } = git('diff', '--unified=0', '--no-color', '--no-ext-diff', '--no-prefix', stdout.trim());
  for (const { file, line, word } of findFillerWords(diff)) console.log(`${file}:${line}: ${word}`);
} else {
  console.log(`There is no commit "${base}" to compare with. Name one: pnpm plain-words <base>`);
}
