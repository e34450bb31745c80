# Types of the management API. Written by `pnpm clients`.
from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict, Union


class Account(TypedDict):
    id: str
    metadata: AccountMetadata
    spec: AccountSpec
    # ISO 8601, UTC
    createdAt: NotRequired[str]
    # ISO 8601, UTC
    updatedAt: NotRequired[str]


class AccountMetadata(TypedDict):
    displayName: NotRequired[str]
    ownerEmail: NotRequired[str]


class AccountMetricsDataEntry(TypedDict):
    workspace: NotRequired[str]
    resourceType: NotRequired[str]
    resourceName: NotRequired[str]
    resourceUuid: NotRequired[str]
    billingDimension: NotRequired[str]
    summary: AccountMetricsDataEntrySummary
    # One item for each bucket of the window, oldest first; the first one begins with the window
    timeseries: list[AccountMetricsPoint]


class AccountMetricsDataEntrySummary(TypedDict):
    # USD
    cost: float
    # In the unit of the dimension; only when grouped by billing_dimension
    usage: NotRequired[float]


class AccountMetricsPoint(TypedDict):
    # ISO 8601, UTC
    timestamp: str
    # USD
    cost: float
    # In the unit of the dimension; only when grouped by billing_dimension
    usage: NotRequired[float]


class AccountMetricsResponse(TypedDict):
    # ISO 8601, UTC
    startTime: str
    # ISO 8601, UTC
    endTime: str
    resolution: str
    summary: AccountMetricsResponseSummary
    # Highest cost first
    data: list[AccountMetricsDataEntry]
    meta: CursorMeta


class AccountMetricsResponseSummary(TypedDict):
    """Sums over all groups; the same on every page"""
    # USD
    totalCost: float
    # In the unit of the dimension; only when grouped by billing_dimension
    totalUsage: NotRequired[float]


class AccountSpec(TypedDict):
    admins: NotRequired[list[str]]
    subscription: AccountSubscription


class AccountSubscription(TypedDict):
    plan: str
    tier: str


class Agent(TypedDict):
    metadata: Metadata
    spec: AgentSpec
    events: NotRequired[list[CoreEvent]]
    status: NotRequired[str]


class AgentInput(TypedDict):
    metadata: MetadataInput
    spec: AgentSpecInput


class AgentList(TypedDict):
    data: list[Agent]
    meta: PaginationMeta


class AgentReplacement(TypedDict):
    metadata: MetadataReplacement
    spec: AgentSpecInput


class AgentRuntime(TypedDict):
    envs: NotRequired[list[Env]]
    generation: NotRequired[str]
    image: NotRequired[str]
    maxScale: NotRequired[int]
    memory: NotRequired[int]
    minScale: NotRequired[int]


class AgentSpec(TypedDict):
    enabled: NotRequired[bool]
    policies: NotRequired[list[str]]
    public: NotRequired[bool]
    region: NotRequired[str]
    repository: NotRequired[Repository]
    revision: NotRequired[RevisionConfiguration]
    runtime: NotRequired[AgentRuntime]
    triggers: NotRequired[list[Trigger]]
    volumes: NotRequired[list[VolumeAttachment]]


class AgentSpecInput(TypedDict):
    enabled: NotRequired[bool]
    policies: NotRequired[list[str]]
    public: NotRequired[bool]
    region: NotRequired[str]
    repository: NotRequired[Repository]
    revision: NotRequired[RevisionConfiguration]
    runtime: NotRequired[AgentRuntime]
    triggers: NotRequired[list[TriggerInput]]
    volumes: NotRequired[list[VolumeAttachmentInput]]


class ApiKey(TypedDict):
    id: str
    name: NotRequired[str]
    expires_in: NotRequired[str]
    # ISO 8601, UTC
    expiresAt: NotRequired[str]
    # ISO 8601, UTC
    lastUsedAt: NotRequired[str]
    scopes: NotRequired[list[str]]
    sub: str
    sub_type: str
    # ISO 8601, UTC
    createdAt: NotRequired[str]
    # ISO 8601, UTC
    updatedAt: NotRequired[str]
    createdBy: NotRequired[str]
    updatedBy: NotRequired[str]


class ApiKeyInput(TypedDict):
    name: NotRequired[str]
    expires_in: NotRequired[str]
    # Absent: the key may do whatever its owner may.
    scopes: NotRequired[list[Literal["admin", "agents:call", "agents:create", "agents:delete", "agents:get", "agents:list", "agents:update", "apiKey:list", "apiKey:write", "applications:create", "applications:delete", "applications:get", "applications:list", "applications:update", "audit:list", "billing:get", "billing:update", "configurations:list", "customdomains:create", "customdomains:delete", "customdomains:get", "customdomains:list", "customdomains:update", "drives:create", "drives:delete", "drives:get", "drives:list", "egressgateways:list", "egressips:list", "featureFlags:get", "featureFlags:list", "functions:call", "functions:create", "functions:delete", "functions:get", "functions:list", "functions:update", "images:create", "images:delete", "images:get", "images:list", "images:share", "integrations:create", "integrations:delete", "integrations:get", "integrations:list", "integrations:update", "invitations:list", "jobs:create", "jobs:delete", "jobs:get", "jobs:list", "jobs:update", "locations:list", "mcphub:list", "models:call", "models:create", "models:delete", "models:get", "models:list", "models:update", "policies:create", "policies:delete", "policies:get", "policies:list", "policies:update", "sandboxes:call", "sandboxes:control", "sandboxes:create", "sandboxes:delete", "sandboxes:get", "sandboxes:list", "sandboxes:update", "sandboxhub:list", "templates:get", "templates:list", "volumeTemplates:create", "volumeTemplates:delete", "volumeTemplates:get", "volumeTemplates:list", "volumeTemplates:upsert", "volumes:create", "volumes:delete", "volumes:get", "volumes:list", "volumes:update", "workspaces:accept", "workspaces:create", "workspaces:decline", "workspaces:delete", "workspaces:get", "workspaces:invite", "workspaces:leave", "workspaces:list", "workspaces:remove", "workspaces:update"]]]


class ApiKeyWithValue(TypedDict):
    id: str
    name: NotRequired[str]
    expires_in: NotRequired[str]
    # ISO 8601, UTC
    expiresAt: NotRequired[str]
    # ISO 8601, UTC
    lastUsedAt: NotRequired[str]
    scopes: NotRequired[list[str]]
    sub: str
    sub_type: str
    # ISO 8601, UTC
    createdAt: NotRequired[str]
    # ISO 8601, UTC
    updatedAt: NotRequired[str]
    createdBy: NotRequired[str]
    updatedBy: NotRequired[str]
    apiKey: str


class AppRevision(TypedDict):
    # ISO 8601, UTC
    createdAt: NotRequired[str]
    createdBy: NotRequired[str]
    envs: NotRequired[list[Env]]
    id: NotRequired[str]
    image: NotRequired[str]
    memory: NotRequired[int]
    port: NotRequired[int]
    snapshot: NotRequired[str]


class Application(TypedDict):
    metadata: Metadata
    spec: ApplicationSpec
    events: NotRequired[list[CoreEvent]]
    status: NotRequired[str]
    nodeGeneration: NotRequired[str]


class ApplicationExtension(TypedDict):
    sandbox: NotRequired[str]


class ApplicationInput(TypedDict):
    metadata: MetadataInput
    spec: ApplicationSpecInput


class ApplicationList(TypedDict):
    data: list[Application]
    meta: PaginationMeta


class ApplicationReplacement(TypedDict):
    metadata: MetadataReplacement
    spec: ApplicationSpecInput


class ApplicationSpec(TypedDict):
    enabled: NotRequired[bool]
    envs: NotRequired[list[Env]]
    extensions: NotRequired[dict[str, ApplicationExtension]]
    image: NotRequired[str]
    memory: NotRequired[int]
    port: NotRequired[int]
    proxy: NotRequired[bool]
    region: NotRequired[str]
    revision: NotRequired[RevisionConfiguration]
    urls: NotRequired[list[ApplicationUrl]]
    revisions: NotRequired[list[AppRevision]]


