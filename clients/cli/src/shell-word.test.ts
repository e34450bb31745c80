import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { shellWord } from './shell-word.ts';

test.each(['plain', 'a b', "it's", '$(touch x)', '`id`', '"', '\\', '', '-n', 'new\nline'])(
  '%j reaches a program as it is',
  (text) => {
    const script = `printf '%s|' first ${shellWord(text)}`;
    expect(execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' })).toBe(`first|${text}|`);
  },
);
