import { randomBytes } from 'node:crypto';

/** 256 random bits as hex, which is safe in every header and config file. */
export const newCallbackSecret = (): string => randomBytes(32).toString('hex');
