import type { KeyObject } from 'node:crypto';

const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Public key in Restate's format: its 32 bytes in base 58, where each leading zero byte is a digit of its own. */
export function identityKeyOf(publicKey: KeyObject): string {
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  const zeros = raw.findIndex((byte) => byte !== 0);
  let rest = BigInt(`0x${raw.toString('hex')}`);
  let text = '';
  for (; rest > 0n; rest /= 58n) text = digits.charAt(Number(rest % 58n)) + text;
  return `publickeyv1_${'1'.repeat(zeros)}${text}`;
}
