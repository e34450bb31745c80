// Queries DNS for the records of a domain.
import { randomBytes } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import type { DomainRecords, FoundRecords } from './records.ts';

export interface Lookup {
  readonly servers: readonly string[];
  readonly timeoutMs?: number;
}

/** Undefined when DNS gave no answer at all; the records may then exist or not. */
export async function lookUp(
  domain: string,
  { txtRecords }: DomainRecords,
  { servers, timeoutMs = 3000 }: Lookup,
): Promise<FoundRecords | undefined> {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
  if (servers.length > 0) resolver.setServers(servers);
  // The random name below the domain detects a wildcard record: the name has no record itself, so only a wildcard
  // answers.
  const below = `${randomBytes(8).toString('hex')}.${domain}`;
  try {
    const [cname, ...txt] = await Promise.all([
      Promise.all([domain, below].map((name) => orNone(resolver.resolveCname(name)))),
      ...Object.keys(txtRecords).map(async (name): Promise<[string, string[]]> => {
        const values = await orNone(resolver.resolveTxt(name));
        return [name, values.map((parts) => parts.join(''))];
      }),
    ]);
    return { cname: cname.flat(), txt: new Map(txt) };
  } catch {
    return undefined;
  }
}

const noSuchRecord = new Set(['ENOTFOUND', 'ENODATA']);

async function orNone<T>(query: Promise<T[]>): Promise<T[]> {
  try {
    return await query;
  } catch (error) {
    if (error instanceof Error && 'code' in error && noSuchRecord.has(String(error.code))) return [];
    throw error;
  }
}
