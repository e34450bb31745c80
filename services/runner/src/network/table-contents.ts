import { z } from 'zod';
import { CALLERS } from './ruleset.ts';

/** A table as `nft -j list table` prints it, in a form that can be compared. */
export interface TableContents {
  /** Chains, rules and the sets that never change. */
  readonly rules: string;
  /** `<key>=<value>` of the map, `<number>=<address>` of the set; sorted. */
  readonly members: readonly string[];
}

const Listing = z.object({ nftables: z.array(z.record(z.string(), z.record(z.string(), z.unknown()))) });
const Pair = z.union([
  z.tuple([z.string(), z.number()]),
  z.object({ concat: z.tuple([z.number(), z.string()]) }).transform(({ concat }) => concat),
]);
const MEMBER_SETS = ['workspace_of', 'members'];

export function tableContents(json: string): TableContents {
  const rules: unknown[] = [];
  const members: string[] = [];
  for (const entry of Listing.parse(JSON.parse(json)).nftables) {
    for (const [type, { handle: _, elem, ...rest }] of Object.entries(entry)) {
      // The version of nft, which may be updated while we run.
      if (type === 'metainfo') continue;
      const isOurs = MEMBER_SETS.includes(String(rest.name));
      const isFixed = !isOurs && rest.name !== CALLERS;
      rules.push({ type, ...rest, ...(isFixed && elem !== undefined ? { elem: sorted(elem) } : {}) });
      if (isOurs)
        members.push(
          ...Pair.array()
            .parse(elem ?? [])
            .map((pair) => pair.join('=')),
        );
    }
  }
  return { rules: JSON.stringify(rules), members: members.sort() };
}

/** The kernel keeps the elements of a set in no particular order. */
function sorted(elem: unknown): string[] {
  return z
    .array(z.unknown())
    .parse(elem)
    .map((one) => JSON.stringify(one))
    .sort();
}