class ApplicationSpecInput(TypedDict):
    enabled: NotRequired[bool]
    envs: NotRequired[list[Env]]
    extensions: NotRequired[dict[str, ApplicationExtension]]
    image: NotRequired[str]
    memory: NotRequired[int]
    port: NotRequired[int]
    proxy: NotRequired[bool]
    region: NotRequired[str]
    revision: NotRequired[RevisionConfiguration]
    urls: NotRequired[list[ApplicationUrl]]


class ApplicationUrl(TypedDict):
    domain: str
    subdomain: NotRequired[str]


class AuditEntry(TypedDict):
    # ISO 8601, UTC
    at: str
    action: str
    # Kind and name, empty where the action says it all.
    target: str
    subject: str
    subjectType: str
    # The API key that was used.
    keyId: NotRequired[str]
    # Where the request came from.
    address: NotRequired[str]
    # Calls that this entry stands for; more than one only for calls of workloads.
    uses: int
    # Of the first of them.
    requestId: str
    workspaceId: NotRequired[str]


class AuditPage(TypedDict):
    data: list[AuditEntry]
    meta: CursorMeta


class Brand(TypedDict):
    long: str
    short: str


class Budget(TypedDict):
    name: str
    # USD for each calendar month in UTC
    amount: float
    # What it counts: the usage of the account, or what its models cost at their providers. A budget of models also refuses requests to models once it is used up
    of: str
    # Percent of the amount, ascending
    thresholds: list[int]
    workspace: NotRequired[str]
    callbackUrl: NotRequired[str]
    # The current month in UTC, as 2026-11
    month: str
    # Cost of the month so far, in USD
    cost: float
    # Cost as percent of the amount, with two decimals, rounded down
    percent: float
    # Thresholds that the month has reached, ascending
    alerts: list[BudgetAlert]
    # ISO 8601, UTC
    createdAt: str
    createdBy: str
    # ISO 8601, UTC
    updatedAt: str
    updatedBy: str


class BudgetAlert(TypedDict):
    # Percent
    threshold: int
    # ISO 8601, UTC
    reachedAt: str
    # Cost of the month then, in USD
    cost: float
    # Amount of the budget then, in USD
    amount: float
    # State of the callback; expired when its record was removed, 30 days after its end
    callback: str


class BudgetInput(TypedDict):
    # USD for each calendar month in UTC
    amount: float
    # What it counts: the usage of the account, or what its models cost at their providers. A budget of models also refuses requests to models once it is used up
    of: NotRequired[Literal["usage", "models"]]
    # Percent of the amount; 50, 80 and 100 when left out
    thresholds: NotRequired[list[int]]
    # Only this workspace; all workspaces when left out
    workspace: NotRequired[str]
    # Receives a signed POST when a threshold is reached
    callbackUrl: NotRequired[str]


class BudgetSettings(TypedDict):
    name: str
    # USD for each calendar month in UTC
    amount: float
    # What it counts: the usage of the account, or what its models cost at their providers. A budget of models also refuses requests to models once it is used up
    of: str
    # Percent of the amount, ascending
    thresholds: list[int]
    workspace: NotRequired[str]
    callbackUrl: NotRequired[str]
    # ISO 8601, UTC
    createdAt: str
    createdBy: str
    # ISO 8601, UTC
    updatedAt: str
    updatedBy: str


class BudgetWritten(TypedDict):
    name: str
    # USD for each calendar month in UTC
    amount: float
    # What it counts: the usage of the account, or what its models cost at their providers. A budget of models also refuses requests to models once it is used up
    of: str
    # Percent of the amount, ascending
    thresholds: list[int]
    workspace: NotRequired[str]
    callbackUrl: NotRequired[str]
    # ISO 8601, UTC
    createdAt: str
    createdBy: str
    # ISO 8601, UTC
    updatedAt: str
    updatedBy: str
    # Key of the signatures; shown only by the write that made it
    callbackSecret: NotRequired[str]


class Changelog(TypedDict):
    entries: list[ChangelogEntry]


class ChangelogEntry(TypedDict):
    content: str
    date: str
    title: str


class CheckWorkspaceAvailabilityBody(TypedDict):
    name: str


class Configuration(TypedDict):
    continents: list[ConfigurationContinent]
    countries: list[ConfigurationCountry]
    detectedRegion: NotRequired[str]
    privateLocations: list[ConfigurationPrivateLocation]
    regions: list[Region]


class ConfigurationContinent(TypedDict):
    name: str
    displayName: NotRequired[str]


class ConfigurationCountry(TypedDict):
    name: str
    displayName: NotRequired[str]


class ConfigurationPrivateLocation(TypedDict):
    name: str


class CoreEvent(TypedDict):
    canaryRevision: NotRequired[str]
    message: NotRequired[str]
    revision: NotRequired[str]
    status: NotRequired[str]
    # ISO 8601, UTC
    time: NotRequired[str]
    type: NotRequired[str]


class CreateJobExecutionOutput(TypedDict):
    executionId: str
    id: str
    jobId: str
    tasks: list[dict[str, Any]]
    workspaceId: str


class CreateJobExecutionRequest(TypedDict):
    allowQueue: NotRequired[bool]
    env: NotRequired[Union[dict[str, str], str]]
    # The same as env, which wins where both name a variable.
    envOverride: NotRequired[Union[dict[str, str], str]]
    executionId: NotRequired[str]
    id: NotRequired[str]
    jobId: NotRequired[str]
    memory: NotRequired[int]
    # Absent or empty: one task without arguments.
    tasks: NotRequired[list[dict[str, Any]]]
    workspaceId: NotRequired[str]


class CreateServiceAccountBody(TypedDict):
    name: str
    description: NotRequired[str]
    role: NotRequired[Literal["admin", "member"]]


class CurrentUsage(TypedDict):
    # The current month in UTC, as 2026-11
    month: str
    # ISO 8601, UTC
    startTime: str
    # End of the month
    endTime: str
    # End of the time that cost and usage are about
    until: str
    # USD
    cost: float
    # Expected cost of the whole month in USD: the cost so far, and the rate of the last 7 days for the rest
    forecast: float
    # Highest cost first; dimensions without usage are left out
    dimensions: list[CurrentUsageDimension]


class CurrentUsageDimension(TypedDict):
    billingDimension: str
    # USD
    cost: float
    # In the unit of the dimension
    usage: float


class CursorMeta(TypedDict):
    hasMore: bool
    nextCursor: str


class CustomDomain(TypedDict):
    metadata: CustomDomainMetadata
    spec: CustomDomainSpec


class CustomDomainInput(TypedDict):
    metadata: CustomDomainInputMetadata
    spec: CustomDomainSpecInput


class CustomDomainInputMetadata(TypedDict):
    displayName: NotRequired[str]
    # At most 64 labels.
    labels: NotRequired[dict[str, str]]
    name: str


class CustomDomainMetadata(TypedDict):
    name: str
    displayName: NotRequired[str]
    labels: NotRequired[dict[str, str]]
    sharedFromWorkspace: NotRequired[str]
    # ISO 8601, UTC
    createdAt: NotRequired[str]
    # ISO 8601, UTC
    updatedAt: NotRequired[str]
    createdBy: NotRequired[str]
    updatedBy: NotRequired[str]
    workspace: NotRequired[str]


class CustomDomainReplacement(TypedDict):
    metadata: CustomDomainReplacementMetadata
    spec: CustomDomainSpecInput


class CustomDomainReplacementMetadata(TypedDict):
    displayName: NotRequired[str]
    # At most 64 labels.
    labels: NotRequired[dict[str, str]]
    name: NotRequired[str]


class CustomDomainSpec(TypedDict):
    domainType: NotRequired[str]
    # An empty text takes it away.
    fallbackPreviewId: NotRequired[str]
    region: NotRequired[str]
    subjectAlternativeNames: NotRequired[list[str]]
    cnameRecords: NotRequired[str]
    # ISO 8601, UTC
    lastVerifiedAt: NotRequired[str]
    status: NotRequired[str]
    subdomains: NotRequired[list[CustomDomainSubdomain]]
    txtRecords: NotRequired[dict[str, str]]
    verificationError: NotRequired[str]


class CustomDomainSpecInput(TypedDict):
    domainType: NotRequired[Literal["previews", "applications"]]
    # An empty text takes it away.
    fallbackPreviewId: NotRequired[str]
    region: NotRequired[str]
    subjectAlternativeNames: NotRequired[list[str]]


