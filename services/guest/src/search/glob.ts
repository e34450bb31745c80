// Shell patterns on a base name: `*`, `?`, `[a-z]`, `[!a]` or `[^a]`, and a backslash to take the next character
// literally. An unclosed bracket is literal too. Never slower than length of name times length of pattern.

type Token = { star: true } | { star: false; fits: (character: string) => boolean };

export function compileGlob(pattern: string): (name: string) => boolean {
  if (/^\*+$/.test(pattern)) return () => true;
  const suffix = /^\*([^*?[\\]+)$/.exec(pattern)?.[1];
  if (suffix !== undefined) return (name) => name.endsWith(suffix);
  if (!/[*?[\\]/.test(pattern)) return (name) => name === pattern;
  const tokens = tokensOf([...pattern]);
  return (name) => fits(tokens, [...name]);
}

/** On a mismatch only the last star takes one character more: earlier stars never need to. */
function fits(tokens: readonly Token[], name: readonly string[]): boolean {
  let [token, at, starToken, starAt] = [0, 0, -1, 0];
  while (at < name.length) {
    const current = tokens[token];
    if (current?.star) {
      [starToken, starAt] = [token, at];
      token += 1;
    } else if (current?.fits(name[at] ?? '')) {
      token += 1;
      at += 1;
    } else if (starToken >= 0) {
      token = starToken + 1;
      starAt += 1;
      at = starAt;
    } else return false;
  }
  return tokens.slice(token).every(({ star }) => star);
}

function tokensOf(pattern: readonly string[]): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at] ?? '';
    const set = character === '[' ? setAt(pattern, at) : undefined;
    if (character === '*') tokens.push({ star: true });
    else if (character === '?') tokens.push({ star: false, fits: () => true });
    else if (set) {
      tokens.push({ star: false, fits: set.fits });
      at = set.end;
    } else {
      if (character === '\\' && at + 1 < pattern.length) at += 1;
      const literal = pattern[at];
      tokens.push({ star: false, fits: (given) => given === literal });
    }
  }
  return tokens;
}

function setAt(
  pattern: readonly string[],
  start: number,
): { fits: (character: string) => boolean; end: number } | undefined {
  const isNegated = pattern[start + 1] === '!' || pattern[start + 1] === '^';
  const first = start + (isNegated ? 2 : 1);
  // A closing bracket right at the beginning is a member.
  const end = pattern.indexOf(']', first + 1);
  if (end < 0) return undefined;
  const members = pattern.slice(first, end);
  const ranges: [string, string][] = [];
  for (let at = 0; at < members.length; at += 1) {
    const from = members[at] ?? '';
    const to = members[at + 1] === '-' ? members[at + 2] : undefined;
    ranges.push([from, to ?? from]);
    if (to !== undefined) at += 2;
  }
  const isMember = (character: string) => ranges.some(([from, to]) => from <= character && character <= to);
  return { fits: (character) => isMember(character) !== isNegated, end };
}
