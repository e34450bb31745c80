// Rules for workspace names. A name appears at the root of the path (`/{workspace}/jobs/…`), in host names and as the
// first part of image references, so words with a meaning there are reserved.
import { type Brand, WorkspaceName } from '@berth/contract';

export interface NameProblem {
  /** Absent when the text does not even have the form of a name. */
  readonly reason?: string;
  readonly message: string;
}

const reserved = new Set(
  `about account accounts admin administrator anonymous api apis app apps assets auth billing blog cdn console dashboard
  default docs download downloads favicon gateway global health healthz help hub images inference internal invalid jobs
  localhost login logout mail mcp metrics models none null oauth openapi operator ping platform preview previews private
  profile proxy public readyz registry root runner sandbox sandboxes security service settings signin signup static status
  storage support system token undefined user users webhook webhooks workspace workspaces www`.split(/\s+/),
);

/** Undefined when the name is valid; it may still be taken. */
export function nameProblem(name: string, brand: Brand): NameProblem | undefined {
  if (/^v\d/.test(name)) {
    return {
      reason: 'forbidden_v_prefix',
      message: `${name} begins like a version of the interface. Choose a name that does not begin with v and a digit.`,
    };
  }
  if (name === brand.short || name.startsWith(`${brand.short}-`)) {
    return {
      reason: `forbidden_${brand.short}`,
      message: `${name} would look like a workspace of the operator. Choose a name that does not begin with ${brand.short}.`,
    };
  }
  if (reserved.has(name)) {
    return { reason: 'forbidden_reserved', message: `${name} is reserved. Choose another name.` };
  }
  if (WorkspaceName.safeParse(name).success) return undefined;
  return {
    message:
      'A workspace name has 3 to 32 lower-case letters, digits and hyphens, and no hyphen at its ends. Choose such a name.',
  };
}
