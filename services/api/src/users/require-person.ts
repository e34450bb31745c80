import type { Principal } from '@berth/identity';
import { peopleErrors } from './errors.ts';

/** Service accounts live in their workspace alone: they have no profile and are not invited. */
export function requirePerson({ subjectType }: Principal, what: string): void {
  if (subjectType !== 'user') throw peopleErrors.user_required({ what });
}
