/** Path of task arguments at a gateway, before the token. No workspace name begins with `-`. */
export const taskDataPath = '/-/tasks/';

/** Address at which a task reads its arguments. `gatewayUrl` has no path. */
export const taskDataUrl = (gatewayUrl: string, token: string): string =>
  new URL(`${taskDataPath}${token}`, gatewayUrl).href;
