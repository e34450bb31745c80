import { isFull } from '../../harness/size.ts';

/** Size of the file that each client writes and reads whole: several times what a connection buffers. */
export const largeMib = isFull ? 64 : 16;
