// From which release to which one an upgrade leads, also when an earlier command was killed on its way. Pure.
import type { DeploymentRecord } from '../install/install-record.ts';
import { Fault } from '../machine/fault.ts';

export interface Move {
  /** Release that serves again when the new one fails: the last one that was seen to work. */
  readonly from: string;
  readonly to: string;
  readonly isBack: boolean;
}

type Known = Pick<DeploymentRecord, 'version' | 'previous' | 'move'>;

const isOlder = (one: string, other: string): boolean => {
  const core = (version: string): number[] => (/^\d+\.\d+\.\d+/.exec(version)?.[0] ?? '0').split('.').map(Number);
  const [left, right] = [core(one), core(other)];
  const at = left.findIndex((part, index) => part !== right[index]);
  return at !== -1 && (left[at] ?? 0) < (right[at] ?? 0);
};

export function planUpgrade({ version, move }: Known, to: string): Move {
  const from = move?.from ?? version;
  if (isOlder(to, from) && to !== move?.to)
    throw new Fault(`${to} is older than ${from}, which runs here.`, 'berth-server upgrade --back');
  return { from, to, isBack: false };
}

/** An upgrade that was killed is taken back; a way back that was killed is continued. */
export function planWayBack({ version, previous, move }: Known): Move {
  if (move !== undefined) return { from: move.from, to: move.isBack ? move.to : move.from, isBack: true };
  if (previous === undefined)
    throw new Fault(
      'There was no upgrade on this machine, so there is no release to go back to.',
      'berth-server doctor',
    );
  return { from: version, to: previous, isBack: true };
}

/** True when a command that was killed was on the same way: what it has done before the switch holds. */
export const isContinued = ({ move }: Known, { from, to }: Move): boolean => move?.from === from && move.to === to;

/** The record after a release has proved itself. */
export const arrived = <Record extends Known>(record: Record, { from, to }: Move): Record => ({
  ...record,
  move: undefined,
  ...(from === to ? {} : { previous: from }),
});

/** Releases that are kept even if no sandbox uses them. */
export const keptReleases = ({ version, previous }: Known): string[] =>
  previous === undefined ? [version] : [version, previous];
