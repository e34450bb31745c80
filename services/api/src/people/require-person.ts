import type { Principal } from '@berth/identity';
import { peopleErrors } from './errors.ts';

/** Refuses service accounts: they exist only in their workspace, have no profile and cannot be invited. */
export function requirePerson({ subjectType }: Principal, what: string): void {
  if (subjectType !== 'user') throw peopleErrors.user_required({ what });
}
