// Durations as clients write them: a whole number and a unit.

const secondsPer: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** Seconds of a text that has the form of `Duration`; undefined for any other text. */
export function durationSeconds(text: string): number | undefined {
  const [, count, unit = ''] = /^([1-9]\d{0,8})([smhdw])$/.exec(text) ?? [];
  const seconds = secondsPer[unit];
  return count === undefined || seconds === undefined ? undefined : Number(count) * seconds;
}