class CustomDomainSubdomain(TypedDict):
    subdomain: str
    url: str
    previewName: str
    resourceName: str
    resourceType: str


class DeleteDriveAnswer(TypedDict):
    message: str
    name: str


class DeleteUnusedImagesAnswer(TypedDict):
    deleted: int
    message: str


class DeleteVolumeTemplateVersionAnswer(TypedDict):
    message: str
    template: VolumeTemplate


class Delivery(TypedDict):
    # Sent with each try, so that a receiver can tell a repeated one
    id: str
    # given_up: the receiver answered 410, or no try of a day was answered with 2xx
    status: str
    resourceType: str
    # Absent once the resource is gone
    resourceName: NotRequired[str]
    triggerId: str
    executionId: NotRequired[str]
    invocationId: NotRequired[str]
    url: str
    # Tries whose result is known
    attempts: int
    # While it waits: when the next try is due
    nextAt: NotRequired[str]
    # Status of the answer to the last try
    lastStatus: NotRequired[int]
    # Why the last try had no answer
    lastError: NotRequired[str]
    # ISO 8601, UTC
    createdAt: str
    # ISO 8601, UTC
    endedAt: NotRequired[str]


class DeliveryPage(TypedDict):
    data: list[Delivery]
    meta: CursorMeta


class DeliveryWithBody(TypedDict):
    # Sent with each try, so that a receiver can tell a repeated one
    id: str
    # given_up: the receiver answered 410, or no try of a day was answered with 2xx
    status: str
    resourceType: str
    # Absent once the resource is gone
    resourceName: NotRequired[str]
    triggerId: str
    executionId: NotRequired[str]
    invocationId: NotRequired[str]
    url: str
    # Tries whose result is known
    attempts: int
    # While it waits: when the next try is due
    nextAt: NotRequired[str]
    # Status of the answer to the last try
    lastStatus: NotRequired[int]
    # Why the last try had no answer
    lastError: NotRequired[str]
    # ISO 8601, UTC
    createdAt: str
    # ISO 8601, UTC
    endedAt: NotRequired[str]
    # What is sent
    body: str


class Discovery(TypedDict):
    # The long word is in names of headers, the short one in those of keys and variables.
    brand: Brand
    # Behaviour versions of the API, oldest first.
    versions: list[str]
    # Of the management API, without its prefix.
    apiUrl: str
    # Of the gateway: below it /{workspace}/sandboxes/{name} is the API of a sandbox.
    gatewayUrl: str
    # Ways to get a credential; key: an API key that was made before.
    logins: list[str]


class Drive(TypedDict):
    metadata: Metadata
    spec: DriveSpec
    events: NotRequired[list[CoreEvent]]
    status: NotRequired[str]
    state: NotRequired[DriveState]


class DriveAccessToken(TypedDict):
    access_token: str
    token_type: str
    expires_in: int


class DriveInput(TypedDict):
    metadata: MetadataInput
    spec: DriveSpecInput


class DriveList(TypedDict):
    data: list[Drive]
    meta: PaginationMeta


class DrivePermission(TypedDict):
    # At most 64 labels.
    labels: NotRequired[dict[str, str]]
    mode: NotRequired[str]
    path: NotRequired[str]


class DriveReplacement(TypedDict):
    metadata: MetadataReplacement
    spec: DriveSpecInput


class DriveSpec(TypedDict):
    region: NotRequired[str]
    # Limit in GB; absent or 0 means none.
    size: NotRequired[int]
    permissions: NotRequired[list[DrivePermission]]
    infrastructureId: NotRequired[str]


class DriveSpecInput(TypedDict):
    region: NotRequired[str]
    # Limit in GB; absent or 0 means none.
    size: NotRequired[int]
    permissions: NotRequired[list[DrivePermission]]


class DriveState(TypedDict):
    s3Url: NotRequired[str]


class EgressGateway(TypedDict):
    metadata: EgressGatewayMetadata
    spec: EgressGatewaySpec
    events: NotRequired[list[CoreEvent]]
    status: NotRequired[str]


class EgressGatewayInput(TypedDict):
    metadata: EgressGatewayInputMetadata
    spec: EgressGatewaySpecInput


class EgressGatewayInputMetadata(TypedDict):
    name: str
    displayName: NotRequired[str]


class EgressGatewayMetadata(TypedDict):
    name: str
    displayName: NotRequired[str]
    vpcName: NotRequired[str]
    # ISO 8601, UTC
    createdAt: NotRequired[str]
    # ISO 8601, UTC
    updatedAt: NotRequired[str]
    createdBy: NotRequired[str]
    updatedBy: NotRequired[str]
    workspace: NotRequired[str]


class EgressGatewaySpec(TypedDict):
    region: NotRequired[str]


class EgressGatewaySpecInput(TypedDict):
    region: str


EgressGatewayUsage: TypeAlias = "dict[str, list[str]]"


class EgressIP(TypedDict):
    metadata: EgressIPMetadata
    spec: EgressIPSpec
    events: NotRequired[list[CoreEvent]]
    status: NotRequired[str]


class EgressIPInput(TypedDict):
    metadata: EgressIPInputMetadata
    spec: EgressIPSpecInput


class EgressIPInputMetadata(TypedDict):
    name: str
    displayName: NotRequired[str]
    # At most 64 labels.
    labels: NotRequired[dict[str, str]]


class EgressIPMetadata(TypedDict):
    name: str
    displayName: NotRequired[str]
    labels: NotRequired[dict[str, str]]
    gatewayName: NotRequired[str]
    vpcName: NotRequired[str]
    # ISO 8601, UTC
    createdAt: NotRequired[str]
    # ISO 8601, UTC
    updatedAt: NotRequired[str]
    createdBy: NotRequired[str]
    updatedBy: NotRequired[str]
    workspace: NotRequired[str]


class EgressIPSpec(TypedDict):
    ipFamily: NotRequired[str]
    publicIp: NotRequired[str]


class EgressIPSpecInput(TypedDict):
    ipFamily: NotRequired[Literal["IPv4", "IPv6"]]


class EgressPolicy(TypedDict):
    destinations: NotRequired[list[str]]
    mode: NotRequired[str]
    name: NotRequired[str]


EndpointConfigurations: TypeAlias = "dict[str, IntegrationEndpoint]"


class Env(TypedDict):
    name: str
    value: NotRequired[str]
    secret: NotRequired[bool]


class Error(TypedDict):
    error: str
    code: int
    message: str


class ExpirationPolicy(TypedDict):
    action: str
    type: str
    value: str


class ExpirationPolicyInput(TypedDict):
    action: NotRequired[Literal["delete"]]
    type: Literal["ttl-idle", "ttl-max-age", "date"]
    value: str


class Feature(TypedDict):
    featureKey: str
    enabled: bool
    variant: NotRequired[str]
    payload: NotRequired[Any]
    # ISO 8601, UTC
    evaluatedAt: str


class Features(TypedDict):
    features: dict[str, bool]


class Flavor(TypedDict):
    name: NotRequired[str]
    type: NotRequired[str]


class FollowedLogEntry(TypedDict):
    # RFC 3339 in UTC, with nanoseconds
    timestamp: str
    message: str
    # Number as in OpenTelemetry: 21 fatal, 17 error, 13 warning, 9 info, 5 debug, 1 trace, 0 unknown
    severity: int
    # Empty when the line belongs to no trace
    trace_id: str
    workload: str


class FollowedLogs(TypedDict):
    # Oldest first
    logs: list[FollowedLogEntry]
    # Ask with it for the lines that follow; without new lines it changes too
    after: str


class Function(TypedDict):
    metadata: Metadata
    spec: FunctionSpec
    events: NotRequired[list[CoreEvent]]
    status: NotRequired[str]


class FunctionInput(TypedDict):
    metadata: MetadataInput
    spec: FunctionSpecInput


class FunctionList(TypedDict):
    data: list[Function]
    meta: PaginationMeta


class FunctionReplacement(TypedDict):
    metadata: MetadataReplacement
    spec: FunctionSpecInput


class FunctionRuntime(TypedDict):
    envs: NotRequired[list[Env]]
    generation: NotRequired[str]
    image: NotRequired[str]
    maxScale: NotRequired[int]
    memory: NotRequired[int]
    minScale: NotRequired[int]
    ports: NotRequired[list[Port]]
    transport: NotRequired[str]
    type: NotRequired[str]


