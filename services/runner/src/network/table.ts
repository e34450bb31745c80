// Our nftables table on this machine. No other table is ever read or changed.
import { isIPv4 } from 'node:net';
import type { RunCommand } from './command.ts';
import { type Element, Members } from './members.ts';
import type { Membership } from './membership.ts';
import { type Refused, refusedIn } from './refused.ts';
import { changeText, elementText, TABLE, type TableWish, tableText } from './ruleset.ts';
import { type TableContents, tableContents } from './table-contents.ts';

export interface Table {
  admit(address: string, membership: Membership): Promise<void>;
  dismiss(address: string): Promise<void>;
  /** Closes more addresses to all instances; those that are closed already change nothing. */
  deny(addresses: readonly string[]): Promise<void>;
  /** Returns what was not as it should be. */
  mend(): Promise<string[]>;
  /** Who has met a limit within the last minute. */
  refused(): Promise<Refused[]>;
}

/** `used` are the addresses that are in use already: those that have an owner are in the table from its first moment on. */
export async function openTable(
  run: RunCommand,
  { denied, ...wish }: TableWish,
  used: readonly { readonly address: string; readonly membership: Membership | undefined }[],
): Promise<Table> {
  assertAddresses([...wish.resolvers, ...wish.gateways.map(({ address }) => address)]);
  const closed = new Set(denied);
  const members = new Members();
  for (const { address, membership } of used) if (membership !== undefined) members.add(address, membership);
  const change = async (text: string) => {
    await run('nft', ['-f', '-'], text);
  };
  const contents = async () => tableContents(await run('nft', ['-j', 'list', 'table', ...TABLE.split(' ')]));

  let wanted: TableContents | undefined;
  // Between a change that failed and the next that does not, the kernel knows less than we do.
  let isBehind = false;
  /** The kernel prints rules in its own words: what it says right after they were set is what it should go on saying. */
  async function replace(): Promise<void> {
    isBehind = true;
    await change(tableText({ ...wish, denied: [...closed] }, members.elements));
    wanted = await contents();
    isBehind = false;
  }

  /** Fails when somebody changed the table: then all of it is set again, as we know it. */
  const update = (text: string) => (isBehind ? replace() : change(text).catch(replace));

  let last: Promise<unknown> = Promise.resolve();
  /** One after the other, so that nothing is compared while it changes. */
  function inTurn<T>(step: () => Promise<T>): Promise<T> {
    const done = last.then(step);
    last = done.catch(() => {});
    return done;
  }

  let waiting: { readonly steps: (() => string)[]; readonly done: Promise<void> } | undefined;
  /** What comes while a change is under way waits for it, and is then one change: twenty take hardly longer than one. */
  function together(step: () => string): Promise<void> {
    if (waiting === undefined) {
      const steps: (() => string)[] = [];
      const done = inTurn(async () => {
        waiting = undefined;
        const text = steps.map((each) => each()).join('');
        if (text !== '' || isBehind) await update(text);
      });
      waiting = { steps, done };
    }
    waiting.steps.push(step);
    return waiting.done;
  }

  await inTurn(replace);
  return {
    async admit(address, membership) {
      assertAddresses([address]);
      await together(() => {
        const before = members.elementsOf(address);
        members.add(address, membership);
        return changeText(before, members.elementsOf(address));
      });
    },

    dismiss: (address) =>
      together(() => {
        const before = members.elementsOf(address);
        members.remove(address);
        return changeText(before, []);
      }),

    deny: (addresses) =>
      inTurn(async () => {
        assertAddresses(addresses);
        const more = addresses.filter((address) => !closed.has(address));
        for (const address of more) closed.add(address);
        if (more.length > 0) await replace();
      }),

    mend: () =>
      inTurn(async () => {
        const found = await contents().catch(() => undefined);
        const problems = differences(found, wanted, members.elements);
        if (problems.length > 0) await replace();
        return problems;
      }),

    refused: async () => refusedIn(await run('nft', ['-j', 'list', 'map', ...TABLE.split(' '), 'refused'])),
  };
}

/**
 * Connections of an instance that has ended count neither against the next one with its address, nor is that one told of limits that
 * this one met, nor do they stay, where the program conntrack is installed, in the kernel's table, where they would stay for up to five days. The table may be long: nobody waits for that.
 */
export async function forgetConnections(run: RunCommand, address: string): Promise<void> {
  assertAddresses([address]);
  const uncount = ['connections', 'refused']
    .map((set) => `nft delete element ${TABLE} ${set} "{ $1 }" 2>/dev/null`)
    .join('; ');
  const untrack = '(conntrack -D -s "$1" >/dev/null 2>&1 </dev/null &)';
  await run('sh', ['-c', `${uncount}; ${untrack}`, 'sh', address]);
}

function differences(
  found: TableContents | undefined,
  wanted: TableContents | undefined,
  members: readonly Element[],
): string[] {
  if (found === undefined) return [`the nftables table ${TABLE} was missing`];
  const expected = members.map(elementText).sort();
  return [
    ...(found.rules === wanted?.rules ? [] : [`the rules of the nftables table ${TABLE} had been changed`]),
    ...(found.members.join() === expected.join()
      ? []
      : [`the members in the nftables table ${TABLE} had been changed`]),
  ];
}

/** They become part of a program for nft. */
function assertAddresses(addresses: readonly string[]): void {
  for (const address of addresses) {
    if (!isIPv4(address)) throw new Error(`"${address}" is not an IPv4 address such as 192.0.2.1.`);
  }
}
