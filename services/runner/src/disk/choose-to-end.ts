// Chooses the instances to end when they write too much or the disk is short. Pure.
import { bytesPerMb } from '@berth/contract/node';
import type { Failure } from '../failures/failure.ts';
import type { InstanceLimits } from './instance-limits.ts';
import type { Amount } from './written.ts';

export interface Writer {
  readonly instance: string;
  /** Undefined for a warm instance. */
  readonly workspace: string | undefined;
  readonly amount: Amount;
  /** Growth since the disk last had plenty of room. */
  readonly grown: Amount;
  /** Loss of the whole file system in the same time, from any cause. */
  readonly lost: Amount;
  readonly limits: InstanceLimits;
}

/** Amount that is missing from the reserve. Zero or negative when nothing is missing. */
export type Shortage = Amount;

export interface InstanceToEnd {
  readonly instance: string;
  readonly failure: Failure;
}

/** A workspace that explains more than this part of a loss is its cause. */
const causeShare = 0.5;

/**
 * Ends every instance that exceeds its own limit. When the disk is short all the same, ends one more: in the workspace
 * whose growth explains most of the file system's loss, the instance that grew most. If no workspace explains it,
 * something else fills the disk, such as an image or the engine's logs, and ending instances would destroy data without
 * helping.
 */
export function chooseToEnd(writers: readonly Writer[], shortage: Shortage): readonly InstanceToEnd[] {
  const beyond = writers.filter(({ amount, limits }) => amount.bytes > limits.bytes || amount.files > limits.files);
  if (beyond.length > 0)
    return beyond.map(({ instance, amount, limits }) => ({ instance, failure: beyondLimit(amount, limits) }));
  const short = resources.filter((of) => shortage[of] > 0);
  const [ended] = short.flatMap((of) => culprit(writers, of) ?? []);
  return ended === undefined ? [] : [{ instance: ended.instance, failure: diskShort(ended.amount) }];
}

const resources = ['bytes', 'files'] as const;

/**
 * Workspaces are judged as a whole: many instances that each write a little fill the disk like a single large writer.
 */
function culprit(writers: readonly Writer[], of: keyof Amount): Writer | undefined {
  const byWorkspace = Map.groupBy(writers, ({ instance, workspace }) => workspace ?? instance);
  const guilty = [...byWorkspace.values()]
    .map((members) => ({ members, share: members.reduce((all, each) => all + shareOf(each, of), 0) }))
    .filter(({ share }) => share > causeShare)
    .toSorted((left, right) => right.share - left.share);
  return guilty[0]?.members.toSorted((left, right) => right.grown[of] - left.grown[of])[0];
}

/** Part of the loss that the instance explains, from 0 to 1. */
const shareOf = ({ grown, lost }: Writer, of: keyof Amount): number =>
  lost[of] <= 0 ? 0 : Math.min(1, Math.max(0, grown[of]) / lost[of]);

const megabytes = (bytes: number): number => Math.ceil(bytes / bytesPerMb);

const gone = 'It was ended and what it had written is gone.';

function beyondLimit({ bytes }: Amount, limits: InstanceLimits): Failure {
  const isLarge = bytes > limits.bytes;
  const what = isLarge
    ? `It wrote more than the ${megabytes(limits.bytes)} MB that it may`
    : `It made more than the ${limits.files} files that it may`;
  const advice =
    isLarge && limits.isOwn
      ? 'Write less, or raise spec.runtime.diskPercent or spec.runtime.memory.'
      : 'Write less, or keep large data in a drive or a volume.';
  return { code: 'disk_full', message: `${what}. ${gone} ${advice}` };
}

function diskShort({ bytes, files }: Amount): Failure {
  const message =
    `The disk of its machine was nearly full, and it had written most of late: ${megabytes(bytes)} MB in ${files} files. ` +
    `${gone} Try again later, and write less; ask the operator for a larger disk if this comes again.`;
  return { code: 'disk_full', message };
}
