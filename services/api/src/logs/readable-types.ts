import { LoggedType, lacksScope, requestErrors } from '@berth/contract';

/** A named resource type requires its scope; without a name, all types that the credential may read are included. */
export function readableTypes(named: LoggedType | undefined, held: readonly string[] | undefined): LoggedType[] {
  const lacking = (type: LoggedType) => lacksScope(held, [`${type}:get`]);
  if (named === undefined) return LoggedType.options.filter((type) => lacking(type) === undefined);
  const scope = lacking(named);
  if (scope !== undefined) throw requestErrors.scope_required({ scope });
  return [named];
}
