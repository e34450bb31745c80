import type { Role } from '../role.ts';

/** In start order: what others call comes first, what calls others comes last, and stops first. */
export const roles: readonly Role[] = [];
