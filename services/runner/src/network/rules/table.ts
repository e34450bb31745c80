// Our nftables table on this machine. No other table is ever read or changed.
import { isIPv4 } from 'node:net';
import type { RunCommand } from '../../machine/command.ts';
import { type Element, Members } from './members.ts';
import type { Membership } from './membership.ts';
import { type Refused, refusedIn } from './refused.ts';
import { changeText, elementText, type TableSpec, tableName, tableText } from './ruleset.ts';
import { type TableContents, tableContents } from './table-contents.ts';

export interface Table {
  admit(address: string, membership: Membership): Promise<void>;
  dismiss(address: string): Promise<void>;
  /** Closes more addresses to all instances; addresses that are already closed change nothing. */
  deny(addresses: readonly string[]): Promise<void>;
  /** Repairs the table; returns a description of each difference. */
  mend(): Promise<string[]>;
  /** Addresses that hit a limit within the last minute. */
  refused(): Promise<Refused[]>;
}

/** `used` are the addresses already in use. Addresses with an owner are in the table from its first moment on. */
export async function openTable(
  run: RunCommand,
  { denied, ...wish }: TableSpec,
  used: readonly { readonly address: string; readonly membership: Membership | undefined }[],
): Promise<Table> {
  assertAddresses([...wish.resolvers, ...wish.gateways.map(({ address }) => address)]);
  const closed = new Set(denied);
  const members = new Members();
  for (const { address, membership } of used) if (membership !== undefined) members.add(address, membership);
  const change = async (text: string) => {
    await run('nft', ['-f', '-'], text);
  };
  const contents = async () => tableContents(await run('nft', ['-j', 'list', 'table', ...tableName.split(' ')]));

  let wanted: TableContents | undefined;
  // True after a failed change until a change succeeds: meanwhile the kernel's table lacks what `members` already
  // holds.
  let isBehind = false;
  /**
   * Replaces the whole table. The kernel prints rules in its own form, so what it prints right after they were set is
   * what later looks are compared with.
   */
  async function replace(): Promise<void> {
    isBehind = true;
    await change(tableText({ ...wish, denied: [...closed] }, members.elements));
    wanted = await contents();
    isBehind = false;
  }

  /** Applies a change. It fails if another program changed the table; then the whole table is set again. */
  const update = (text: string) => (isBehind ? replace() : change(text).catch(replace));

  let last: Promise<unknown> = Promise.resolve();
  /** Runs steps one after the other, so that nothing is compared while it changes. */
  function inTurn<T>(step: () => Promise<T>): Promise<T> {
    const done = last.then(step);
    last = done.catch(() => {});
    return done;
  }

  let waiting: { readonly steps: (() => string)[]; readonly done: Promise<void> } | undefined;
  /**
   * Batches changes: changes that come while another is under way wait for it and then become one. Twenty take hardly
   * longer than one.
   */
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

    refused: async () => refusedIn(await run('nft', ['-j', 'list', 'map', ...tableName.split(' '), 'refused'])),
  };
}

/**
 * Clears what the kernel holds of an address whose instance has ended. The next instance with the address then
 * inherits neither its connection count nor its refusals. Where the program conntrack is installed, its connections
 * also leave the kernel's table, where they would stay for up to five days; this runs in the background, because the
 * table may be long.
 */
export async function forgetConnections(run: RunCommand, address: string): Promise<void> {
  assertAddresses([address]);
  const uncount = ['connections', 'refused']
    .map((set) => `nft delete element ${tableName} ${set} "{ $1 }" 2>/dev/null`)
    .join('; ');
  const untrack = '(conntrack -D -s "$1" >/dev/null 2>&1 </dev/null &)';
  await run('sh', ['-c', `${uncount}; ${untrack}`, 'sh', address]);
}

function differences(
  found: TableContents | undefined,
  wanted: TableContents | undefined,
  members: readonly Element[],
): string[] {
  if (found === undefined) return [`the nftables table ${tableName} was missing`];
  const expected = members.map(elementText).sort();
  return [
    ...(found.rules === wanted?.rules ? [] : [`the rules of the nftables table ${tableName} had been changed`]),
    ...(found.members.join() === expected.join()
      ? []
      : [`the members in the nftables table ${tableName} had been changed`]),
  ];
}

/** Addresses are checked because they become part of a program for nft. */
function assertAddresses(addresses: readonly string[]): void {
  for (const address of addresses) {
    if (!isIPv4(address)) throw new Error(`"${address}" is not an IPv4 address such as 192.0.2.1.`);
  }
}
