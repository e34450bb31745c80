import { randomBytes } from 'node:crypto';

/** 256 bits, as text that survives every header and config file. */
export const newCallbackSecret = (): string => randomBytes(32).toString('hex');
