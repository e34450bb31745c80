import type { Role } from '../role.ts';
import { apiRole } from './api.ts';

/** In start order: what others call comes first, what calls others comes last, and stops first. */
export const roles: readonly Role[] = [apiRole];
