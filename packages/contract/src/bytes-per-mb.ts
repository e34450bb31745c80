/** Sizes in "MB" (memory, disk, bodies) count megabytes of 1024 × 1024 bytes. */
export const bytesPerMb = 1024 * 1024;
