// Who has to go, so that the disk is there for everybody else. Pure.
import type { Failure } from '../converge/decide.ts';
import type { Amount } from './written.ts';

export interface Writer {
  readonly instance: string;
  readonly amount: Amount;
  /** Since the disk was last seen with enough room. */
  readonly grown: Amount;
  readonly limits: Amount;
}

/** What is missing of the reserve; both are 0 when nothing is. */
export type Shortage = Amount;

export interface Verdict {
  readonly instance: string;
  readonly failure: Failure;
}

/**
 * Everybody beyond a limit goes. When the disk is short all the same, one more goes: whoever wrote most since it was not, since
 * that one would go on; if nobody did, whoever holds most.
 */
export function judge(writers: readonly Writer[], shortage: Shortage): readonly Verdict[] {
  const beyond = writers.filter(({ amount, limits }) => amount.bytes > limits.bytes || amount.files > limits.files);
  if (beyond.length > 0)
    return beyond.map(({ instance, amount, limits }) => ({ instance, failure: beyondLimit(amount, limits) }));
  if (shortage.bytes <= 0 && shortage.files <= 0) return [];
  const of = shortage.bytes > 0 ? 'bytes' : 'files';
  const [biggest] = writers
    .filter(({ amount }) => amount[of] > 0)
    .toSorted((left, right) => right.grown[of] - left.grown[of] || right.amount[of] - left.amount[of]);
  return biggest === undefined ? [] : [{ instance: biggest.instance, failure: diskShort(biggest.amount) }];
}

const megabytes = (bytes: number): number => Math.ceil(bytes / 1_048_576);

const gone = 'It was ended and what it had written is gone.';

function beyondLimit({ bytes }: Amount, limits: Amount): Failure {
  const what =
    bytes > limits.bytes
      ? `It wrote more than the ${megabytes(limits.bytes)} MB that it may`
      : `It made more than the ${limits.files} files that it may`;
  return { code: 'disk_full', message: `${what}. ${gone} Write less, or keep large data in a drive or a volume.` };
}

function diskShort({ bytes, files }: Amount): Failure {
  const message =
    `The disk of its machine was nearly full, and it had written most of late: ${megabytes(bytes)} MB in ${files} files. ` +
    `${gone} Try again later, and write less; ask the operator for a larger disk if this comes again.`;
  return { code: 'disk_full', message };
}
