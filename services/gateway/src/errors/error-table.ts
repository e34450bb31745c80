// Table of all errors that the gateway answers itself. Control-plane sheet 4.12; docs/gateway-errors.md holds the same
// table.

export interface ErrorEntry {
  readonly status: number;
  readonly retryable: boolean;
  readonly message: string;
  /** The next step for the caller; `doNot` names a step that would not help. */
  readonly action: string;
  readonly doNot: string;
  /** Nothing of the request has reached a workload, so the client may send it again. */
  readonly isNotDispatched?: true;
}

export const gatewayErrors = {
  ROUTE_NOT_FOUND: {
    status: 404,
    retryable: false,
    message: 'No workload answers at an address of this form.',
    action:
      'Use the address in metadata.url of the workload, or /{workspace}/{agents, functions, models or sandboxes}/{name} or /{workspace}/{path of a trigger} at a host name of the gateway itself, which its operator lists as gateway.hosts.',
    doNot: 'Do not retry the same address.',
  },
  WORKLOAD_NOT_FOUND: {
    status: 404,
    retryable: false,
    message: 'There is no such workload, or the credential does not reach its workspace.',
    action: 'Check the names of the workspace and the workload, and whose credential is sent.',
    doNot: 'Do not retry without a change.',
  },
  WORKSPACE_NOT_FOUND: {
    status: 404,
    retryable: false,
    message: 'There is no such workspace, or the credential does not reach it.',
    action: 'Check the name of the workspace, and whose credential is sent.',
    doNot: 'Do not retry without a change.',
  },
  TASK_DATA_NOT_FOUND: {
    status: 404,
    retryable: false,
    message: 'The execution has ended, or the address of the task arguments is wrong.',
    action: 'Read the address as the task was given it, with GET, while its execution runs.',
    doNot: 'Do not retry the same address.',
  },
  WORKLOAD_UNAVAILABLE: {
    status: 503,
    retryable: true,
    message: 'No instance of the workload could take the request.',
    action: 'Send the request again after the time in Retry-After.',
    doNot: 'Do not create the workload anew.',
    isNotDispatched: true,
  },
  PORT_UNREACHABLE: {
    status: 502,
    retryable: true,
    message: 'Nothing listens on that port of the sandbox.',
    action:
      'Start the server, let it listen on 0.0.0.0 or :: instead of a loopback address, and send the request again.',
    doNot: 'Do not create the sandbox anew.',
    isNotDispatched: true,
  },
  PLATFORM_UNAVAILABLE: {
    status: 503,
    retryable: true,
    message: 'The platform cannot look up the caller or the workload right now.',
    action: 'Send the request again after the time in Retry-After.',
    doNot: 'Do not replace the credential: it was not judged.',
    isNotDispatched: true,
  },
  RATE_LIMITED: {
    status: 429,
    retryable: true,
    message: 'More requests came with this key, or from this address, than the gateway takes in a second.',
    action: 'Send the request again after the time in Retry-After, and fewer at once.',
    doNot: 'Do not retry at once: every try counts.',
    isNotDispatched: true,
  },
  LOOKUPS_BUSY: {
    status: 429,
    retryable: true,
    message:
      'Too many requests with keys, tokens or addresses that this gateway does not know yet are being looked up at once.',
    action: 'Send the request again after the time in Retry-After.',
    doNot: 'Do not replace the credential: it was not judged.',
    isNotDispatched: true,
  },
  AUTHENTICATION_REQUIRED: {
    status: 401,
    retryable: false,
    message: 'No credential was given.',
    action: 'Send an API key as "Authorization: Bearer <key>".',
    doNot: 'Do not put the key into the address.',
  },
  AUTHENTICATION_FAILED: {
    status: 401,
    retryable: false,
    message: 'The credential is malformed, unknown, expired or revoked.',
    action: 'Send a valid API key as "Authorization: Bearer <key>".',
    doNot: 'Do not retry with the same credential.',
  },
  FORBIDDEN: {
    status: 403,
    retryable: false,
    message: 'The credential may not do this.',
    action: 'Use a credential that may, or ask an admin of the workspace.',
    doNot: 'Do not retry with the same credential.',
  },
  BAD_REQUEST: {
    status: 400,
    retryable: false,
    message: 'The request is malformed.',
    action: 'Correct the request as the message says.',
    doNot: 'Do not retry without a change.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    retryable: false,
    message: 'The address does not take this method.',
    action: 'Use a method that the header Allow names.',
    doNot: 'Do not retry with the same method.',
  },
  QUOTA_EXCEEDED: {
    status: 429,
    retryable: false,
    message: 'The account has no room left in its limit execution_bytes. Nothing was started.',
    action:
      'Send the request again once older executions have expired, or let the owner ask the operator for a higher limit.',
    doNot: 'Do not retry at once.',
  },
  USAGE_LIMIT_EXCEEDED: {
    status: 402,
    retryable: false,
    message: 'The limit of the account is used up.',
    action: 'Raise the limit, or wait until it starts anew.',
    doNot: 'Do not retry until the limit has changed.',
  },
  POLICY_VIOLATION: {
    status: 403,
    retryable: false,
    message: 'A policy of the workspace does not allow this request.',
    action: 'Change the request, or ask an admin of the workspace to change the policy.',
    doNot: 'Do not retry without a change.',
  },
  REQUEST_ENTITY_TOO_LARGE: {
    status: 413,
    retryable: false,
    message: 'The request body is larger than this address takes.',
    action: 'Send less in one request, or upload it in parts.',
    doNot: 'Do not retry with the same body.',
  },
  REQUEST_HEADERS_TOO_LARGE: {
    status: 431,
    retryable: false,
    message: 'The address and headers are too large together.',
    action: 'Send less in them.',
    doNot: 'Do not retry with the same headers.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    retryable: true,
    message: 'The request did not arrive in time.',
    action: 'Send the request again.',
    doNot: 'Do not pause for long while sending.',
  },
  WORKLOAD_CONNECTION_LOST: {
    status: 502,
    retryable: false,
    message: 'The connection to the workload broke before it had answered.',
    action: 'Find out whether the request had an effect before it is sent again; the logs of the workload tell.',
    doNot: 'Do not retry blindly: the workload may have acted on the request.',
  },
  WORKLOAD_TIMEOUT: {
    status: 504,
    retryable: false,
    message: 'The workload did not answer in time.',
    action: 'Answer piece by piece, or call the workload asynchronously.',
    doNot: 'Do not retry blindly: the workload may still be at work on the request.',
  },
  MODEL_NOT_CALLABLE: {
    status: 503,
    retryable: false,
    message: 'The model cannot be called as it is set up.',
    action: 'Let an admin of the workspace correct the model or its connection, as the message says.',
    doNot: 'Do not retry until it is corrected.',
  },
  PROVIDER_UNREACHABLE: {
    status: 502,
    retryable: true,
    message: 'The provider of the model gave no answer.',
    action: 'Send the request again later, or add another connection to the model.',
    doNot: 'Do not replace the credential: it was accepted.',
  },
  PROVIDER_TIMEOUT: {
    status: 504,
    retryable: true,
    message: 'The provider of the model did not begin an answer in time.',
    action: 'Ask for a stream, which begins at once, or send the request again.',
    doNot: 'Do not retry at once: the provider may still be at work, and count the tokens.',
  },
  INTERNAL_ERROR: {
    status: 500,
    retryable: false,
    message: 'Something went wrong on our side.',
    action: 'Report the request id if it persists.',
    doNot: 'Do not retry blindly: the workload may have acted on the request.',
  },
} as const satisfies Readonly<Record<string, ErrorEntry>>;

export type GatewayCode = keyof typeof gatewayErrors;