class FunctionRuntimeInput(TypedDict):
    envs: NotRequired[list[Env]]
    generation: NotRequired[Literal["mk2", "mk3"]]
    image: NotRequired[str]
    maxScale: NotRequired[int]
    memory: NotRequired[int]
    minScale: NotRequired[int]
    ports: NotRequired[list[PortInput]]
    transport: NotRequired[Literal["websocket", "http-stream"]]
    type: NotRequired[Literal["mcp"]]


class FunctionSpec(TypedDict):
    enabled: NotRequired[bool]
    integrationConnections: NotRequired[list[str]]
    policies: NotRequired[list[str]]
    public: NotRequired[bool]
    region: NotRequired[str]
    revision: NotRequired[RevisionConfiguration]
    runtime: NotRequired[FunctionRuntime]
    triggers: NotRequired[list[Trigger]]
    type: NotRequired[str]


class FunctionSpecInput(TypedDict):
    enabled: NotRequired[bool]
    integrationConnections: NotRequired[list[str]]
    policies: NotRequired[list[str]]
    public: NotRequired[bool]
    region: NotRequired[str]
    revision: NotRequired[RevisionConfiguration]
    runtime: NotRequired[FunctionRuntimeInput]
    triggers: NotRequired[list[TriggerInput]]
    type: NotRequired[Literal["mcp"]]


class GroupMapping(TypedDict):
    groupName: str
    role: str


class Image(TypedDict):
    metadata: ImageMetadata
    spec: ImageSpec


class ImageInput(TypedDict):
    resourceType: Literal["agent", "application", "function", "job", "sandbox"]
    name: str
    generation: NotRequired[Literal["mk2", "mk3"]]
    image: NotRequired[str]
    dockerConfig: NotRequired[str]


class ImageMetadata(TypedDict):
    # ISO 8601, UTC
    createdAt: NotRequired[str]
    displayName: NotRequired[str]
    events: NotRequired[list[CoreEvent]]
    # ISO 8601, UTC
    lastDeployedAt: NotRequired[str]
    name: str
    resourceType: str
    sourceWorkspace: NotRequired[str]
    status: NotRequired[str]
    # ISO 8601, UTC
    updatedAt: NotRequired[str]
    workspace: NotRequired[str]


class ImageRegistered(TypedDict):
    message: str
    name: str
    resourceType: str
    image: NotRequired[str]
    build: NotRequired[bool]


class ImageSpec(TypedDict):
    size: NotRequired[int]
    tags: NotRequired[list[ImageTag]]


class ImageTag(TypedDict):
    # ISO 8601, UTC
    createdAt: NotRequired[str]
    name: str
    size: NotRequired[int]
    # ISO 8601, UTC
    updatedAt: NotRequired[str]


class Integration(TypedDict):
    additionalInfos: NotRequired[dict[str, str]]
    endpoints: NotRequired[dict[str, IntegrationEndpoint]]
    headers: NotRequired[dict[str, str]]
    name: str
    organizations: NotRequired[list[IntegrationOrganization]]
    params: NotRequired[dict[str, str]]
    repositories: NotRequired[list[IntegrationRepository]]


class IntegrationConnection(TypedDict):
    metadata: Metadata
    spec: IntegrationConnectionSpec


class IntegrationConnectionInput(TypedDict):
    metadata: MetadataInput
    spec: IntegrationConnectionSpec


class IntegrationConnectionReplacement(TypedDict):
    metadata: MetadataReplacement
    spec: IntegrationConnectionSpec


class IntegrationConnectionSpec(TypedDict):
    config: NotRequired[dict[str, str]]
    integration: NotRequired[str]
    sandbox: NotRequired[bool]
    secret: NotRequired[dict[str, str]]


class IntegrationEndpoint(TypedDict):
    body: NotRequired[str]
    ignoreModels: NotRequired[list[str]]
    method: NotRequired[str]
    models: NotRequired[list[str]]
    streamKey: NotRequired[str]
    streamToken: NotRequired[TokenPaths]
    token: NotRequired[TokenPaths]


class IntegrationModel(TypedDict):
    author: NotRequired[str]
    # ISO 8601, UTC
    created_at: NotRequired[str]
    downloads: NotRequired[int]
    endpoint: NotRequired[str]
    id: NotRequired[str]
    library_name: NotRequired[str]
    likes: NotRequired[int]
    model_private: NotRequired[str]
    name: NotRequired[str]
    pipeline_tag: NotRequired[str]
    tags: NotRequired[list[str]]
    trending_score: NotRequired[int]


class IntegrationOrganization(TypedDict):
    id: NotRequired[str]
    name: NotRequired[str]
    displayName: NotRequired[str]
    avatar_url: NotRequired[str]


class IntegrationRepository(TypedDict):
    id: NotRequired[str]
    name: NotRequired[str]
    organization: NotRequired[str]
    url: NotRequired[str]


class InvalidApiVersion(TypedDict):
    error: str
    message: str


class InviteUserBody(TypedDict):
    email: str
    role: NotRequired[Literal["admin", "member"]]


class Invocation(TypedDict):
    # Answered to the caller in a header, and sent to the agent with each run
    id: str
    # succeeded: the agent answered below 400. failed: it answered otherwise, or not at all. unknown: the process that performed the call ended within its last run
    status: str
    # Trigger whose settings the call has
    triggerId: NotRequired[str]
    # Who made the call; absent for an anonymous caller
    subject: NotRequired[str]
    method: str
    # As the agent receives it
    path: str
    bodyBytes: int
    # Runs that have begun
    runs: int
    # The first run and its retries
    maxRuns: int
    # Seconds of one run
    timeout: int
    # ISO 8601, UTC
    acceptedAt: str
    # While it is queued: when it is due
    nextAt: NotRequired[str]
    # Begin of the first run
    startedAt: NotRequired[str]
    # ISO 8601, UTC
    endedAt: NotRequired[str]
    # Of the last answer
    statusCode: NotRequired[int]
    responseBytes: NotRequired[int]
    # Why the last run gave no answer
    error: NotRequired[str]
    # Its callback, once the call has ended
    deliveryId: NotRequired[str]


class InvocationPage(TypedDict):
    data: list[Invocation]
    meta: CursorMeta


class Job(TypedDict):
    metadata: Metadata
    spec: JobSpec
    events: NotRequired[list[CoreEvent]]
    status: NotRequired[str]


class JobExecution(TypedDict):
    metadata: JobExecutionMetadata
    spec: JobExecutionSpec
    stats: NotRequired[JobExecutionStats]
    status: str
    # The first 100 tasks; none in listings. List the tasks to see all.
    tasks: NotRequired[list[JobExecutionTask]]


class JobExecutionList(TypedDict):
    data: list[JobExecution]
    meta: PaginationMeta


class JobExecutionMetadata(TypedDict):
    cluster: NotRequired[str]
    # ISO 8601, UTC
    completedAt: NotRequired[str]
    # ISO 8601, UTC
    createdAt: NotRequired[str]
    # ISO 8601, UTC
    deletedAt: NotRequired[str]
    # Our own addition, while it runs: when it ends if the other tasks take as long as those that have ended.
    expectedEndAt: NotRequired[str]
    # ISO 8601, UTC
    expiredAt: NotRequired[str]
    id: str
    job: str
    # ISO 8601, UTC
    startedAt: NotRequired[str]
    # Our own addition, while it runs: tasks that ended per minute since the first one started.
    tasksPerMinute: NotRequired[float]
    # ISO 8601, UTC
    updatedAt: NotRequired[str]
    workspace: str


class JobExecutionSpec(TypedDict):
    # A JSON object as text; secret values are masked.
    envOverride: NotRequired[str]
    memoryOverride: NotRequired[int]
    parallelism: NotRequired[int]
    tasks: NotRequired[list[JobExecutionTask]]
    timeout: NotRequired[int]


class JobExecutionStats(TypedDict):
    cancelled: int
    failure: int
    retried: int
    running: int
    success: int
    total: int


class JobExecutionTask(TypedDict):
    conditions: NotRequired[list[JobExecutionTaskCondition]]
    metadata: JobExecutionTaskMetadata
    spec: NotRequired[JobExecutionTaskSpec]
    status: str


