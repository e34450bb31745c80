// Routes of the API inside every sandbox, as data. No schema is imported here: the guest reads this table when it
// starts, and loads everything else when a route is first called.

export type GuestMethod = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';

export type GuestRoute = {
  id: string;
  method: GuestMethod;
  /**
   * `{name}` matches one segment. `{path*}` at the end matches the rest of the raw path with the separator before it,
   * which may be missing, doubled or percent-encoded: these forms differ in meaning.
   */
  path: string;
};

/** In order of precedence: `/filesystem/tree` before `/filesystem/{path*}`. */
export const guestRoutes = [
  { id: 'treeRead', method: 'GET', path: '/filesystem/tree{path*}' },
  { id: 'treeWrite', method: 'PUT', path: '/filesystem/tree{path*}' },
  { id: 'treeDelete', method: 'DELETE', path: '/filesystem/tree{path*}' },
  { id: 'fileRead', method: 'GET', path: '/filesystem{path*}' },
  { id: 'fileWrite', method: 'PUT', path: '/filesystem{path*}' },
  { id: 'fileDelete', method: 'DELETE', path: '/filesystem{path*}' },
  { id: 'uploadList', method: 'GET', path: '/filesystem-multipart' },
  { id: 'uploadInitiate', method: 'POST', path: '/filesystem-multipart/initiate{path*}' },
  { id: 'uploadPart', method: 'PUT', path: '/filesystem-multipart/{uploadId}/part' },
  { id: 'uploadParts', method: 'GET', path: '/filesystem-multipart/{uploadId}/parts' },
  { id: 'uploadComplete', method: 'POST', path: '/filesystem-multipart/{uploadId}/complete' },
  { id: 'uploadAbort', method: 'DELETE', path: '/filesystem-multipart/{uploadId}/abort' },
  { id: 'find', method: 'GET', path: '/filesystem-find{path*}' },
  { id: 'fuzzySearch', method: 'GET', path: '/filesystem-search{path*}' },
  { id: 'contentSearch', method: 'GET', path: '/filesystem-content-search{path*}' },
  { id: 'watch', method: 'GET', path: '/watch/filesystem{path*}' },
  { id: 'processList', method: 'GET', path: '/process' },
  { id: 'processStart', method: 'POST', path: '/process' },
  { id: 'processGet', method: 'GET', path: '/process/{identifier}' },
  { id: 'processStop', method: 'DELETE', path: '/process/{identifier}' },
  { id: 'processKill', method: 'DELETE', path: '/process/{identifier}/kill' },
  { id: 'processLogs', method: 'GET', path: '/process/{identifier}/logs' },
  { id: 'processOutput', method: 'GET', path: '/process/{identifier}/output' },
  { id: 'processLogStream', method: 'GET', path: '/process/{identifier}/logs/stream' },
  { id: 'processInput', method: 'POST', path: '/process/{identifier}/stdin' },
  { id: 'processSignal', method: 'POST', path: '/process/{identifier}/signal' },
  { id: 'portList', method: 'GET', path: '/network/process/{pid}/ports' },
  { id: 'portMonitor', method: 'POST', path: '/network/process/{pid}/monitor' },
  { id: 'portMonitorEnd', method: 'DELETE', path: '/network/process/{pid}/monitor' },
  { id: 'tunnelConfigure', method: 'PUT', path: '/network/tunnel/config' },
  { id: 'tunnelEnd', method: 'DELETE', path: '/network/tunnel' },
  { id: 'driveList', method: 'GET', path: '/drives/mount' },
  { id: 'driveMount', method: 'POST', path: '/drives/mount' },
  { id: 'driveUnmount', method: 'DELETE', path: '/drives/mount{path*}' },
  { id: 'codeApply', method: 'PUT', path: '/codegen/fastapply{path*}' },
  { id: 'codeRank', method: 'GET', path: '/codegen/reranking{path*}' },
  { id: 'terminalPage', method: 'GET', path: '/terminal' },
  { id: 'terminalSocket', method: 'GET', path: '/terminal/ws' },
  { id: 'health', method: 'GET', path: '/health' },
  { id: 'stats', method: 'GET', path: '/stats' },
  { id: 'upgrade', method: 'POST', path: '/upgrade' },
  { id: 'environmentReload', method: 'POST', path: '/environment/reload' },
  { id: 'mcp', method: 'POST', path: '/mcp' },
  { id: 'mcpStream', method: 'GET', path: '/mcp' },
  { id: 'apiDescription', method: 'GET', path: '/swagger{path*}' },
  { id: 'welcome', method: 'GET', path: '/' },
  { id: 'welcomePost', method: 'POST', path: '/' },
  { id: 'welcomePut', method: 'PUT', path: '/' },
  { id: 'welcomeDelete', method: 'DELETE', path: '/' },
  { id: 'welcomePatch', method: 'PATCH', path: '/' },
  // Control routes: signed by the runner, refused to all other callers.
  { id: 'controlState', method: 'GET', path: '/control/v1/state' },
  { id: 'controlEnvironment', method: 'PUT', path: '/control/v1/environment' },
  { id: 'controlQuiesce', method: 'POST', path: '/control/v1/quiesce' },
  { id: 'controlRehearse', method: 'POST', path: '/control/v1/rehearse' },
] as const satisfies readonly GuestRoute[];

export type GuestRouteId = (typeof guestRoutes)[number]['id'];
