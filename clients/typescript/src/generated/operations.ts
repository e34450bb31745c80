// Operations of the management API. Written by `pnpm clients`.

import type * as t from './management.ts';

export interface OperationShape {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** The path stands behind the host, without the prefix of the API. */
  readonly isAtRoot?: true;
  /** No credential is sent. */
  readonly isPublic?: true;
}

export const operations = {
  cancelJobExecution: { method: 'DELETE', path: '/jobs/{jobId}/executions/{executionId}' },
  checkWorkspaceAvailability: { method: 'POST', path: '/workspaces/availability' },
  createAgent: { method: 'POST', path: '/agents' },
  createApplication: { method: 'POST', path: '/applications' },
  createApplicationCustomDomain: { method: 'POST', path: '/applications/{applicationName}/customdomains' },
  createCustomDomain: { method: 'POST', path: '/customdomains' },
  createDrive: { method: 'POST', path: '/drives' },
  createDriveAccessToken: { method: 'POST', path: '/drives/{driveName}/access-token' },
  createEgressGateway: { method: 'POST', path: '/vpcs/{vpcName}/egressgateways' },
  createEgressIP: { method: 'POST', path: '/vpcs/{vpcName}/egressgateways/{gatewayName}/ips' },
  createFunction: { method: 'POST', path: '/functions' },
  createImage: { method: 'POST', path: '/images' },
  createIntegrationConnection: { method: 'POST', path: '/integrations/connections' },
  createJob: { method: 'POST', path: '/jobs' },
  createJobExecution: { method: 'POST', path: '/jobs/{jobId}/executions' },
  createJobExecutionByAddress: { method: 'POST', path: '/{workspace}/jobs/{job}/executions', isAtRoot: true },
  createModel: { method: 'POST', path: '/models' },
  createPolicy: { method: 'POST', path: '/policies' },
  createPreview: { method: 'POST', path: '/sandboxes/{sandboxName}/previews' },
  createPreviewToken: { method: 'POST', path: '/sandboxes/{sandboxName}/previews/{previewName}/tokens' },
  createProfileKey: { method: 'POST', path: '/profile/api_keys' },
  createSandbox: { method: 'POST', path: '/sandboxes' },
  createServiceAccount: { method: 'POST', path: '/service_accounts' },
  createServiceAccountKey: { method: 'POST', path: '/service_accounts/{clientId}/api_keys' },
  createVPC: { method: 'POST', path: '/vpcs' },
  createVolume: { method: 'POST', path: '/volumes' },
  createVolumeTemplate: { method: 'POST', path: '/volume_templates' },
  createWorkspace: { method: 'POST', path: '/workspaces' },
  declineWorkspace: { method: 'POST', path: '/workspaces/{workspaceName}/decline' },
  deleteAgent: { method: 'DELETE', path: '/agents/{agentName}' },
  deleteApplication: { method: 'DELETE', path: '/applications/{applicationName}' },
  deleteBudget: { method: 'DELETE', path: '/accounts/{accountId}/budgets/{budgetName}' },
  deleteCustomDomain: { method: 'DELETE', path: '/customdomains/{domainName}' },
  deleteDrive: { method: 'DELETE', path: '/drives/{driveName}' },
  deleteEgressGateway: { method: 'DELETE', path: '/vpcs/{vpcName}/egressgateways/{gatewayName}' },
  deleteEgressIP: { method: 'DELETE', path: '/vpcs/{vpcName}/egressgateways/{gatewayName}/ips/{ipName}' },
  deleteFunction: { method: 'DELETE', path: '/functions/{functionName}' },
  deleteImage: { method: 'DELETE', path: '/images/{resourceType}/{imageName}' },
  deleteImageTag: { method: 'DELETE', path: '/images/{resourceType}/{imageName}/tags/{tagName}' },
  deleteIntegrationConnection: { method: 'DELETE', path: '/integrations/connections/{connectionName}' },
  deleteJob: { method: 'DELETE', path: '/jobs/{jobId}' },
  deleteModel: { method: 'DELETE', path: '/models/{modelName}' },
  deletePolicy: { method: 'DELETE', path: '/policies/{policyName}' },
  deletePreview: { method: 'DELETE', path: '/sandboxes/{sandboxName}/previews/{previewName}' },
  deletePreviewToken: { method: 'DELETE', path: '/sandboxes/{sandboxName}/previews/{previewName}/tokens/{tokenName}' },
  deleteProfileKey: { method: 'DELETE', path: '/profile/api_keys/{apiKeyId}' },
  deleteSandbox: { method: 'DELETE', path: '/sandboxes/{sandboxName}' },
  deleteServiceAccount: { method: 'DELETE', path: '/service_accounts/{clientId}' },
  deleteServiceAccountKey: { method: 'DELETE', path: '/service_accounts/{clientId}/api_keys/{apiKeyId}' },
  deleteUnusedImages: { method: 'DELETE', path: '/images' },
  deleteVPC: { method: 'DELETE', path: '/vpcs/{vpcName}' },
  deleteVolume: { method: 'DELETE', path: '/volumes/{volumeName}' },
  deleteVolumeTemplate: { method: 'DELETE', path: '/volume_templates/{volumeTemplateName}' },
  deleteVolumeTemplateVersion: { method: 'DELETE', path: '/volume_templates/{volumeTemplateName}/versions/{versionName}' },
  deleteWorkspace: { method: 'DELETE', path: '/workspaces/{workspaceName}' },
  followLogs: { method: 'GET', path: '/observability/logs/follow' },
  getAccount: { method: 'GET', path: '/accounts/{accountId}' },
  getAccountMetrics: { method: 'GET', path: '/accounts/{accountId}/metrics' },
  getAgent: { method: 'GET', path: '/agents/{agentName}' },
  getApplication: { method: 'GET', path: '/applications/{applicationName}' },
  getBudget: { method: 'GET', path: '/accounts/{accountId}/budgets/{budgetName}' },
  getChangelog: { method: 'GET', path: '/changelog', isPublic: true },
  getConfiguration: { method: 'GET', path: '/configuration' },
  getConnectionModel: { method: 'GET', path: '/integrations/connections/{connectionName}/models/{modelId}' },
  getCurrentUsage: { method: 'GET', path: '/accounts/{accountId}/usage/current' },
  getCustomDomain: { method: 'GET', path: '/customdomains/{domainName}' },
  getDelivery: { method: 'GET', path: '/deliveries/{deliveryId}' },
  getDiscovery: { method: 'GET', path: '/.well-known/berth', isAtRoot: true, isPublic: true },
  getDrive: { method: 'GET', path: '/drives/{driveName}' },
  getDriveByExternalId: { method: 'GET', path: '/drives/by-external-id/{externalId}' },
  getDriveKeys: { method: 'GET', path: '/drives/jwks.json', isPublic: true },
  getEgressGateway: { method: 'GET', path: '/vpcs/{vpcName}/egressgateways/{gatewayName}' },
  getEgressGatewayUsage: { method: 'GET', path: '/egressgateways/usage' },
  getEgressIP: { method: 'GET', path: '/vpcs/{vpcName}/egressgateways/{gatewayName}/ips/{ipName}' },
  getFeature: { method: 'GET', path: '/features/{featureKey}' },
  getFunction: { method: 'GET', path: '/functions/{functionName}' },
  getImage: { method: 'GET', path: '/images/{resourceType}/{imageName}' },
  getIntegration: { method: 'GET', path: '/integrations/{integrationName}' },
  getIntegrationConnection: { method: 'GET', path: '/integrations/connections/{connectionName}' },
  getInvocation: { method: 'GET', path: '/agents/{agentName}/invocations/{invocationId}' },
  getJob: { method: 'GET', path: '/jobs/{jobId}' },
  getJobExecution: { method: 'GET', path: '/jobs/{jobId}/executions/{executionId}' },
  getModel: { method: 'GET', path: '/models/{modelName}' },
  getPolicy: { method: 'GET', path: '/policies/{policyName}' },
  getPreview: { method: 'GET', path: '/sandboxes/{sandboxName}/previews/{previewName}' },
  getSandbox: { method: 'GET', path: '/sandboxes/{sandboxName}' },
  getSandboxByExternalId: { method: 'GET', path: '/sandboxes/by-external-id/{externalId}' },
  getStatement: { method: 'GET', path: '/accounts/{accountId}/statements/{month}' },
  getTemplate: { method: 'GET', path: '/templates/{templateName}' },
  getVPC: { method: 'GET', path: '/vpcs/{vpcName}' },
  getVolume: { method: 'GET', path: '/volumes/{volumeName}' },
  getVolumeByExternalId: { method: 'GET', path: '/volumes/by-external-id/{externalId}' },
  getVolumeTemplate: { method: 'GET', path: '/volume_templates/{volumeTemplateName}' },
  getWorkspace: { method: 'GET', path: '/workspaces/{workspaceName}' },
  inviteUser: { method: 'POST', path: '/users' },
  joinWorkspace: { method: 'POST', path: '/workspaces/{workspaceName}/join' },
  leaveWorkspace: { method: 'DELETE', path: '/workspaces/{workspaceName}/leave' },
  listAccountAudit: { method: 'GET', path: '/accounts/{accountId}/audit' },
  listAccountQuotas: { method: 'GET', path: '/quotas/account/{accountId}' },
  listAccounts: { method: 'GET', path: '/accounts' },
  listAgentRevisions: { method: 'GET', path: '/agents/{agentName}/revisions' },
  listAgents: { method: 'GET', path: '/agents' },
  listAllEgressGateways: { method: 'GET', path: '/egressgateways' },
  listAllEgressIps: { method: 'GET', path: '/egressips' },
  listApplicationRevisions: { method: 'GET', path: '/applications/{applicationName}/revisions' },
  listApplications: { method: 'GET', path: '/applications' },
  listAudit: { method: 'GET', path: '/audit' },
  listBudgets: { method: 'GET', path: '/accounts/{accountId}/budgets' },
  listConnectionEndpoints: { method: 'GET', path: '/integrations/connections/{connectionName}/endpointConfigurations' },
  listConnectionModels: { method: 'GET', path: '/integrations/connections/{connectionName}/models' },
  listCustomDomains: { method: 'GET', path: '/customdomains' },
  listDeliveries: { method: 'GET', path: '/deliveries' },
  listDrives: { method: 'GET', path: '/drives' },
  listEgressGateways: { method: 'GET', path: '/vpcs/{vpcName}/egressgateways' },
  listEgressIPs: { method: 'GET', path: '/vpcs/{vpcName}/egressgateways/{gatewayName}/ips' },
  listFeatures: { method: 'GET', path: '/features' },
  listFunctionRevisions: { method: 'GET', path: '/functions/{functionName}/revisions' },
  listFunctions: { method: 'GET', path: '/functions' },
  listImages: { method: 'GET', path: '/images' },
  listIntegrationConnections: { method: 'GET', path: '/integrations/connections' },
  listInvitations: { method: 'GET', path: '/profile/invitations' },
  listInvocations: { method: 'GET', path: '/agents/{agentName}/invocations' },
  listJobExecutionTasks: { method: 'GET', path: '/jobs/{jobId}/executions/{executionId}/tasks' },
  listJobExecutions: { method: 'GET', path: '/jobs/{jobId}/executions' },
  listJobRevisions: { method: 'GET', path: '/jobs/{jobId}/revisions' },
  listJobs: { method: 'GET', path: '/jobs' },
  listLocations: { method: 'GET', path: '/locations' },
  listLogs: { method: 'GET', path: '/observability/logs' },
  listMcpHub: { method: 'GET', path: '/mcp/hub' },
  listMetricsGroups: { method: 'GET', path: '/accounts/{accountId}/metrics/enums/group-by' },
  listMetricsResourceTypes: { method: 'GET', path: '/accounts/{accountId}/metrics/enums/resource-types' },
  listModelRevisions: { method: 'GET', path: '/models/{modelName}/revisions' },
  listModels: { method: 'GET', path: '/models' },
  listPolicies: { method: 'GET', path: '/policies' },
  listPolicyUsages: { method: 'GET', path: '/policies/{policyName}/usages' },
  listPreviewTokens: { method: 'GET', path: '/sandboxes/{sandboxName}/previews/{previewName}/tokens' },
  listPreviews: { method: 'GET', path: '/sandboxes/{sandboxName}/previews' },
  listProfileKeys: { method: 'GET', path: '/profile/api_keys' },
  listPublicIps: { method: 'GET', path: '/publicIps' },
  listRequestMetrics: { method: 'GET', path: '/observability/metrics' },
  listSandboxHub: { method: 'GET', path: '/sandbox/hub' },
  listSandboxes: { method: 'GET', path: '/sandboxes' },
  listServiceAccountKeys: { method: 'GET', path: '/service_accounts/{clientId}/api_keys' },
  listServiceAccounts: { method: 'GET', path: '/service_accounts' },
  listStatements: { method: 'GET', path: '/accounts/{accountId}/statements' },
  listTemplateFiles: { method: 'GET', path: '/templates/{templateName}/files' },
  listTemplates: { method: 'GET', path: '/templates' },
  listUsers: { method: 'GET', path: '/users' },
  listVPCs: { method: 'GET', path: '/vpcs' },
  listVolumeTemplates: { method: 'GET', path: '/volume_templates' },
  listVolumes: { method: 'GET', path: '/volumes' },
  listWorkspaces: { method: 'GET', path: '/workspaces' },
  putBudget: { method: 'PUT', path: '/accounts/{accountId}/budgets/{budgetName}' },
  removeUser: { method: 'DELETE', path: '/users/{subOrEmail}' },
  replayDelivery: { method: 'POST', path: '/deliveries/{deliveryId}/replay' },
  startSandbox: { method: 'PUT', path: '/sandboxes/{sandboxName}/start' },
  stopSandbox: { method: 'PUT', path: '/sandboxes/{sandboxName}/stop' },
  updateAgent: { method: 'PUT', path: '/agents/{agentName}' },
  updateApplication: { method: 'PUT', path: '/applications/{applicationName}' },
  updateCustomDomain: { method: 'PUT', path: '/customdomains/{domainName}' },
  updateDrive: { method: 'PUT', path: '/drives/{driveName}' },
  updateFunction: { method: 'PUT', path: '/functions/{functionName}' },
  updateIntegrationConnection: { method: 'PUT', path: '/integrations/connections/{connectionName}' },
  updateJob: { method: 'PUT', path: '/jobs/{jobId}' },
  updateModel: { method: 'PUT', path: '/models/{modelName}' },
  updatePolicy: { method: 'PUT', path: '/policies/{policyName}' },
  updatePreview: { method: 'PUT', path: '/sandboxes/{sandboxName}/previews/{previewName}' },
  updateSandbox: { method: 'PUT', path: '/sandboxes/{sandboxName}' },
  updateServiceAccount: { method: 'PUT', path: '/service_accounts/{clientId}' },
  updateUserRole: { method: 'PUT', path: '/users/{subOrEmail}' },
  updateVolume: { method: 'PUT', path: '/volumes/{volumeName}' },
  updateVolumeTemplate: { method: 'PUT', path: '/volume_templates/{volumeTemplateName}' },
  updateWorkspace: { method: 'PUT', path: '/workspaces/{workspaceName}' },
  verifyCustomDomain: { method: 'POST', path: '/customdomains/{domainName}/verify' },
} as const satisfies Readonly<Record<string, OperationShape>>;