class JobExecutionTaskCondition(TypedDict):
    executionReason: NotRequired[str]
    message: NotRequired[str]
    reason: NotRequired[str]
    severity: NotRequired[str]
    state: NotRequired[str]
    type: NotRequired[str]


class JobExecutionTaskList(TypedDict):
    data: list[JobExecutionTask]
    meta: PaginationMeta


class JobExecutionTaskMetadata(TypedDict):
    name: str
    # ISO 8601, UTC
    createdAt: NotRequired[str]
    # ISO 8601, UTC
    scheduledAt: NotRequired[str]
    # ISO 8601, UTC
    startedAt: NotRequired[str]
    # ISO 8601, UTC
    completedAt: NotRequired[str]
    # ISO 8601, UTC
    updatedAt: NotRequired[str]


class JobExecutionTaskSpec(TypedDict):
    maxRetries: NotRequired[int]
    timeout: NotRequired[str]


class JobGithubRunner(TypedDict):
    repositories: NotRequired[list[str]]


class JobGithubRunnerInput(TypedDict):
    repositories: NotRequired[Union[list[str], str]]


class JobInput(TypedDict):
    metadata: MetadataInput
    spec: JobSpecInput


class JobList(TypedDict):
    data: list[Job]
    meta: PaginationMeta


class JobReplacement(TypedDict):
    metadata: MetadataReplacement
    spec: JobSpecInput


class JobRuntime(TypedDict):
    diskPercent: NotRequired[int]
    envs: NotRequired[list[Env]]
    generation: NotRequired[str]
    image: NotRequired[str]
    maxConcurrentTasks: NotRequired[int]
    maxRetries: NotRequired[int]
    memory: NotRequired[int]
    ports: NotRequired[list[Port]]
    # Seconds per task.
    timeout: NotRequired[int]


class JobRuntimeInput(TypedDict):
    diskPercent: NotRequired[int]
    envs: NotRequired[list[Env]]
    generation: NotRequired[Literal["mk2", "mk3"]]
    image: NotRequired[str]
    maxConcurrentTasks: NotRequired[int]
    maxRetries: NotRequired[int]
    memory: NotRequired[int]
    ports: NotRequired[list[PortInput]]
    # Seconds per task.
    timeout: NotRequired[int]


class JobSpec(TypedDict):
    enabled: NotRequired[bool]
    githubRunner: NotRequired[JobGithubRunner]
    policies: NotRequired[list[str]]
    region: NotRequired[str]
    revision: NotRequired[RevisionConfiguration]
    runtime: NotRequired[JobRuntime]
    triggers: NotRequired[list[Trigger]]
    volumes: NotRequired[list[JobVolume]]


class JobSpecInput(TypedDict):
    enabled: NotRequired[bool]
    githubRunner: NotRequired[JobGithubRunnerInput]
    policies: NotRequired[list[str]]
    region: NotRequired[str]
    revision: NotRequired[RevisionConfiguration]
    runtime: NotRequired[JobRuntimeInput]
    triggers: NotRequired[list[TriggerInput]]
    volumes: NotRequired[list[JobVolume]]


class JobVolume(TypedDict):
    mountPath: str
    name: str
    readOnly: NotRequired[bool]
    sizeMb: int
    type: str


class JsonWebKey(TypedDict):
    kty: str
    crv: str
    x: str
    kid: str
    alg: str
    use: str


class JsonWebKeySet(TypedDict):
    keys: list[JsonWebKey]


class LiteVolume(TypedDict):
    metadata: LiteVolumeMetadata
    spec: LiteVolumeSpec
    state: NotRequired[LiteVolumeState]
    status: NotRequired[str]
    # ISO 8601, UTC
    terminatedAt: NotRequired[str]


class LiteVolumeMetadata(TypedDict):
    name: str
    displayName: NotRequired[str]
    externalId: NotRequired[str]
    # ISO 8601, UTC
    createdAt: NotRequired[str]
    # ISO 8601, UTC
    updatedAt: NotRequired[str]


class LiteVolumeSpec(TypedDict):
    region: NotRequired[str]
    size: NotRequired[int]


class LiteVolumeState(TypedDict):
    attachedTo: NotRequired[str]


class Location(TypedDict):
    region: str
    status: str
    continent: NotRequired[str]
    country: NotRequired[str]
    flavors: NotRequired[list[Flavor]]
    location: NotRequired[str]
    # How code of different tenants is kept apart there.
    isolation: NotRequired[str]


class LogBucket(TypedDict):
    # Start of the interval, RFC 3339 in UTC
    timestamp: str
    count: int
    debug: int
    error: int
    fatal: int
    info: int
    trace: int
    unknown: int
    warning: int


class LogEntry(TypedDict):
    # RFC 3339 in UTC, with nanoseconds
    timestamp: str
    message: str
    # Number as in OpenTelemetry: 21 fatal, 17 error, 13 warning, 9 info, 5 debug, 1 trace, 0 unknown
    severity: int
    # Empty when the line belongs to no trace
    trace_id: str


class MCPDefinition(TypedDict):
    categories: NotRequired[list[str]]
    coming_soon: NotRequired[bool]
    description: NotRequired[str]
    displayName: NotRequired[str]
    enterprise: NotRequired[bool]
    hidden: NotRequired[bool]
    icon: NotRequired[str]
    image: NotRequired[str]
    longDescription: NotRequired[str]
    name: str
    url: NotRequired[str]
    # ISO 8601, UTC
    createdAt: NotRequired[str]
    # ISO 8601, UTC
    updatedAt: NotRequired[str]
    entrypoint: NotRequired[MCPDefinitionEntrypoint]
    form: NotRequired[MCPDefinitionForm]
    hiddenSecrets: NotRequired[list[str]]
    integration: NotRequired[str]
    transport: NotRequired[str]


class MCPDefinitionEntrypoint(TypedDict):
    command: NotRequired[str]
    args: NotRequired[list[str]]
    env: NotRequired[dict[str, str]]
    superGatewayArgs: NotRequired[list[str]]


class MCPDefinitionForm(TypedDict):
    config: NotRequired[dict[str, Any]]
    secrets: NotRequired[dict[str, Any]]
    oauth: NotRequired[MCPDefinitionFormOauth]


class MCPDefinitionFormOauth(TypedDict):
    type: NotRequired[str]
    scope: NotRequired[list[str]]


class Metadata(TypedDict):
    name: str
    displayName: NotRequired[str]
    externalId: NotRequired[str]
    labels: NotRequired[dict[str, str]]
    plan: NotRequired[str]
    url: NotRequired[str]
    # ISO 8601, UTC
    createdAt: NotRequired[str]
    # ISO 8601, UTC
    updatedAt: NotRequired[str]
    createdBy: NotRequired[str]
    updatedBy: NotRequired[str]
    workspace: NotRequired[str]


class MetadataInput(TypedDict):
    name: str
    displayName: NotRequired[str]
    externalId: NotRequired[str]
    # At most 64 labels.
    labels: NotRequired[dict[str, str]]


class MetadataReplacement(TypedDict):
    name: NotRequired[str]
    displayName: NotRequired[str]
    externalId: NotRequired[str]
    # At most 64 labels.
    labels: NotRequired[dict[str, str]]


class MetricsValues(TypedDict):
    values: list[str]


class Model(TypedDict):
    metadata: Metadata
    spec: ModelSpec
    events: NotRequired[list[CoreEvent]]
    status: NotRequired[str]


class ModelInput(TypedDict):
    metadata: MetadataInput
    spec: ModelSpec


class ModelList(TypedDict):
    data: list[Model]
    meta: PaginationMeta


class ModelReplacement(TypedDict):
    metadata: MetadataReplacement
    spec: ModelSpec


class ModelRuntime(TypedDict):
    endpointName: NotRequired[str]
    generation: NotRequired[str]
    model: NotRequired[str]
    organization: NotRequired[str]
    type: NotRequired[str]


class ModelSpec(TypedDict):
    enabled: NotRequired[bool]
    flavors: NotRequired[list[Flavor]]
    integrationConnections: NotRequired[list[str]]
    policies: NotRequired[list[str]]
    runtime: NotRequired[ModelRuntime]
    sandbox: NotRequired[bool]


class PaginationMeta(TypedDict):
    hasMore: bool
    nextCursor: str
    total: int


