// A browser cannot set headers on a WebSocket or on a page that it opens, so a terminal takes its credential as
// `token=` in the query (sandbox sheet 1.2, 2.11). The token is meant for the gateway and never reaches the sandbox or
// a log.

const terminalForm = /^(\/terminal(?:\/ws)?\/?)\?(.*)$/s;

/** Undefined when there is no token; null when there are several, which might mean several callers. */
export function terminalToken(path: string): string | undefined | null {
  const values = partsOf(path).filter(isToken).map(textOf);
  return values.length > 1 ? null : values[0];
}

/** Removes the token from the path; the rest of the query stays unchanged. */
export function withoutTerminalToken(path: string): string {
  const parts = partsOf(path);
  if (!parts.some(isToken)) return path;
  const kept = parts.filter((part) => !isToken(part)).join('&');
  const [before = path] = path.split('?', 1);
  return kept === '' ? before : `${before}?${kept}`;
}

const partsOf = (path: string): readonly string[] => terminalForm.exec(path)?.[2]?.split('&') ?? [];

/** Compares the decoded name: a server would read `to%6ben` as `token` too. */
const isToken = (part: string): boolean => decoded(part.split('=', 1)[0] ?? '') === 'token';

const textOf = (part: string): string => decoded(part.slice(part.indexOf('=') + 1)) ?? '';

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
