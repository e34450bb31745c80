import { z } from 'zod';
import { memberSets } from './members.ts';
import { elementText, kernelSets } from './ruleset.ts';

/** A table as `nft -j list table` prints it, in a form that can be compared. */
export interface TableContents {
  /** Chains, rules and the sets that never change. */
  readonly rules: string;
  /** Elements of the sets that change with the instances; sorted. */
  readonly members: readonly string[];
}

const Listing = z.object({ nftables: z.array(z.record(z.string(), z.record(z.string(), z.unknown()))) });
/** On machines without a list of protocols, nft prints their numbers. */
const protocols = new Map<string | number, string>([
  [6, 'tcp'],
  [17, 'udp'],
]);
const Part = z.union([z.string(), z.number()]);
const keyOf = ([first = '', second = '', protocol, port]: readonly (string | number)[]): string =>
  (protocol === undefined ? [first, second] : [first, second, protocols.get(protocol) ?? protocol, port]).join(' . ');
/** Forms in which nft prints an element: of a set, of a map, and of a set with a concatenated key. */
const PrintedElement = z.union([
  z.string().transform((key) => ({ key })),
  z.tuple([z.string(), z.number()]).transform(([key, value]) => ({ key, value })),
  z.object({ concat: z.array(Part) }).transform(({ concat }) => ({ key: keyOf(concat) })),
]);

export function tableContents(json: string): TableContents {
  const rules: unknown[] = [];
  const members: string[] = [];
  for (const entry of Listing.parse(JSON.parse(json)).nftables) {
    for (const [type, { handle: _, elem, ...rest }] of Object.entries(entry)) {
      // The entry holds the version of nft, which may be updated while the runner runs.
      if (type === 'metainfo') continue;
      const memberSet = memberSets.find((name) => type !== 'chain' && name === rest.name);
      const isFixed = memberSet === undefined && !kernelSets.some((name) => name === rest.name);
      rules.push({ type, ...rest, ...(isFixed && elem !== undefined ? { elem: sorted(elem) } : {}) });
      if (memberSet === undefined) continue;
      const printed = PrintedElement.array().parse(elem ?? []);
      members.push(...printed.map((element) => elementText({ set: memberSet, ...element })));
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