class PendingInvitation(TypedDict):
    # ISO 8601, UTC
    createdAt: NotRequired[str]
    # ISO 8601, UTC
    updatedAt: NotRequired[str]
    createdBy: NotRequired[str]
    updatedBy: NotRequired[str]
    email: str
    # ISO 8601, UTC
    expiresAt: str
    invitedBy: NotRequired[str]
    role: str
    workspace: str


class PendingInvitationAccept(TypedDict):
    email: str
    workspace: Workspace


class PendingInvitationRender(TypedDict):
    account: NotRequired[PendingInvitationRenderAccount]
    email: str
    # ISO 8601, UTC
    expiresAt: str
    invitationId: str
    # ISO 8601, UTC
    invitedAt: str
    invitedBy: NotRequired[PendingInvitationRenderInvitedBy]
    role: str
    type: str
    workspace: NotRequired[PendingInvitationRenderWorkspace]
    workspaceDetails: NotRequired[PendingInvitationRenderWorkspaceDetails]


class PendingInvitationRenderAccount(TypedDict):
    id: str
    displayName: NotRequired[str]


class PendingInvitationRenderInvitedBy(TypedDict):
    sub: NotRequired[str]
    email: NotRequired[str]
    given_name: NotRequired[str]
    family_name: NotRequired[str]


class PendingInvitationRenderWorkspace(TypedDict):
    name: str
    displayName: NotRequired[str]


class PendingInvitationRenderWorkspaceDetails(TypedDict):
    emails: list[str]
    user_number: int


class Percentiles(TypedDict):
    p50: float
    p95: float
    p99: float


class Policy(TypedDict):
    metadata: Metadata
    spec: PolicySpec


class PolicyInput(TypedDict):
    metadata: MetadataInput
    spec: PolicySpec


class PolicyList(TypedDict):
    data: list[PolicyListItem]
    meta: PaginationMeta


class PolicyListItem(TypedDict):
    metadata: Metadata
    spec: PolicySpec
    usage: NotRequired[PolicyUsageCounts]


class PolicyLocation(TypedDict):
    name: NotRequired[str]
    type: NotRequired[str]


class PolicyMaxTokens(TypedDict):
    granularity: NotRequired[str]
    input: NotRequired[int]
    output: NotRequired[int]
    ratioInputOverOutput: NotRequired[int]
    step: NotRequired[int]
    total: NotRequired[int]


class PolicyReplacement(TypedDict):
    metadata: MetadataReplacement
    spec: PolicySpec


class PolicySpec(TypedDict):
    flavors: NotRequired[list[Flavor]]
    locations: NotRequired[list[PolicyLocation]]
    maxTokens: NotRequired[PolicyMaxTokens]
    resourceTypes: NotRequired[list[str]]
    sandbox: NotRequired[bool]
    type: NotRequired[str]


class PolicyUsageCounts(TypedDict):
    agents: int
    functions: int
    jobs: int
    models: int
    sandboxes: int


class PolicyUsages(TypedDict):
    agents: list[str]
    functions: list[str]
    jobs: list[str]
    models: list[str]
    sandboxes: list[str]


class Port(TypedDict):
    name: NotRequired[str]
    # HTTP, TCP, UDP or TLS, in any case.
    protocol: NotRequired[str]
    target: int


class PortInput(TypedDict):
    name: NotRequired[str]
    # HTTP, TCP, UDP or TLS, in any case.
    protocol: NotRequired[str]
    target: int


class Preview(TypedDict):
    metadata: PreviewMetadata
    spec: PreviewSpec
    events: NotRequired[list[CoreEvent]]
    status: NotRequired[str]


class PreviewInput(TypedDict):
    metadata: PreviewInputMetadata
    spec: PreviewSpecInput


class PreviewInputMetadata(TypedDict):
    name: str
    displayName: NotRequired[str]


class PreviewMetadata(TypedDict):
    name: str
    displayName: NotRequired[str]
    resourceName: NotRequired[str]
    resourceType: NotRequired[str]
    # ISO 8601, UTC
    createdAt: NotRequired[str]
    # ISO 8601, UTC
    updatedAt: NotRequired[str]
    createdBy: NotRequired[str]
    updatedBy: NotRequired[str]
    workspace: NotRequired[str]


class PreviewReplacement(TypedDict):
    metadata: PreviewReplacementMetadata
    spec: PreviewReplacementSpec


class PreviewReplacementMetadata(TypedDict):
    name: NotRequired[str]
    displayName: NotRequired[str]


class PreviewReplacementSpec(TypedDict):
    # A verified custom domain of the workspace.
    customDomain: NotRequired[Union[str, Literal[""], None]]
    expires: NotRequired[Union[str, Literal[""], None]]
    # Any port but 80; 443 is the API of the sandbox.
    port: NotRequired[int]
    prefixUrl: NotRequired[Union[str, Literal[""], None]]
    # Private when left out: callers need a token.
    public: NotRequired[bool]
    requestHeaders: NotRequired[Union[dict[str, str], None]]
    responseHeaders: NotRequired[Union[dict[str, str], None]]
    ttl: NotRequired[Union[str, Literal[""], None]]


class PreviewSpec(TypedDict):
    # A verified custom domain of the workspace.
    customDomain: NotRequired[Union[str, str, None]]
    expires: NotRequired[Union[str, str, None]]
    # Any port but 80; 443 is the API of the sandbox.
    port: NotRequired[int]
    prefixUrl: NotRequired[Union[str, str, None]]
    # Private when left out: callers need a token.
    public: NotRequired[bool]
    requestHeaders: NotRequired[Union[dict[str, str], None]]
    responseHeaders: NotRequired[Union[dict[str, str], None]]
    ttl: NotRequired[Union[str, str, None]]
    region: NotRequired[str]
    url: NotRequired[str]


class PreviewSpecInput(TypedDict):
    # A verified custom domain of the workspace.
    customDomain: NotRequired[Union[str, Literal[""], None]]
    expires: NotRequired[Union[str, Literal[""], None]]
    # Any port but 80; 443 is the API of the sandbox.
    port: int
    prefixUrl: NotRequired[Union[str, Literal[""], None]]
    # Private when left out: callers need a token.
    public: NotRequired[bool]
    requestHeaders: NotRequired[Union[dict[str, str], None]]
    responseHeaders: NotRequired[Union[dict[str, str], None]]
    ttl: NotRequired[Union[str, Literal[""], None]]


class PreviewToken(TypedDict):
    metadata: PreviewTokenMetadata
    spec: PreviewTokenSpec


class PreviewTokenDeleted(TypedDict):
    message: str


class PreviewTokenInput(TypedDict):
    metadata: PreviewTokenInputMetadata
    spec: PreviewTokenInputSpec


class PreviewTokenInputMetadata(TypedDict):
    name: str


class PreviewTokenInputSpec(TypedDict):
    # 24 hours from now when it is left out.
    expiresAt: NotRequired[str]


class PreviewTokenMetadata(TypedDict):
    name: str
    previewName: NotRequired[str]
    resourceName: NotRequired[str]
    resourceType: NotRequired[str]
    workspace: NotRequired[str]


class PreviewTokenSpec(TypedDict):
    expired: NotRequired[bool]
    expiresAt: NotRequired[str]
    token: NotRequired[str]


class ProxyTarget(TypedDict):
    body: NotRequired[dict[str, str]]
    destinations: NotRequired[list[str]]
    headers: NotRequired[dict[str, str]]
    secrets: NotRequired[dict[str, str]]


class PublicIp(TypedDict):
    description: NotRequired[str]
    ipv4Cidrs: list[str]
    ipv6Cidrs: list[str]


PublicIps: TypeAlias = "dict[str, PublicIp]"


class Quota(TypedDict):
    resourceType: str
    value: float


class Region(TypedDict):
    name: str
    agentDrivePublicUrl: NotRequired[dict[str, str]]
    allowed: NotRequired[bool]
    continent: NotRequired[str]
    country: NotRequired[str]
    drivesAvailable: NotRequired[bool]
    egressAvailable: NotRequired[bool]
    infoGeneration: NotRequired[str]
    location: NotRequired[str]
    mk31Available: NotRequired[bool]
    proxyAvailable: NotRequired[bool]


class Repository(TypedDict):
    type: NotRequired[str]
    url: NotRequired[str]


