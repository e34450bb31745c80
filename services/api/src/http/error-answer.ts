// The one place that turns an error into an HTTP response.
import { ApiError, requestErrors } from '@berth/contract';
import { LaneFull } from '@berth/database';
import { isOwnerGone, isTooLong, isUnavailable } from './database-errors.ts';

interface FrameworkError {
  readonly code: string;
}

const fromFramework: Readonly<Record<string, (message: string) => ApiError>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => requestErrors.unsupported_media_type(),
  FST_ERR_CTP_EMPTY_JSON_BODY: () => requestErrors.invalid_request({ reason: 'This operation needs a JSON body.' }),
  FST_ERR_CTP_INVALID_JSON_BODY: () => requestErrors.invalid_body({ reason: 'it could not be parsed.' }),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    requestErrors.invalid_request({ reason: 'Content-Length does not match the body.' }),
  FST_ERR_MAX_PARAM_LENGTH: () => requestErrors.invalid_request({ reason: 'A name in the address is too long.' }),
  FST_ERR_BAD_URL: () => requestErrors.invalid_request({ reason: 'The address holds a wrong percent escape.' }),
};

const hasCode = (error: unknown): error is FrameworkError =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string';

export function toApiError(error: unknown, bodyLimitBytes: number, statementSeconds: number): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof SyntaxError) return requestErrors.invalid_body({ reason: 'it could not be parsed.' }, error);
  if (error instanceof LaneFull)
    return requestErrors.lookups_busy({ refusedBy: 'lookups', retryAfterSeconds: 1 }, error);
  if (hasCode(error)) {
    if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
      return requestErrors.body_too_large({ limit: bodyLimitBytes }, error);
    const known = fromFramework[error.code];
    if (known !== undefined) return known('');
  }
  if (isOwnerGone(error)) return requestErrors.not_found({}, error);
  if (isTooLong(error)) return requestErrors.took_too_long({ seconds: statementSeconds }, error);
  if (isUnavailable(error)) return requestErrors.unavailable({}, error);
  return requestErrors.internal({}, error);
}

export const errorBody = ({ code, status, message }: ApiError) => ({ error: code, code: status, message });

interface SandboxSubject {
  readonly name: string | undefined;
  readonly workspace: string | undefined;
  readonly now: Date;
}

/** Creating a sandbox has its own error format; control-plane sheet 2.8. */
export const sandboxErrorBody = (error: ApiError, { name, workspace, now }: SandboxSubject) => ({
  code: sandboxCodes[error.code] ?? error.code.toUpperCase(),
  message: error.message,
  ...(error.code === 'creation_in_progress' ? { reason: 'CREATION_IN_PROGRESS' } : {}),
  status_code: error.status,
  step: 'validate_and_prepare',
  timestamp: now.toISOString(),
  ...(Object.keys(error.details).length === 0 ? {} : { details: error.details }),
  ...(name === undefined ? {} : { sandbox_name: name }),
  ...(workspace === undefined ? {} : { workspace }),
});

const sandboxCodes: Readonly<Record<string, string>> = {
  already_exists: 'SANDBOX_ALREADY_EXISTS',
  // Same code as for an existing sandbox, for clients that check only the code; the `reason` field marks a creation in
  // progress, so that a client can wait for it.
  creation_in_progress: 'SANDBOX_ALREADY_EXISTS',
  image_required: 'INVALID_IMAGE',
  quota_exceeded: 'QUOTA_EXCEEDED',
};
