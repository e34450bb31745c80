// Every error a client can see has a stable code, a status and a public message with the next step.
// Each feature declares its table with `defineErrors`; `errorTables` in the api collects them for docs/errors.md.

export interface ErrorDefinition {
  readonly status: number;
  /** `{name}` placeholders are filled when the error is made. */
  readonly message: string;
}

/** Error thrown by the server. Clients see only `code`, `status`, `message` and `details`; the cause stays inside. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: string,
    status: number,
    message: string,
    details: Readonly<Record<string, unknown>>,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ApiError';
    this.code = code;
    this.status = status;
    this.details = details;
  }
}

type Values = Readonly<Record<string, string | number>>;
export type ErrorFactory<T> = { readonly [K in keyof T]: (values?: Values, cause?: unknown) => ApiError };

function fill(message: string, values: Values): string {
  return message.replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole));
}

/** Type guard: `Object.fromEntries` loses the types of the keys. */
const coversTable = <T extends object>(factories: object, table: T): factories is ErrorFactory<T> =>
  Object.keys(table).every((code) => code in factories);

/** Turns a feature's table into one function per code. */
export function defineErrors<const T extends Readonly<Record<string, ErrorDefinition>>>(
  table: T,
): ErrorFactory<T> & { readonly table: T } {
  const factories = Object.fromEntries(
    Object.entries(table).map(([code, { status, message }]) => [
      code,
      (values: Values = {}, cause?: unknown) => new ApiError(code, status, fill(message, values), values, cause),
    ]),
  );
  if (!coversTable(factories, table)) throw new Error('every code has a factory');
  return { ...factories, table };
}

export const requestErrors = defineErrors({
  invalid_request: { status: 400, message: '{reason}' },
  invalid_body: { status: 400, message: 'The request body is not valid JSON: {reason}' },
  invalid_cursor: {
    status: 400,
    message: 'The cursor belongs to another query or is older than 24 hours. Start again without a cursor.',
  },
  workspace_required: {
    status: 400,
    message:
      'This credential does not select exactly one workspace. Name one with the header {header} or the query parameter workspace.',
  },
  unauthenticated: {
    status: 401,
    message: 'No valid credential was given. Send an API key as "Authorization: Bearer <key>".',
  },
  workspace_forbidden: {
    status: 403,
    message: 'No access to this workspace. Check its name, or ask one of its admins for an invitation.',
  },
  role_required: { status: 403, message: 'This needs the {role} role. Ask an admin to change your role.' },
  scope_required: { status: 403, message: 'The credential lacks the scope {scope}. Use a credential that holds it.' },
  access_denied: { status: 403, message: 'access denied' },
  not_found: { status: 404, message: 'There is no such resource. Check its name and the workspace.' },
  route_not_found: { status: 404, message: 'There is no such address. See /docs for the list of operations.' },
  method_not_allowed: {
    status: 405,
    message: 'This address does not take that method. See /docs for the list of operations.',
  },
  request_timeout: { status: 408, message: 'The request did not arrive in time. Send it again.' },
  body_too_large: { status: 413, message: 'The request body is larger than {limit} bytes. Send less in one request.' },
  unsupported_media_type: { status: 415, message: 'Send the body as application/json.' },
  idempotency_key_reused: {
    status: 422,
    message: 'This Idempotency-Key was used with another request in the last 24 hours. Use a new key.',
  },
  headers_too_large: { status: 431, message: 'The address and headers are too large together. Send less in them.' },
  rate_limited: {
    status: 429,
    message:
      '{reason} Send the request again after the time in Retry-After, and fewer at once; the operator can raise {setting}.',
  },
  lookups_busy: {
    status: 429,
    message:
      'Too many requests with keys that this server does not know yet are being looked up at once. Send the request again after the time in Retry-After.',
  },
  internal: {
    status: 500,
    message: 'Something went wrong on our side. Try again; if it persists, report the request id.',
  },
  took_too_long: {
    status: 503,
    message:
      'The request was stopped because the database worked on it for longer than {seconds} seconds. Ask for less, for example with a smaller page or without a filter, or try again in a moment.',
  },
  unavailable: { status: 503, message: 'The service is not able to answer right now. Try again in a moment.' },
});

export const resourceErrors = defineErrors({
  already_exists: {
    status: 409,
    message: 'A {kind} named {name} exists already. Choose another name or change the existing one.',
  },
  in_use: { status: 409, message: 'The {kind} {name} is in use by {users}. Remove that first.' },
  being_deleted: {
    status: 409,
    message: 'The {kind} {name} is being deleted. Wait until it is gone, then create it anew.',
  },
  immutable_field: { status: 400, message: '{field} cannot change after creation. Send it unchanged or leave it out.' },
  name_mismatch: {
    status: 400,
    message: 'metadata.name is {body} but the address says {path}. Send the same name or leave it out.',
  },
  unknown_reference: {
    status: 400,
    message: '{field} names the {kind} {name}, which does not exist here. Create it first or correct the name.',
  },
  setting_not_honoured: { status: 400, message: '{field} is refused: {reason}' },
  unknown_region: {
    status: 400,
    message: '{field} is {region}, which is not a region of this deployment. Choose one of: {regions}.',
  },
  quota_exceeded: {
    status: 403,
    message: 'The account limit of {limit} for {resourceType} is reached. Delete some or ask the operator to raise it.',
  },
  upload_unavailable: {
    status: 400,
    message:
      'upload=true needs the image builder, which this deployment does not have yet. Deploy a ready image with spec.runtime.image.',
  },
});
