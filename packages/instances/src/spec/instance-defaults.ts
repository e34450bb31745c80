/** Generation of an instance whose spec names none. */
export const newestGeneration = 'mk3';

const mbPerCore = 2048;

/** CPU follows from memory: one core for each 2048 MB, and at least one. */
export const cpusOf = (memoryMb: number): number => Math.max(1, memoryMb / mbPerCore);