class RequestMetricsBucket(TypedDict):
    # Start of the interval
    timestamp: str
    requests: int
    # Answers with a status from 400 to 499
    clientErrors: int
    # Answers with a status from 500 on, also those of the platform where the workload gave none
    serverErrors: int
    # Bytes of request bodies, and what clients sent over upgraded connections
    bytesIn: int
    # Bytes of response bodies, and what workloads sent over upgraded connections
    bytesOut: int
    # Time until the end of the response, waiting for an instance included; estimated from a histogram. Null without requests
    latencyMs: Union[Percentiles, None]
    # The same until the head of the response, of the requests that the workload answered. Null without answers
    firstByteMs: Union[Percentiles, None]


class ResourceLogResponse(TypedDict):
    # Newest first
    logs: list[LogEntry]
    # Lines that match, whether or not this answer holds them
    totalCount: int
    # Lines per interval, oldest first, of a workload that was named; an interval without lines is left out
    chart: list[LogBucket]


class RevisionConfiguration(TypedDict):
    active: NotRequired[str]
    canary: NotRequired[str]
    canaryPercent: NotRequired[int]
    stickySessionTtl: NotRequired[int]
    traffic: NotRequired[int]


class RevisionMetadata(TypedDict):
    active: bool
    canary: bool
    # ISO 8601, UTC
    createdAt: str
    createdBy: str
    id: str
    previousActive: bool
    status: str
    trafficPercent: int


class Sandbox(TypedDict):
    metadata: Metadata
    spec: SandboxSpec
    events: NotRequired[list[CoreEvent]]
    status: NotRequired[str]
    state: NotRequired[str]
    errors: NotRequired[list[SandboxInfrastructureError]]
    expiresIn: NotRequired[int]
    # ISO 8601, UTC
    lastUsedAt: NotRequired[str]
    nodeGeneration: NotRequired[str]


class SandboxControl(TypedDict):
    message: str
    metadata: Metadata
    status: str


class SandboxDefinition(TypedDict):
    categories: NotRequired[list[str]]
    coming_soon: NotRequired[bool]
    description: NotRequired[str]
    displayName: NotRequired[str]
    enterprise: NotRequired[bool]
    hidden: NotRequired[bool]
    icon: NotRequired[str]
    image: NotRequired[str]
    longDescription: NotRequired[str]
    name: str
    url: NotRequired[str]
    memory: NotRequired[int]
    ports: NotRequired[list[Port]]
    tags: NotRequired[str]


class SandboxError(TypedDict):
    code: str
    details: NotRequired[dict[str, Any]]
    message: str
    reason: NotRequired[str]
    sandbox_name: NotRequired[str]
    status_code: NotRequired[int]
    step: NotRequired[str]
    timestamp: NotRequired[str]
    workspace: NotRequired[str]


class SandboxInfrastructureError(TypedDict):
    code: NotRequired[str]
    fatal: NotRequired[bool]
    instance: NotRequired[str]
    message: NotRequired[str]
    time: NotRequired[str]


class SandboxInput(TypedDict):
    metadata: MetadataReplacement
    spec: SandboxSpecInput


class SandboxLifecycle(TypedDict):
    expirationPolicies: NotRequired[list[ExpirationPolicy]]
    terminatedRetention: NotRequired[str]


class SandboxLifecycleInput(TypedDict):
    expirationPolicies: NotRequired[list[ExpirationPolicyInput]]
    terminatedRetention: NotRequired[str]


class SandboxList(TypedDict):
    data: list[SandboxListItem]
    meta: PaginationMeta


class SandboxListItem(TypedDict):
    metadata: Metadata
    spec: SandboxSpec
    status: NotRequired[str]
    state: NotRequired[str]
    errors: NotRequired[list[SandboxInfrastructureError]]
    expiresIn: NotRequired[int]
    # ISO 8601, UTC
    lastUsedAt: NotRequired[str]
    nodeGeneration: NotRequired[str]


class SandboxNetwork(TypedDict):
    allowedDomains: NotRequired[list[str]]
    egress: NotRequired[SandboxNetworkEgress]
    firewall: NotRequired[SandboxNetworkFirewall]
    forbiddenDomains: NotRequired[list[str]]
    proxy: NotRequired[SandboxNetworkProxy]
    subnet: NotRequired[str]


class SandboxNetworkEgress(TypedDict):
    gateway: NotRequired[str]
    mode: NotRequired[str]
    policies: NotRequired[list[EgressPolicy]]


class SandboxNetworkFirewall(TypedDict):
    rulesets: NotRequired[list[str]]


class SandboxNetworkProxy(TypedDict):
    allowedDomains: NotRequired[list[str]]
    bypass: NotRequired[list[str]]
    forbiddenDomains: NotRequired[list[str]]
    routing: NotRequired[list[ProxyTarget]]


class SandboxReplacement(TypedDict):
    metadata: MetadataReplacement
    spec: SandboxSpecInput


class SandboxRuntime(TypedDict):
    dockerConfig: NotRequired[str]
    envs: NotRequired[list[Env]]
    expires: NotRequired[Union[str, str, None]]
    extraArgs: NotRequired[dict[str, str]]
    generation: NotRequired[str]
    image: NotRequired[str]
    memory: NotRequired[int]
    ports: NotRequired[list[Port]]
    skipBuild: NotRequired[str]
    snapshotEnabled: NotRequired[bool]
    storageMb: NotRequired[int]
    terminationGracePeriodSeconds: NotRequired[int]
    ttl: NotRequired[Union[str, str, None]]


class SandboxRuntimeInput(TypedDict):
    dockerConfig: NotRequired[str]
    envs: NotRequired[list[Env]]
    expires: NotRequired[Union[str, Literal[""], None]]
    extraArgs: NotRequired[dict[str, str]]
    generation: NotRequired[Literal["mk2", "mk3"]]
    image: NotRequired[str]
    memory: NotRequired[int]
    ports: NotRequired[list[PortInput]]
    skipBuild: NotRequired[str]
    snapshotEnabled: NotRequired[bool]
    storageMb: NotRequired[int]
    terminationGracePeriodSeconds: NotRequired[int]
    ttl: NotRequired[Union[str, Literal[""], None]]


class SandboxSpec(TypedDict):
    enabled: NotRequired[bool]
    lifecycle: NotRequired[Union[SandboxLifecycle, None]]
    network: NotRequired[SandboxNetwork]
    region: NotRequired[str]
    runtime: NotRequired[SandboxRuntime]
    volumes: NotRequired[list[VolumeAttachment]]
    vpc: NotRequired[str]


class SandboxSpecInput(TypedDict):
    enabled: NotRequired[bool]
    lifecycle: NotRequired[Union[SandboxLifecycleInput, None]]
    network: NotRequired[SandboxNetwork]
    region: NotRequired[str]
    runtime: NotRequired[SandboxRuntimeInput]
    volumes: NotRequired[list[VolumeAttachmentInput]]
    vpc: NotRequired[str]


class ServiceAccount(TypedDict):
    client_id: str
    name: str
    description: NotRequired[str]
    role: NotRequired[str]
    # ISO 8601, UTC
    created_at: NotRequired[str]
    # ISO 8601, UTC
    updated_at: NotRequired[str]


class ServiceAccountWithSecret(TypedDict):
    client_id: str
    name: str
    description: NotRequired[str]
    role: NotRequired[str]
    # ISO 8601, UTC
    created_at: NotRequired[str]
    # ISO 8601, UTC
    updated_at: NotRequired[str]
    client_secret: str


class Statement(TypedDict):
    # As 2026-11, in UTC
    month: str
    # When the statement was made; it never changes
    frozenAt: str
    # Sum of its lines in USD
    totalCost: float
    # Newest month of usage first, then by workspace and dimension
    lines: list[StatementLine]


class StatementLine(TypedDict):
    # Month of the usage. A line of an earlier month is the difference to all statements before
    usageMonth: str
    workspace: str
    billingDimension: str
    # In the unit of the dimension; differences may be negative
    usage: float
    # USD; differences may be negative
    cost: float


class StatementSummary(TypedDict):
    # As 2026-11, in UTC
    month: str
    # When the statement was made; it never changes
    frozenAt: str
    # Sum of its lines in USD
    totalCost: float


