const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };
const maxExpirySeconds = 3650 * 86_400;

/** `30d`, `24h`, `1w`, `15m`, `90s` in seconds; undefined when malformed, not positive, or above ten years. */
export function parseExpiry(text: string): number | undefined {
  const [, count = '', unit = ''] = /^(\d{1,9})([smhdw])$/.exec(text) ?? [];
  const seconds = Number(count) * (secondsOf[unit] ?? 0);
  return seconds > 0 && seconds <= maxExpirySeconds ? seconds : undefined;
}
