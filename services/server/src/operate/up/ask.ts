// Questions on a terminal, for what has no flag.
import { stdin, stdout } from 'node:process';
import { createInterface } from 'node:readline/promises';
import type { Choices } from '../install/install-record.ts';
import type { UpFlags } from './flags.ts';

const isTerminal = (): boolean => stdin.isTTY === true && stdout.isTTY === true;

async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: stdin, output: stdout });
  try {
    return (await lines.question(question)).trim();
  } finally {
    lines.close();
  }
}

/** Adds the answers to the flags. Later runs know the answers of the first, and ask nothing. */
export async function askForMissing(flags: UpFlags, earlier: Choices | undefined): Promise<Record<string, unknown>> {
  if (flags.yes || earlier !== undefined || !isTerminal()) return flags;
  const domain =
    flags.domain ?? (await ask('Domain that leads to this machine (none: it is reached by its address): '));
  const email = flags.email ?? (await ask('Address of the first user, and for notes of the certificate authority: '));
  return { ...flags, domain: domain === '' ? undefined : domain, email: email === '' ? undefined : email };
}

export async function agree(question: string, { yes }: Pick<UpFlags, 'yes'>): Promise<boolean> {
  return yes || !isTerminal() || /^y(es)?$/i.test(await ask(`${question} [y/n] `));
}
