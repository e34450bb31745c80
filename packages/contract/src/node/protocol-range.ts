// Two releases that talk to each other during an upgrade agree on the newest version that both speak.
export interface ProtocolRange {
  readonly oldest: number;
  readonly newest: number;
}

/** Undefined when there is no version that both speak. */
export function agreeOn(one: ProtocolRange, other: ProtocolRange): number | undefined {
  const newest = Math.min(one.newest, other.newest);
  return newest >= Math.max(one.oldest, other.oldest) ? newest : undefined;
}

export const inWords = ({ oldest, newest }: ProtocolRange): string =>
  oldest === newest ? `${newest}` : `${oldest} to ${newest}`;