class Template(TypedDict):
    name: str
    description: NotRequired[str]
    defaultBranch: NotRequired[str]
    sha: NotRequired[str]
    url: NotRequired[str]
    icon: NotRequired[str]
    iconDark: NotRequired[str]
    downloadCount: NotRequired[int]
    forksCount: NotRequired[int]
    starCount: NotRequired[int]
    topics: NotRequired[list[str]]
    variables: NotRequired[list[TemplateVariable]]


class TemplateFile(TypedDict):
    # Relative to the folder of the template
    path: str
    # Bytes in base64
    content: str


class TemplateFiles(TypedDict):
    files: list[TemplateFile]


class TemplateVariable(TypedDict):
    name: NotRequired[str]
    description: NotRequired[str]
    integration: NotRequired[str]
    path: NotRequired[str]
    secret: NotRequired[bool]


class TokenPaths(TypedDict):
    received: NotRequired[str]
    sent: NotRequired[str]
    total: NotRequired[str]


class Trigger(TypedDict):
    configuration: NotRequired[TriggerConfiguration]
    enabled: bool
    id: NotRequired[str]
    type: str


class TriggerConfiguration(TypedDict):
    # private (the default) or public
    authenticationType: NotRequired[str]
    callbackUrl: NotRequired[str]
    path: NotRequired[str]
    retry: NotRequired[int]
    schedule: NotRequired[str]
    tasks: NotRequired[list[dict[str, Any]]]
    timeout: NotRequired[int]
    callbackSecret: NotRequired[str]


class TriggerConfigurationInput(TypedDict):
    # private (the default) or public
    authenticationType: NotRequired[str]
    callbackUrl: NotRequired[str]
    path: NotRequired[str]
    retry: NotRequired[int]
    schedule: NotRequired[str]
    tasks: NotRequired[list[dict[str, Any]]]
    timeout: NotRequired[int]


class TriggerInput(TypedDict):
    configuration: NotRequired[TriggerConfigurationInput]
    enabled: NotRequired[bool]
    id: NotRequired[str]
    type: Literal["http", "http-async", "cron"]


class UpdateServiceAccountBody(TypedDict):
    name: NotRequired[str]
    description: NotRequired[str]
    role: NotRequired[Literal["admin", "member"]]


class UpdateUserRoleBody(TypedDict):
    role: Literal["admin", "member"]


class VPC(TypedDict):
    metadata: Metadata
    spec: VPCSpec
    events: NotRequired[list[CoreEvent]]
    status: NotRequired[str]


class VPCInput(TypedDict):
    metadata: MetadataInput
    spec: VPCSpec


VPCSpec: TypeAlias = "dict[str, Any]"


class Volume(TypedDict):
    metadata: Metadata
    spec: VolumeSpec
    events: NotRequired[list[CoreEvent]]
    status: NotRequired[str]
    state: NotRequired[VolumeState]
    # ISO 8601, UTC
    terminatedAt: NotRequired[str]


class VolumeAttachment(TypedDict):
    mountPath: str
    name: str
    readOnly: NotRequired[bool]
    sizeMb: NotRequired[int]
    type: str


class VolumeAttachmentInput(TypedDict):
    mountPath: str
    name: str
    readOnly: NotRequired[bool]
    sizeMb: NotRequired[int]
    type: NotRequired[Literal["persistent", "ephemeral"]]


class VolumeInput(TypedDict):
    metadata: MetadataInput
    spec: VolumeSpecInput


class VolumeList(TypedDict):
    data: list[LiteVolume]
    meta: PaginationMeta


class VolumeReplacement(TypedDict):
    metadata: MetadataReplacement
    spec: VolumeSpecInput


class VolumeSpec(TypedDict):
    region: NotRequired[str]
    # MB
    size: NotRequired[int]
    template: NotRequired[str]
    infrastructureId: NotRequired[str]


class VolumeSpecInput(TypedDict):
    region: NotRequired[str]
    # MB
    size: NotRequired[int]
    template: NotRequired[str]


class VolumeState(TypedDict):
    attachedTo: NotRequired[str]


class VolumeTemplate(TypedDict):
    metadata: Metadata
    spec: VolumeTemplateSpec
    state: NotRequired[VolumeTemplateState]
    versions: NotRequired[list[VolumeTemplateVersion]]


class VolumeTemplateInput(TypedDict):
    metadata: MetadataInput
    spec: VolumeTemplateSpec


class VolumeTemplateReplacement(TypedDict):
    metadata: MetadataReplacement
    spec: VolumeTemplateSpec


class VolumeTemplateSpec(TypedDict):
    # MB
    defaultSize: NotRequired[int]
    description: NotRequired[str]


class VolumeTemplateState(TypedDict):
    # ISO 8601, UTC
    lastVersionUploadedAt: NotRequired[str]
    latestVersion: NotRequired[str]
    status: NotRequired[str]
    versionCount: NotRequired[int]


class VolumeTemplateVersion(TypedDict):
    bucket: NotRequired[str]
    contentSize: NotRequired[int]
    name: NotRequired[str]
    region: NotRequired[str]
    status: NotRequired[str]
    templateName: NotRequired[str]
    versionId: NotRequired[str]
    workspace: NotRequired[str]


class WorkloadRequestMetrics(TypedDict):
    requests: int
    # Answers with a status from 400 to 499
    clientErrors: int
    # Answers with a status from 500 on, also those of the platform where the workload gave none
    serverErrors: int
    # Bytes of request bodies, and what clients sent over upgraded connections
    bytesIn: int
    # Bytes of response bodies, and what workloads sent over upgraded connections
    bytesOut: int
    # Time until the end of the response, waiting for an instance included; estimated from a histogram. Null without requests
    latencyMs: Union[Percentiles, None]
    # The same until the head of the response, of the requests that the workload answered. Null without answers
    firstByteMs: Union[Percentiles, None]
    # Requests per interval, oldest first, of a workload that was named; an interval without requests is left out
    chart: list[RequestMetricsBucket]


class Workspace(TypedDict):
    id: str
    name: str
    accountId: str
    displayName: NotRequired[str]
    groupMappings: NotRequired[list[GroupMapping]]
    # At most 64 labels.
    labels: NotRequired[dict[str, str]]
    region: NotRequired[str]
    runtime: NotRequired[WorkspaceRuntime]
    hipaaInfo: NotRequired[WorkspaceHipaaInfo]
    resourceCounts: NotRequired[dict[str, int]]
    status: str
    statusReason: NotRequired[str]
    # ISO 8601, UTC
    createdAt: NotRequired[str]
    # ISO 8601, UTC
    updatedAt: NotRequired[str]
    createdBy: NotRequired[str]
    updatedBy: NotRequired[str]


class WorkspaceAvailability(TypedDict):
    available: bool
    message: str
    reason: NotRequired[str]


class WorkspaceChange(TypedDict):
    name: NotRequired[str]
    displayName: NotRequired[str]
    groupMappings: NotRequired[list[GroupMapping]]
    # At most 64 labels.
    labels: NotRequired[dict[str, str]]
    region: NotRequired[str]
    runtime: NotRequired[WorkspaceRuntime]


class WorkspaceHipaaInfo(TypedDict):
    accountEnabled: NotRequired[bool]
    unsafe: NotRequired[WorkspaceHipaaInfoUnsafe]


class WorkspaceHipaaInfoUnsafe(TypedDict):
    enabled: NotRequired[bool]
    # ISO 8601, UTC
    updatedAt: NotRequired[str]
    updatedBy: NotRequired[str]


class WorkspaceInput(TypedDict):
    name: str
    accountId: NotRequired[str]
    displayName: NotRequired[str]
    groupMappings: NotRequired[list[GroupMapping]]
    # At most 64 labels.
    labels: NotRequired[dict[str, str]]
    region: NotRequired[str]
    runtime: NotRequired[WorkspaceRuntime]


class WorkspaceRuntime(TypedDict):
    generation: NotRequired[str]
    sandbox: NotRequired[WorkspaceSandboxSettings]


class WorkspaceSandboxSettings(TypedDict):
    disableProcessLogging: NotRequired[bool]


class WorkspaceUser(TypedDict):
    accepted: bool
    email: NotRequired[str]
    email_verified: NotRequired[bool]
    expired: NotRequired[bool]
    family_name: NotRequired[str]
    given_name: NotRequired[str]
    role: str
    source: NotRequired[str]
    sub: NotRequired[str]
