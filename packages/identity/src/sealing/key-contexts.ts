// Contexts that wrapped keys and sealed values are bound to: one that is copied to another row does not open.

export const workspaceKeyContext = (workspaceId: string): string => `workspace-key.${workspaceId}`;
export const deploymentKeyContext = (purpose: string): string => `deployment-key.${purpose}`;

/** Of the secrets in the spec of a resource. */
export const secretContext = (resourceUid: string): string => `resource ${resourceUid}`;
