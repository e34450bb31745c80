// Path rules of the file routes. The wildcard carries relative and absolute paths, distinguished by their raw form:
//   /a.txt, /src%2Fa.txt   relative to the working directory
//   //tmp/a, /%2Ftmp%2Fa, %2Ftmp/a   absolute
//   /~, /~/a   in the home folder
// The tree routes take absolute paths only. Nothing is confined: the kernel decides what the guest's account may touch.
import { posix } from 'node:path';
import { Fault } from './http/fault.ts';
import type { Settings } from './settings.ts';

export type ResolvedPath = {
  absolute: string;
  /** In the form of the request: a relative path stays relative. */
  echoed: string;
};

export type PathSettings = Pick<Settings, 'workingDirectory' | 'home' | 'encodedSlashIsAbsolute'>;

const encodedSlash = /^%2f/i;

/** `rest` is the text matched by the route's `{path*}`. */
export function resolveWildcard(rest: string, settings: PathSettings): ResolvedPath {
  const separatorIsEncoded = encodedSlash.test(rest);
  const raw = separatorIsEncoded ? rest : rest.slice(1);
  const given = decode(raw);
  const isAbsolute =
    separatorIsEncoded || given.startsWith('/') || (settings.encodedSlashIsAbsolute && raw.includes('%2F'));
  return resolveGiven(isAbsolute && !given.startsWith('/') ? `/${given}` : given, settings);
}

/** Also for paths that come as values: `path` of a tool, `workingDir` of a process. */
export function resolveGiven(given: string, settings: PathSettings): ResolvedPath {
  refuseNul(given);
  if (given === '~' || given.startsWith('~/')) {
    if (!settings.home) throw new Fault(400, 'HOME is not set, so ~ means nothing here. Give the whole path.');
    const absolute = clean(posix.join(settings.home, given.slice(1)));
    return { absolute, echoed: absolute };
  }
  if (given.startsWith('/')) {
    const absolute = clean(given);
    return { absolute, echoed: absolute };
  }
  const absolute = clean(posix.resolve('/', settings.workingDirectory, given));
  const relative = clean(given);
  return { absolute, echoed: relative === '.' ? absolute : relative };
}

export function resolveTree(rest: string): ResolvedPath {
  const given = decode(rest);
  refuseNul(given);
  const absolute = clean(`/${given}`);
  return { absolute, echoed: absolute };
}

function clean(path: string): string {
  const normal = posix.normalize(path);
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal;
}

function decode(raw: string): string {
  try {
    return decodeURIComponent(raw);
  } catch {
    throw new Fault(
      400,
      'The path is not valid percent-encoded UTF-8. Encode it with encodeURIComponent, then try again.',
    );
  }
}

function refuseNul(path: string): void {
  if (path.includes('\0')) throw new Fault(400, 'The path contains a NUL byte, which no file name can hold.');
}
