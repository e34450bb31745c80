// The query parameters that the three searches share.
import { access, constants, stat } from 'node:fs/promises';
import { Fault, systemCode } from '../http/fault.ts';

const maxAllowedResults = 1_000;
const defaultExcluded = 'node_modules,vendor,.git,dist,build,target,__pycache__,.venv,.next,coverage';

/** 0 = all. */
export function maxResults(query: URLSearchParams, otherwise: number): number {
  return Math.min(wholeNumber(query, 'maxResults', otherwise), maxAllowedResults);
}

export function wholeNumber(query: URLSearchParams, name: string, otherwise: number): number {
  const text = query.get(name);
  if (text === null || text === '') return otherwise;
  if (!/^\d{1,9}$/.test(text)) {
    throw new Fault(400, `${name} must be a whole number, 0 or more, not "${text.slice(0, 50)}".`);
  }
  return Number(text);
}

/** Parameter absent: the usual folders. Parameter empty: none. */
export function excludedFolders(query: URLSearchParams): string[] {
  return listOf(query.get('excludeDirs') ?? defaultExcluded);
}

export function listOf(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

export function isOn(query: URLSearchParams, name: string, otherwise: boolean): boolean {
  const text = query.get(name);
  if (text === null || text === '') return otherwise;
  if (text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0') return false;
  throw new Fault(400, `${name} must be true or false, not "${text.slice(0, 50)}".`);
}

/** Refuses a root that cannot be searched. Unreadable folders below the root are skipped by the search instead. */
export async function requireFolder(path: string, whenMissing: 400 | 404): Promise<void> {
  try {
    const stats = await stat(path);
    if (!stats.isDirectory()) throw new Fault(400, `${path} is not a directory. Search in the one that holds it.`);
    await access(path, constants.R_OK | constants.X_OK);
  } catch (error) {
    if (error instanceof Fault) throw error;
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw new Fault(whenMissing, `There is no directory ${path}. List the one above it to see what is there.`);
    }
    throw new Fault(422, `${path} cannot be searched: ${code ?? error}. Check its permissions.`, { cause: error });
  }
}
