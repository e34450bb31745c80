const units = [
  ['h', 3600],
  ['m', 60],
] as const;

/** Formats whole seconds in the largest unit that divides them exactly: 1800 is `30m`, 90 is `90s`. */
export function durationText(seconds: number): string {
  const unit = seconds > 0 ? units.find(([, length]) => seconds % length === 0) : undefined;
  return unit === undefined ? `${seconds}s` : `${seconds / unit[1]}${unit[0]}`;
}
