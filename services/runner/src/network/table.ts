// Our nftables table on this machine. No other table is ever read or changed.
import { isIPv4 } from 'node:net';
import type { RunCommand } from './command.ts';
import { addMember, deleteMember, TABLE, type TableWish, tableText } from './ruleset.ts';
import { type TableContents, tableContents } from './table-contents.ts';
import { WorkspaceNumbers } from './workspace-numbers.ts';

export interface Table {
  admit(address: string, workspaceId: string): Promise<void>;
  dismiss(address: string): Promise<void>;
  /** Returns what was not as it should be. */
  mend(): Promise<string[]>;
}

/** `used` are the addresses that are in use already: those of a workspace are in the table from its first moment on. */
export async function openTable(
  run: RunCommand,
  wish: TableWish,
  used: readonly { readonly address: string; readonly workspaceId: string | undefined }[],
): Promise<Table> {
  assertAddresses([...wish.resolvers, ...wish.gateways.map(({ address }) => address)]);
  const numbers = new WorkspaceNumbers();
  for (const { address, workspaceId } of used) if (workspaceId !== undefined) numbers.add(address, workspaceId);
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
    await change(tableText(wish, numbers.members));
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
    async admit(address, workspaceId) {
      assertAddresses([address]);
      await together(() => {
        const before = numbers.numberOf(address);
        const after = numbers.add(address, workspaceId);
        if (before === after) return '';
        return (before === undefined ? '' : deleteMember(address, before)) + addMember(address, after);
      });
    },

    dismiss: (address) =>
      together(() => {
        const before = numbers.numberOf(address);
        numbers.remove(address);
        return before === undefined ? '' : deleteMember(address, before);
      }),

    mend: () =>
      inTurn(async () => {
        const found = await contents().catch(() => undefined);
        const problems = differences(found, wanted, numbers.members);
        if (problems.length > 0) await replace();
        return problems;
      }),
  };
}

function differences(
  found: TableContents | undefined,
  wanted: TableContents | undefined,
  members: ReadonlyMap<string, number>,
): string[] {
  if (found === undefined) return [`the nftables table ${TABLE} was missing`];
  const expected = [...members].flatMap(([address, number]) => [`${address}=${number}`, `${number}=${address}`]).sort();
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
