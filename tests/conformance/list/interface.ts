// Compares the list of operations (operations.yaml) with the served and the pending operations of the contract. The list has
// the interface, and in the section `own` our additions.
import { parse } from 'yaml';
import { z } from 'zod';

const Listed = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT', 'DELETE', 'ANY']),
  path: z.string().startsWith('/'),
  section: z.string(),
  base: z.enum(['base_url', 'api_url']).default('base_url'),
});

export interface Address {
  readonly method: string;
  readonly path: string;
  readonly base?: 'base_url' | 'api_url' | undefined;
  /** An addition of our own, which must not be in the interface. */
  readonly isAddition?: true | undefined;
}

export interface ListedOperation extends Address {
  readonly section: string;
}

export const readOperations = (text: string): ListedOperation[] => z.array(Listed).parse(parse(text));

const isOwn = ({ section }: ListedOperation): boolean => section === 'own';

export const ofInterface = (listed: readonly ListedOperation[]): ListedOperation[] =>
  listed.filter((operation) => !isOwn(operation));

const written = ({ method, path, base = 'base_url' }: Address): string => `${method} ${path} (${base})`;

/**
 * Checks both directions: every operation of the interface is served or pending, every other operation is declared an
 * addition, and the section `own` has exactly the additions.
 */
export function interfaceFaults(
  listed: readonly ListedOperation[],
  served: readonly Address[],
  pending: readonly Address[],
): string[] {
  const wanted = ofInterface(listed).map(written);
  const own = listed.filter(isOwn).map(written);
  const known = [...served, ...pending].filter(({ isAddition }) => isAddition !== true).map(written);
  const additions = served.filter(({ isAddition }) => isAddition === true).map(written);
  return [
    ...wanted.filter((address) => !known.includes(address)).map((address) => `neither served nor pending: ${address}`),
    ...known.filter((address) => !wanted.includes(address)).map((address) => `not in the interface: ${address}`),
    ...additions.filter((address) => wanted.includes(address)).map((address) => `called an addition: ${address}`),
    ...additions
      .filter((address) => ![...own, ...wanted].includes(address))
      .map((address) => `not listed under own: ${address}`),
    ...own.filter((address) => !additions.includes(address)).map((address) => `own, and no addition: ${address}`),
    ...[[...wanted, ...own], known].flatMap((list) =>
      list.filter((address, index) => list.indexOf(address) !== index).map((address) => `listed twice: ${address}`),
    ),
  ];
}
