// Finds the route of a raw path. Raw, because `/filesystem/%2Ftmp` and `/filesystem/tmp` are different files.
import type { GuestRoute } from '@berth/contract/guest';

export type Match<R extends GuestRoute> = { route: R; params: Record<string, string>; rest: string };

const restPattern = '{path*}';

/** `other` lists the methods of the path when the requested one is not among them. */
export function matchRoute<R extends GuestRoute>(
  routes: readonly R[],
  method: string,
  rawPath: string,
): Match<R> | { other: string[] } {
  const other: string[] = [];
  for (const route of routes) {
    const found = matchPath(route.path, rawPath);
    if (found === undefined) continue;
    if (route.method === method) return { route, ...found };
    other.push(route.method);
  }
  return { other };
}

function matchPath(pattern: string, rawPath: string): { params: Record<string, string>; rest: string } | undefined {
  if (pattern.endsWith(restPattern)) {
    const prefix = pattern.slice(0, -restPattern.length);
    const rest = restAfter(prefix, rawPath);
    return rest === undefined ? undefined : { params: {}, rest };
  }
  const wanted = pattern.split('/');
  const given = rawPath.length > 1 && rawPath.endsWith('/') ? rawPath.slice(0, -1).split('/') : rawPath.split('/');
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, word] of wanted.entries()) {
    const value = given[index] ?? '';
    if (!word.startsWith('{')) {
      if (word !== value) return undefined;
      continue;
    }
    const decoded = decodedSegment(value);
    if (!decoded) return undefined;
    params[word.slice(1, -1)] = decoded;
  }
  return { params, rest: '' };
}

/** The prefix, as in `/filesystem/tree`, must be followed by nothing or by a separator, plain or encoded. */
function restAfter(prefix: string, rawPath: string): string | undefined {
  if (!rawPath.startsWith(prefix)) return undefined;
  const rest = rawPath.slice(prefix.length);
  return rest === '' || rest.startsWith('/') || /^%2f/i.test(rest) ? rest : undefined;
}

function decodedSegment(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}