export interface Operations {
  /** Cancel an execution; its record stays */
  cancelJobExecution: {
    given: {
      params: { jobId: string; executionId: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.JobExecution;
  };
  /** Ask whether a workspace name is free */
  checkWorkspaceAvailability: {
    given: {
      query?: { withReason?: boolean | undefined } | undefined;
      body: t.CheckWorkspaceAvailabilityBody;
    };
    answer: boolean | t.WorkspaceAvailability;
  };
  /** Create an agent */
  createAgent: {
    given: {
      query?: { workspace?: string | undefined; upload?: boolean | undefined } | undefined;
      body: t.AgentInput;
    };
    answer: t.Agent;
  };
  /** Create an application */
  createApplication: {
    given: {
      query?: { workspace?: string | undefined; upload?: boolean | undefined } | undefined;
      body: t.ApplicationInput;
    };
    answer: t.Application;
  };
  /** Register a custom domain for an application */
  createApplicationCustomDomain: {
    given: {
      params: { applicationName: string };
      query?: { workspace?: string | undefined } | undefined;
      body: t.CustomDomainInput;
    };
    answer: t.CustomDomain;
  };
  /** Create a custom domain */
  createCustomDomain: {
    given: {
      query?: { workspace?: string | undefined } | undefined;
      body: t.CustomDomainInput;
    };
    answer: t.CustomDomain;
  };
  /** Create a drive */
  createDrive: {
    given: {
      query?: { workspace?: string | undefined } | undefined;
      body: t.DriveInput;
    };
    answer: t.Drive;
  };
  /** Issue a short-lived token for one drive */
  createDriveAccessToken: {
    given: {
      params: { driveName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.DriveAccessToken;
  };
  /** Create an egress gateway */
  createEgressGateway: {
    given: {
      params: { vpcName: string };
      query?: { workspace?: string | undefined } | undefined;
      body: t.EgressGatewayInput;
    };
    answer: t.EgressGateway;
  };
  /** Create an egress ip */
  createEgressIP: {
    given: {
      params: { vpcName: string; gatewayName: string };
      query?: { workspace?: string | undefined } | undefined;
      body: t.EgressIPInput;
    };
    answer: t.EgressIP;
  };
  /** Create a function */
  createFunction: {
    given: {
      query?: { workspace?: string | undefined; upload?: boolean | undefined } | undefined;
      body: t.FunctionInput;
    };
    answer: t.Function;
  };
  /** Register an image of an outside registry */
  createImage: {
    given: {
      query?: { workspace?: string | undefined; upload?: boolean | undefined; 'skip-build'?: boolean | undefined } | undefined;
      body: t.ImageInput;
    };
    answer: t.ImageRegistered;
  };
  /** Create an integration connection */
  createIntegrationConnection: {
    given: {
      query?: { workspace?: string | undefined } | undefined;
      body: t.IntegrationConnectionInput;
    };
    answer: t.IntegrationConnection;
  };
  /** Create a job */
  createJob: {
    given: {
      query?: { workspace?: string | undefined; upload?: boolean | undefined } | undefined;
      body: t.JobInput;
    };
    answer: t.Job;
  };
  /** Start an execution of a job */
  createJobExecution: {
    given: {
      params: { jobId: string };
      query?: { workspace?: string | undefined } | undefined;
      body: t.CreateJobExecutionRequest;
    };
    answer: t.CreateJobExecutionOutput;
  };
  /** Start an execution of a job */
  createJobExecutionByAddress: {
    given: {
      params: { workspace: string; job: string };
      body: t.CreateJobExecutionRequest;
    };
    answer: t.CreateJobExecutionOutput;
  };
  /** Create a model */
  createModel: {
    given: {
      query?: { workspace?: string | undefined } | undefined;
      body: t.ModelInput;
    };
    answer: t.Model;
  };
  /** Create a policy */
  createPolicy: {
    given: {
      query?: { workspace?: string | undefined } | undefined;
      body: t.PolicyInput;
    };
    answer: t.Policy;
  };
  /** Create a preview */
  createPreview: {
    given: {
      params: { sandboxName: string };
      query?: { workspace?: string | undefined; force?: boolean | undefined } | undefined;
      body: t.PreviewInput;
    };
    answer: t.Preview;
  };
  /** Create a token that opens a private preview */
  createPreviewToken: {
    given: {
      params: { sandboxName: string; previewName: string };
      query?: { workspace?: string | undefined } | undefined;
      body: t.PreviewTokenInput;
    };
    answer: t.PreviewToken;
  };
  /** Create an API key for the caller; its value is shown once */
  createProfileKey: {
    given: {
      body: t.ApiKeyInput;
    };
    answer: t.ApiKeyWithValue;
  };
  /** Create a sandbox */
  createSandbox: {
    given: {
      query?: { workspace?: string | undefined; upload?: boolean | undefined; createIfNotExist?: boolean | undefined } | undefined;
      body: t.SandboxInput;
    };
    answer: t.Sandbox;
  };
  /** Create a service account; its secret is shown once */
  createServiceAccount: {
    given: {
      query?: { workspace?: string | undefined } | undefined;
      body: t.CreateServiceAccountBody;
    };
    answer: t.ServiceAccountWithSecret;
  };
  /** Create an API key for a service account; its value is shown once */
  createServiceAccountKey: {
    given: {
      params: { clientId: string };
      query?: { workspace?: string | undefined } | undefined;
      body: t.ApiKeyInput;
    };
    answer: t.ApiKeyWithValue;
  };
  /** Create a vpc */
  createVPC: {
    given: {
      query?: { workspace?: string | undefined } | undefined;
      body: t.VPCInput;
    };
    answer: t.VPC;
  };
  /** Create a volume */
  createVolume: {
    given: {
      query?: { workspace?: string | undefined } | undefined;
      body: t.VolumeInput;
    };
    answer: t.Volume;
  };
  /** Create a volume template */
  createVolumeTemplate: {
    given: {
      query?: { workspace?: string | undefined; upload?: boolean | undefined; version?: string | undefined } | undefined;
      body: t.VolumeTemplateInput;
    };
    answer: t.VolumeTemplate;
  };
  /** Create a workspace, with the caller as its admin */
  createWorkspace: {
    given: {
      body: t.WorkspaceInput;
    };
    answer: t.Workspace;
  };
  /** Decline an invitation */
  declineWorkspace: {
    given: {
      params: { workspaceName: string };
    };
    answer: t.PendingInvitation;
  };
  /** Delete an agent */
  deleteAgent: {
    given: {
      params: { agentName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.Agent;
  };
  /** Delete an application */
  deleteApplication: {
    given: {
      params: { applicationName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.Application;
  };
  /** Delete a budget with its alerts and with callbacks that wait */
  deleteBudget: {
    given: {
      params: { accountId: string; budgetName: string };
    };
    answer: t.BudgetSettings;
  };
  /** Delete a custom domain */
  deleteCustomDomain: {
    given: {
      params: { domainName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.CustomDomain;
  };
  /** Delete a drive */
  deleteDrive: {
    given: {
      params: { driveName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.DeleteDriveAnswer;
  };
  /** Delete an egress gateway */
  deleteEgressGateway: {
    given: {
      params: { vpcName: string; gatewayName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.EgressGateway;
  };
  /** Delete an egress ip */
  deleteEgressIP: {
    given: {
      params: { vpcName: string; gatewayName: string; ipName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.EgressIP;
  };
  /** Delete a function */
  deleteFunction: {
    given: {
      params: { functionName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.Function;
  };
  /** Delete an image with all its tags */
  deleteImage: {
    given: {
      params: { resourceType: string; imageName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.Image;
  };
  /** Delete one tag of an image */
  deleteImageTag: {
    given: {
      params: { resourceType: string; imageName: string; tagName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.Image;
  };
  /** Delete an integration connection */
  deleteIntegrationConnection: {
    given: {
      params: { connectionName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.IntegrationConnection;
  };
  /** Delete a job */
  deleteJob: {
    given: {
      params: { jobId: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.Job;
  };
  /** Delete a model */
  deleteModel: {
    given: {
      params: { modelName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.Model;
  };
  /** Delete a policy */
  deletePolicy: {
    given: {
      params: { policyName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.Policy;
  };
  /** Delete a preview */
  deletePreview: {
    given: {
      params: { sandboxName: string; previewName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.Preview;
  };
  /** Delete a token of a preview, named by its name or its value */
  deletePreviewToken: {
    given: {
      params: { sandboxName: string; previewName: string; tokenName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.PreviewTokenDeleted;
  };
  /** Revoke one of the caller's API keys */
  deleteProfileKey: {
    given: {
      params: { apiKeyId: string };
    };
    answer: undefined;
  };
  /** Delete a sandbox */
  deleteSandbox: {
    given: {
      params: { sandboxName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.Sandbox;
  };
  /** Delete a service account and its credentials */
  deleteServiceAccount: {
    given: {
      params: { clientId: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.ServiceAccount;
  };
  /** Revoke an API key of a service account */
  deleteServiceAccountKey: {
    given: {
      params: { clientId: string; apiKeyId: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: undefined;
  };
  /** Delete the images that no workload refers to */
  deleteUnusedImages: {
    given: {
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.DeleteUnusedImagesAnswer;
  };
  /** Delete a vpc */
  deleteVPC: {
    given: {
      params: { vpcName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.VPC;
  };
  /** Delete a volume */
  deleteVolume: {
    given: {
      params: { volumeName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.Volume;
  };
  /** Delete a volume template */
  deleteVolumeTemplate: {
    given: {
      params: { volumeTemplateName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.VolumeTemplate;
  };
  /** Delete one version of a volume template */
  deleteVolumeTemplateVersion: {
    given: {
      params: { volumeTemplateName: string; versionName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.DeleteVolumeTemplateVersionAnswer;
  };
  /** Delete a workspace with everything in it */
  deleteWorkspace: {
    given: {
      params: { workspaceName: string };
    };
    answer: t.Workspace;
  };
  /** Lines of workloads as they are stored, each of them once: asked again and again, with `after` of the answer before */
  followLogs: {
    given: {
      query?: { workspace?: string | undefined; resourceType?: 'agents' | 'applications' | 'functions' | 'jobs' | 'models' | 'sandboxes' | undefined; workloadIds?: string | string[] | undefined; severity?: string | undefined; search?: string | undefined; taskId?: string | undefined; executionId?: string | undefined; after?: string | undefined; tail?: number | undefined; wait?: number | undefined } | undefined;
    };
    answer: t.FollowedLogs;
  };
  /** Read one account */
  getAccount: {
    given: {
      params: { accountId: string };
    };
    answer: t.Account;
  };
  /** Read cost and usage over time */
  getAccountMetrics: {
    given: {
      params: { accountId: string };
      query: { startTime: string; endTime: string; resolution?: 'hourly' | 'daily' | 'weekly' | 'monthly' | undefined; groupBy?: string | undefined; workspace?: string | undefined; resourceType?: 'sandbox' | 'agent' | 'job' | 'mcp_server' | 'volume' | 'custom_domain' | undefined; resourceName?: string | undefined; resourceUuid?: string | undefined; billingDimension?: 'sandbox_compute_runtime_gbs' | 'sandbox_image_storage_gbs' | 'sandbox_snapshot_storage_gbs' | 'agent_compute_runtime_gbs' | 'agent_image_storage_gbs' | 'agent_async_requests_count' | 'job_compute_runtime_gbs' | 'job_image_storage_gbs' | 'mcp_server_compute_runtime_gbs' | 'mcp_server_image_storage_gbs' | 'volume_storage_gbs' | 'custom_domain_active_time_hours' | undefined; format?: 'json' | 'csv' | undefined; limit?: number | undefined; cursor?: string | undefined };
    };
    answer: t.AccountMetricsResponse;
  };
  /** Read one agent */
  getAgent: {
    given: {
      params: { agentName: string };
      query?: { workspace?: string | undefined; show_secrets?: boolean | undefined } | undefined;
    };
    answer: t.Agent;
  };
  /** Read one application */
  getApplication: {
    given: {
      params: { applicationName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.Application;
  };
  /** Read one budget with the cost of the current month and the thresholds that it has reached */
  getBudget: {
    given: {
      params: { accountId: string; budgetName: string };
    };
    answer: t.Budget;
  };
  /** Read the news of this deployment */
  getChangelog: {
    given: Record<never, never>;
    answer: t.Changelog;
  };
  /** Read the regions and locations of this deployment */
  getConfiguration: {
    given: Record<never, never>;
    answer: t.Configuration;
  };
  /** Describe a model that the provider offers to a connection */
  getConnectionModel: {
    given: {
      params: { connectionName: string; modelId: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.IntegrationModel;
  };
  /** Read the cost of the current month so far, and what the whole month is expected to cost */
  getCurrentUsage: {
    given: {
      params: { accountId: string };
    };
    answer: t.CurrentUsage;
  };
  /** Read one custom domain */
  getCustomDomain: {
    given: {
      params: { domainName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.CustomDomain;
  };
  /** Read one callback with its body */
  getDelivery: {
    given: {
      params: { deliveryId: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.DeliveryWithBody;
  };
  /** Read the addresses, the brand and the versions of this deployment */
  getDiscovery: {
    given: Record<never, never>;
    answer: t.Discovery;
  };
  /** Read one drive */
  getDrive: {
    given: {
      params: { driveName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.Drive;
  };
  /** Find the newest drive with an external id */
  getDriveByExternalId: {
    given: {
      params: { externalId: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.Drive;
  };
  /** Read the public keys that verify drive tokens */
  getDriveKeys: {
    given: Record<never, never>;
    answer: t.JsonWebKeySet;
  };
  /** Read one egress gateway */
  getEgressGateway: {
    given: {
      params: { vpcName: string; gatewayName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.EgressGateway;
  };
  /** Name the sandboxes that ask for each gateway */
  getEgressGatewayUsage: {
    given: {
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.EgressGatewayUsage;
  };
  /** Read one egress ip */
  getEgressIP: {
    given: {
      params: { vpcName: string; gatewayName: string; ipName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.EgressIP;
  };
  /** Ask whether one feature is on */
  getFeature: {
    given: {
      params: { featureKey: string };
      query?: { workspace?: string | undefined; account?: string | undefined } | undefined;
    };
    answer: t.Feature;
  };
  /** Read one function */
  getFunction: {
    given: {
      params: { functionName: string };
      query?: { workspace?: string | undefined; show_secrets?: boolean | undefined } | undefined;
    };
    answer: t.Function;
  };
  /** Read one image with its tags; `_` stands for any type */
  getImage: {
    given: {
      params: { resourceType: string; imageName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.Image;
  };
  /** Describe a provider */
  getIntegration: {
    given: {
      params: { integrationName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.Integration;
  };
  /** Read one integration connection */
  getIntegrationConnection: {
    given: {
      params: { connectionName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.IntegrationConnection;
  };
  /** Read one asynchronous call of an agent */
  getInvocation: {
    given: {
      params: { agentName: string; invocationId: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.Invocation;
  };
  /** Read one job */
  getJob: {
    given: {
      params: { jobId: string };
      query?: { workspace?: string | undefined; show_secrets?: boolean | undefined } | undefined;
    };
    answer: t.Job;
  };
  /** Read one execution */
  getJobExecution: {
    given: {
      params: { jobId: string; executionId: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.JobExecution;
  };
  /** Read one model */
  getModel: {
    given: {
      params: { modelName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.Model;
  };
  /** Read one policy */
  getPolicy: {
    given: {
      params: { policyName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.Policy;
  };
  /** Read one preview */
  getPreview: {
    given: {
      params: { sandboxName: string; previewName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.Preview;
  };
  /** Read one sandbox */
  getSandbox: {
    given: {
      params: { sandboxName: string };
      query?: { workspace?: string | undefined; show_secrets?: boolean | undefined } | undefined;
    };
    answer: t.Sandbox;
  };
  /** Find the newest sandbox with an external id */
  getSandboxByExternalId: {
    given: {
      params: { externalId: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.Sandbox;
  };
  /** Read the statement of a month, three days after its end or later */
  getStatement: {
    given: {
      params: { accountId: string; month: string };
      query?: { format?: 'json' | 'csv' | undefined } | undefined;
    };
    answer: t.Statement;
  };
  /** Read one deployment template */
  getTemplate: {
    given: {
      params: { templateName: string };
    };
    answer: t.Template;
  };
  /** Read one vpc */
  getVPC: {
    given: {
      params: { vpcName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.VPC;
  };
  /** Read one volume */
  getVolume: {
    given: {
      params: { volumeName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.Volume;
  };
  /** Find the newest volume with an external id */
  getVolumeByExternalId: {
    given: {
      params: { externalId: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.Volume;
  };
  /** Read one volume template */
  getVolumeTemplate: {
    given: {
      params: { volumeTemplateName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.VolumeTemplate;
  };
  /** Read one workspace */
  getWorkspace: {
    given: {
      params: { workspaceName: string };
      query?: { countResources?: boolean | undefined } | undefined;
    };
    answer: t.Workspace;
  };
  /** Invite a person by e-mail */
  inviteUser: {
    given: {
      query?: { workspace?: string | undefined } | undefined;
      body: t.InviteUserBody;
    };
    answer: t.PendingInvitation;
  };
  /** Accept an invitation */
  joinWorkspace: {
    given: {
      params: { workspaceName: string };
    };
    answer: t.PendingInvitationAccept;
  };
  /** Leave a workspace */
  leaveWorkspace: {
    given: {
      params: { workspaceName: string };
    };
    answer: t.Workspace;
  };
  /** List who did what in the account and all of its workspaces, newest first */
  listAccountAudit: {
    given: {
      params: { accountId: string };
      query?: { cursor?: string | undefined; limit?: number | undefined; subject?: string | undefined; keyId?: string | undefined; action?: string | undefined; from?: string | undefined; to?: string | undefined } | undefined;
    };
    answer: t.AuditPage;
  };
  /** List the limits of an account */
  listAccountQuotas: {
    given: {
      params: { accountId: string };
    };
    answer: t.Quota[];
  };
  /** List the accounts the caller can see */
  listAccounts: {
    given: Record<never, never>;
    answer: t.Account[];
  };
  /** List the stored revisions of an agent */
  listAgentRevisions: {
    given: {
      params: { agentName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.RevisionMetadata[];
  };
  /** List the agents of the workspace */
  listAgents: {
    given: {
      query?: { workspace?: string | undefined; cursor?: string | undefined; limit?: number | undefined; sort?: 'createdAt:desc' | 'createdAt:asc' | 'name:asc' | 'name:desc' | undefined; q?: string | undefined; anchor?: 'end' | undefined; status?: string | undefined } | undefined;
    };
    answer: t.AgentList;
  };
  /** List the egress gateways of all VPCs */
  listAllEgressGateways: {
    given: {
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.EgressGateway[];
  };
  /** List the egress IPs of all gateways */
  listAllEgressIps: {
    given: {
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.EgressIP[];
  };
  /** List the stored revisions of an application */
  listApplicationRevisions: {
    given: {
      params: { applicationName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.AppRevision[];
  };
  /** List the applications of the workspace */
  listApplications: {
    given: {
      query?: { workspace?: string | undefined; cursor?: string | undefined; limit?: number | undefined; sort?: 'createdAt:desc' | 'createdAt:asc' | 'name:asc' | 'name:desc' | undefined; q?: string | undefined; anchor?: 'end' | undefined; status?: string | undefined } | undefined;
    };
    answer: t.ApplicationList;
  };
  /** List who did what in the workspace, newest first */
  listAudit: {
    given: {
      query?: { workspace?: string | undefined; cursor?: string | undefined; limit?: number | undefined; subject?: string | undefined; keyId?: string | undefined; action?: string | undefined; from?: string | undefined; to?: string | undefined } | undefined;
    };
    answer: t.AuditPage;
  };
  /** List the budgets of the account by name, each with the cost of the current month */
  listBudgets: {
    given: {
      params: { accountId: string };
    };
    answer: t.Budget[];
  };
  /** List the endpoints that models of a connection may use */
  listConnectionEndpoints: {
    given: {
      params: { connectionName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.EndpointConfigurations;
  };
  /** List the models that the provider offers to a connection */
  listConnectionModels: {
    given: {
      params: { connectionName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.IntegrationModel[];
  };
  /** List the custom domains of the workspace */
  listCustomDomains: {
    given: {
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.CustomDomain[];
  };
  /** List the callbacks of the workspace, newest first; they are kept for 30 days after their end */
  listDeliveries: {
    given: {
      query?: { workspace?: string | undefined; cursor?: string | undefined; limit?: number | undefined; status?: 'waiting' | 'delivered' | 'given_up' | undefined } | undefined;
    };
    answer: t.DeliveryPage;
  };
  /** List the drives of the workspace */
  listDrives: {
    given: {
      query?: { workspace?: string | undefined; externalId?: string | undefined; cursor?: string | undefined; limit?: number | undefined; sort?: 'createdAt:desc' | 'createdAt:asc' | 'name:asc' | 'name:desc' | undefined; q?: string | undefined; anchor?: 'end' | undefined; status?: string | undefined } | undefined;
    };
    answer: t.DriveList;
  };
  /** List the egress gateways of the workspace */
  listEgressGateways: {
    given: {
      params: { vpcName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.EgressGateway[];
  };
  /** List the egress ips of the workspace */
  listEgressIPs: {
    given: {
      params: { vpcName: string; gatewayName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.EgressIP[];
  };
  /** List the features that are on for the workspace */
  listFeatures: {
    given: {
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.Features;
  };
  /** List the stored revisions of a function */
  listFunctionRevisions: {
    given: {
      params: { functionName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.RevisionMetadata[];
  };
  /** List the functions of the workspace */
  listFunctions: {
    given: {
      query?: { workspace?: string | undefined; cursor?: string | undefined; limit?: number | undefined; sort?: 'createdAt:desc' | 'createdAt:asc' | 'name:asc' | 'name:desc' | undefined; q?: string | undefined; anchor?: 'end' | undefined; status?: string | undefined } | undefined;
    };
    answer: t.FunctionList;
  };
  /** List the images of the workspace */
  listImages: {
    given: {
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.Image[];
  };
  /** List the integration connections of the workspace */
  listIntegrationConnections: {
    given: {
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.IntegrationConnection[];
  };
  /** List the invitations addressed to the caller */
  listInvitations: {
    given: Record<never, never>;
    answer: t.PendingInvitationRender[];
  };
  /** List the asynchronous calls of an agent, newest first; they are kept for 30 days after their end */
  listInvocations: {
    given: {
      params: { agentName: string };
      query?: { workspace?: string | undefined; cursor?: string | undefined; limit?: number | undefined; status?: 'queued' | 'running' | 'succeeded' | 'failed' | 'unknown' | undefined } | undefined;
    };
    answer: t.InvocationPage;
  };
  /** List the tasks of an execution */
  listJobExecutionTasks: {
    given: {
      params: { jobId: string; executionId: string };
      query?: { workspace?: string | undefined; cursor?: string | undefined; limit?: number | undefined; sort?: 'createdAt:desc' | 'createdAt:asc' | 'name:asc' | 'name:desc' | undefined; q?: string | undefined } | undefined;
    };
    answer: t.JobExecutionTaskList;
  };
  /** List the executions of a job */
  listJobExecutions: {
    given: {
      params: { jobId: string };
      query?: { workspace?: string | undefined; cursor?: string | undefined; limit?: number | undefined; sort?: 'createdAt:desc' | 'createdAt:asc' | 'name:asc' | 'name:desc' | undefined; q?: string | undefined; offset?: number | undefined } | undefined;
    };
    answer: t.JobExecutionList;
  };
  /** List the stored revisions of a job */
  listJobRevisions: {
    given: {
      params: { jobId: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.RevisionMetadata[];
  };
  /** List the jobs of the workspace */
  listJobs: {
    given: {
      query?: { workspace?: string | undefined; cursor?: string | undefined; limit?: number | undefined; sort?: 'createdAt:desc' | 'createdAt:asc' | 'name:asc' | 'name:desc' | undefined; q?: string | undefined; anchor?: 'end' | undefined; status?: string | undefined } | undefined;
    };
    answer: t.JobList;
  };
  /** List the locations with their health */
  listLocations: {
    given: Record<never, never>;
    answer: t.Location[];
  };
  /** Lines of workloads, newest first, by the name of the workload */
  listLogs: {
    given: {
      query?: { workspace?: string | undefined; resourceType?: 'agents' | 'applications' | 'functions' | 'jobs' | 'models' | 'sandboxes' | undefined; workloadIds?: string | string[] | undefined; start?: string | undefined; end?: string | undefined; type?: string | undefined; severity?: string | undefined; search?: string | undefined; traceId?: string | undefined; taskId?: string | undefined; executionId?: string | undefined; limit?: number | undefined; offset?: number | undefined; interval?: number | undefined } | undefined;
    };
    answer: Record<string, t.ResourceLogResponse>;
  };
  /** List the ready-made MCP servers */
  listMcpHub: {
    given: Record<never, never>;
    answer: t.MCPDefinition[];
  };
  /** List the dimensions that metrics can be grouped by */
  listMetricsGroups: {
    given: {
      params: { accountId: string };
    };
    answer: t.MetricsValues;
  };
  /** List the types of resources with usage in a window */
  listMetricsResourceTypes: {
    given: {
      params: { accountId: string };
      query: { startTime: string; endTime: string };
    };
    answer: t.MetricsValues;
  };
  /** List the stored revisions of a model */
  listModelRevisions: {
    given: {
      params: { modelName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.RevisionMetadata[];
  };
  /** List the models of the workspace */
  listModels: {
    given: {
      query?: { workspace?: string | undefined; cursor?: string | undefined; limit?: number | undefined; sort?: 'createdAt:desc' | 'createdAt:asc' | 'name:asc' | 'name:desc' | undefined; q?: string | undefined; anchor?: 'end' | undefined; status?: string | undefined } | undefined;
    };
    answer: t.ModelList;
  };
  /** List the policies of the workspace */
  listPolicies: {
    given: {
      query?: { workspace?: string | undefined; cursor?: string | undefined; limit?: number | undefined; sort?: 'createdAt:desc' | 'createdAt:asc' | 'name:asc' | 'name:desc' | undefined; q?: string | undefined; anchor?: 'end' | undefined } | undefined;
    };
    answer: t.PolicyList;
  };
  /** Name the resources that refer to a policy */
  listPolicyUsages: {
    given: {
      params: { policyName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.PolicyUsages;
  };
  /** List the tokens of a preview with their values */
  listPreviewTokens: {
    given: {
      params: { sandboxName: string; previewName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.PreviewToken[];
  };
  /** List the previews of the workspace */
  listPreviews: {
    given: {
      params: { sandboxName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.Preview[];
  };
  /** List the caller's API keys */
  listProfileKeys: {
    given: Record<never, never>;
    answer: t.ApiKey[];
  };
  /** List the shared outbound address ranges by region */
  listPublicIps: {
    given: {
      query?: { workspace?: string | undefined; region?: string | undefined } | undefined;
    };
    answer: t.PublicIps;
  };
  /** Requests, errors, latency and bytes of workloads, by the name of the workload */
  listRequestMetrics: {
    given: {
      query?: { workspace?: string | undefined; resourceType?: 'agents' | 'applications' | 'functions' | 'jobs' | 'models' | 'sandboxes' | undefined; workloadIds?: string | string[] | undefined; start?: string | undefined; end?: string | undefined; interval?: number | undefined } | undefined;
    };
    answer: Record<string, t.WorkloadRequestMetrics>;
  };
  /** List the ready-made sandbox images */
  listSandboxHub: {
    given: Record<never, never>;
    answer: t.SandboxDefinition[];
  };
  /** List the sandboxes of the workspace */
  listSandboxes: {
    given: {
      query?: { workspace?: string | undefined; externalId?: string | undefined; showTerminated?: boolean | undefined; cursor?: string | undefined; limit?: number | undefined; sort?: 'createdAt:desc' | 'createdAt:asc' | 'name:asc' | 'name:desc' | undefined; q?: string | undefined; anchor?: 'end' | undefined; status?: string | undefined } | undefined;
    };
    answer: t.SandboxList;
  };
  /** List the API keys of a service account */
  listServiceAccountKeys: {
    given: {
      params: { clientId: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.ApiKey[];
  };
  /** List the service accounts of the workspace */
  listServiceAccounts: {
    given: {
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.ServiceAccount[];
  };
  /** List the monthly statements of the account, newest first */
  listStatements: {
    given: {
      params: { accountId: string };
    };
    answer: t.StatementSummary[];
  };
  /** Read all files of one deployment template */
  listTemplateFiles: {
    given: {
      params: { templateName: string };
    };
    answer: t.TemplateFiles;
  };
  /** List the deployment templates */
  listTemplates: {
    given: Record<never, never>;
    answer: t.Template[];
  };
  /** List members and open invitations */
  listUsers: {
    given: {
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.WorkspaceUser[];
  };
  /** List the vpcs of the workspace */
  listVPCs: {
    given: {
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.VPC[];
  };
  /** List the volume templates of the workspace */
  listVolumeTemplates: {
    given: {
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.VolumeTemplate[];
  };
  /** List the volumes of the workspace */
  listVolumes: {
    given: {
      query?: { workspace?: string | undefined; externalId?: string | undefined; cursor?: string | undefined; limit?: number | undefined; sort?: 'createdAt:desc' | 'createdAt:asc' | 'name:asc' | 'name:desc' | undefined; q?: string | undefined; anchor?: 'end' | undefined; status?: string | undefined } | undefined;
    };
    answer: t.VolumeList;
  };
  /** List the workspaces the caller is a member of */
  listWorkspaces: {
    given: Record<never, never>;
    answer: t.Workspace[];
  };
  /** Create or replace a budget; the secret of its callbacks is shown once, and the cost of the month is not. What it counts cannot be changed */
  putBudget: {
    given: {
      params: { accountId: string; budgetName: string };
      body: t.BudgetInput;
    };
    answer: t.BudgetWritten;
  };
  /** Remove a member or withdraw an invitation */
  removeUser: {
    given: {
      params: { subOrEmail: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: undefined;
  };
  /** Send a callback that has ended again, under the same id and with all its tries */
  replayDelivery: {
    given: {
      params: { deliveryId: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.DeliveryWithBody;
  };
  /** Wake a sandbox now */
  startSandbox: {
    given: {
      params: { sandboxName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.SandboxControl;
  };
  /** Put a sandbox to sleep now */
  stopSandbox: {
    given: {
      params: { sandboxName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.SandboxControl;
  };
  /** Change an agent */
  updateAgent: {
    given: {
      params: { agentName: string };
      query?: { workspace?: string | undefined; upload?: boolean | undefined } | undefined;
      body: t.AgentReplacement;
    };
    answer: t.Agent;
  };
  /** Change an application */
  updateApplication: {
    given: {
      params: { applicationName: string };
      query?: { workspace?: string | undefined; upload?: boolean | undefined } | undefined;
      body: t.ApplicationReplacement;
    };
    answer: t.Application;
  };
  /** Change a custom domain */
  updateCustomDomain: {
    given: {
      params: { domainName: string };
      query?: { workspace?: string | undefined } | undefined;
      body: t.CustomDomainReplacement;
    };
    answer: t.CustomDomain;
  };
  /** Create or change a drive */
  updateDrive: {
    given: {
      params: { driveName: string };
      query?: { workspace?: string | undefined } | undefined;
      body: t.DriveReplacement;
    };
    answer: t.Drive;
  };
  /** Change a function */
  updateFunction: {
    given: {
      params: { functionName: string };
      query?: { workspace?: string | undefined; upload?: boolean | undefined } | undefined;
      body: t.FunctionReplacement;
    };
    answer: t.Function;
  };
  /** Change an integration connection */
  updateIntegrationConnection: {
    given: {
      params: { connectionName: string };
      query?: { workspace?: string | undefined } | undefined;
      body: t.IntegrationConnectionReplacement;
    };
    answer: t.IntegrationConnection;
  };
  /** Change a job */
  updateJob: {
    given: {
      params: { jobId: string };
      query?: { workspace?: string | undefined; upload?: boolean | undefined } | undefined;
      body: t.JobReplacement;
    };
    answer: t.Job;
  };
  /** Change a model */
  updateModel: {
    given: {
      params: { modelName: string };
      query?: { workspace?: string | undefined } | undefined;
      body: t.ModelReplacement;
    };
    answer: t.Model;
  };
  /** Change a policy */
  updatePolicy: {
    given: {
      params: { policyName: string };
      query?: { workspace?: string | undefined } | undefined;
      body: t.PolicyReplacement;
    };
    answer: t.Policy;
  };
  /** Change a preview */
  updatePreview: {
    given: {
      params: { sandboxName: string; previewName: string };
      query?: { workspace?: string | undefined } | undefined;
      body: t.PreviewReplacement;
    };
    answer: t.Preview;
  };
  /** Change a sandbox */
  updateSandbox: {
    given: {
      params: { sandboxName: string };
      query?: { workspace?: string | undefined; upload?: boolean | undefined; restart?: boolean | undefined } | undefined;
      body: t.SandboxReplacement;
    };
    answer: t.Sandbox;
  };
  /** Change a service account */
  updateServiceAccount: {
    given: {
      params: { clientId: string };
      query?: { workspace?: string | undefined } | undefined;
      body: t.UpdateServiceAccountBody;
    };
    answer: t.ServiceAccount;
  };
  /** Change the role of a member */
  updateUserRole: {
    given: {
      params: { subOrEmail: string };
      query?: { workspace?: string | undefined } | undefined;
      body: t.UpdateUserRoleBody;
    };
    answer: t.WorkspaceUser;
  };
  /** Change a volume */
  updateVolume: {
    given: {
      params: { volumeName: string };
      query?: { workspace?: string | undefined } | undefined;
      body: t.VolumeReplacement;
    };
    answer: t.Volume;
  };
  /** Create or change a volume template */
  updateVolumeTemplate: {
    given: {
      params: { volumeTemplateName: string };
      query?: { workspace?: string | undefined; upload?: boolean | undefined; version?: string | undefined } | undefined;
      body: t.VolumeTemplateReplacement;
    };
    answer: t.VolumeTemplate;
  };
  /** Change the settings of a workspace */
  updateWorkspace: {
    given: {
      params: { workspaceName: string };
      body: t.WorkspaceChange;
    };
    answer: t.Workspace;
  };
  /** Look up the DNS records of a domain now */
  verifyCustomDomain: {
    given: {
      params: { domainName: string };
      query?: { workspace?: string | undefined } | undefined;
    };
    answer: t.CustomDomain;
  };
}

/** Operations that need nothing. */
export type FreeOperation =
  | 'deleteUnusedImages'
  | 'followLogs'
  | 'getChangelog'
  | 'getConfiguration'
  | 'getDiscovery'
  | 'getDriveKeys'
  | 'getEgressGatewayUsage'
  | 'listAccounts'
  | 'listAgents'
  | 'listAllEgressGateways'
  | 'listAllEgressIps'
  | 'listApplications'
  | 'listAudit'
  | 'listCustomDomains'
  | 'listDeliveries'
  | 'listDrives'
  | 'listFeatures'
  | 'listFunctions'
  | 'listImages'
  | 'listIntegrationConnections'
  | 'listInvitations'
  | 'listJobs'
  | 'listLocations'
  | 'listLogs'
  | 'listMcpHub'
  | 'listModels'
  | 'listPolicies'
  | 'listProfileKeys'
  | 'listPublicIps'
  | 'listRequestMetrics'
  | 'listSandboxHub'
  | 'listSandboxes'
  | 'listServiceAccounts'
  | 'listTemplates'
  | 'listUsers'
  | 'listVPCs'
  | 'listVolumeTemplates'
  | 'listVolumes'
  | 'listWorkspaces';
