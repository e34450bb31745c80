# Types of the API inside a sandbox. Written by `pnpm clients`.
from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict, Union


class ApplyEditAnswer(TypedDict):
    success: bool
    path: str
    originalContent: str
    updatedContent: str
    provider: str
    message: str


class ApplyEditRequest(TypedDict):
    codeEdit: str
    model: NotRequired[str]


class Change(TypedDict):
    path: str
    message: str


class ContentSearchAnswer(TypedDict):
    query: str
    matches: list[ContentSearchAnswerMatch]
    total: int


class ContentSearchAnswerMatch(TypedDict):
    path: str
    line: int
    column: int
    text: str
    context: NotRequired[str]


class ControlEnvironmentRequest(TypedDict):
    generation: int
    environment: dict[str, Any]
    replace: NotRequired[bool]


class ControlState(TypedDict):
    versions: list[str]
    guestVersion: str
    instanceId: str
    openRequests: int
    idleMs: int
    keepAliveHolds: int
    environmentGeneration: int


class Directory(TypedDict):
    path: str
    name: str
    files: list[File]
    subdirectories: list[DirectorySubdirectory]


class DirectorySubdirectory(TypedDict):
    path: str
    name: str


class DriveMountList(TypedDict):
    mounts: list[DriveMountListMount]


class DriveMountListMount(TypedDict):
    driveName: str
    mountPath: str


class DriveMountRequest(TypedDict):
    driveName: str
    mountPath: str
    drivePath: NotRequired[str]
    readOnly: NotRequired[bool]
    uidMap: NotRequired[str]
    gidMap: NotRequired[str]


class EnvironmentAnswer(TypedDict):
    generation: int
    applied: int
    removed: int
    skipped: list[str]


class Error(TypedDict):
    error: str


class File(TypedDict):
    path: str
    name: str
    permissions: str
    size: int
    lastModified: str
    owner: str
    group: str


class FileRequest(TypedDict):
    content: NotRequired[Union[str, None]]
    isDirectory: NotRequired[Union[bool, None]]
    permissions: NotRequired[Union[str, None]]


class FileWithContent(TypedDict):
    path: str
    name: str
    permissions: str
    size: int
    lastModified: str
    owner: str
    group: str
    content: str


class FindAnswer(TypedDict):
    matches: list[FindAnswerMatch]
    total: int


class FindAnswerMatch(TypedDict):
    path: str
    type: str


class FuzzySearchAnswer(TypedDict):
    matches: list[FuzzySearchAnswerMatch]
    total: int
    truncated: NotRequired[Literal[True]]


class FuzzySearchAnswerMatch(TypedDict):
    path: str
    type: str
    score: float


class Health(TypedDict):
    status: str
    version: str
    gitCommit: str
    buildTime: str
    goVersion: str
    os: str
    arch: str
    uptime: str
    uptimeSeconds: float
    upgradeCount: int
    startedAt: str
    lastUpgrade: HealthLastUpgrade


class HealthLastUpgrade(TypedDict):
    status: str
    step: str
    version: str


class Message(TypedDict):
    message: str


class PartReceipt(TypedDict):
    partNumber: int
    etag: str
    size: int


class PortMonitorRequest(TypedDict):
    callback: str


class Process(TypedDict):
    pid: str
    name: str
    command: str
    workingDir: str
    status: str
    startedAt: str
    completedAt: Union[str, None]
    exitCode: int
    logs: Union[str, None]
    stdout: Union[str, None]
    stderr: Union[str, None]
    restartOnFailure: bool
    maxRestarts: int
    restartCount: int
    keepAlive: bool


class ProcessInputRequest(TypedDict):
    data: NotRequired[str]
    encoding: NotRequired[Literal["utf8", "base64"]]
    end: NotRequired[bool]


class ProcessLogRange(TypedDict):
    stream: str
    offset: int
    nextOffset: int
    ended: bool
    data: str


class ProcessLogs(TypedDict):
    stdout: str
    stderr: str
    logs: str


class ProcessPorts(TypedDict):
    pid: int
    ports: list[ProcessPortsPort]


class ProcessPortsPort(TypedDict):
    pid: int
    protocol: str
    localAddr: str
    localPort: int
    remoteAddr: str
    remotePort: int
    state: str
    processName: str


class ProcessRequest(TypedDict):
    command: str
    name: NotRequired[str]
    workingDir: NotRequired[str]
    env: NotRequired[dict[str, str]]
    waitForCompletion: NotRequired[bool]
    timeout: NotRequired[int]
    waitForPorts: NotRequired[list[int]]
    restartOnFailure: NotRequired[bool]
    maxRestarts: NotRequired[int]
    keepAlive: NotRequired[bool]
    stdin: NotRequired[bool]


class ProcessSignalRequest(TypedDict):
    signal: Union[str, int]


class QuiesceAnswer(TypedDict):
    ready: bool
    openRequests: int
    keepAliveHolds: int
    error: NotRequired[str]


class RankingAnswer(TypedDict):
    success: bool
    files: list[RankingAnswerFile]
    message: str


class RankingAnswerFile(TypedDict):
    path: str
    content: str
    score: float


class Stats(TypedDict):
    memory: StatsMemory
    cpu: StatsCpu
    pids: StatsPids
    disk: StatsDisk


class StatsCpu(TypedDict):
    usedSeconds: Union[float, None]
    limitCores: Union[float, None]


class StatsDisk(TypedDict):
    path: str
    totalBytes: Union[float, None]
    usedBytes: Union[float, None]
    freeBytes: Union[float, None]


class StatsMemory(TypedDict):
    usedBytes: Union[float, None]
    limitBytes: Union[float, None]


class StatsPids(TypedDict):
    current: Union[float, None]
    limit: Union[float, None]


class TreeRequest(TypedDict):
    files: NotRequired[Union[dict[str, str], None]]


class TunnelConfigRequest(TypedDict):
    config: str


class UpgradeRequest(TypedDict):
    version: NotRequired[str]
    baseUrl: NotRequired[str]


class UploadCompleteRequest(TypedDict):
    parts: list[UploadCompleteRequestPart]


class UploadCompleteRequestPart(TypedDict):
    partNumber: int
    etag: str


class UploadInitiateRequest(TypedDict):
    permissions: NotRequired[Union[str, None]]


class UploadInitiated(TypedDict):
    uploadId: str
    path: str


class UploadList(TypedDict):
    uploads: list[UploadListUpload]


class UploadListUpload(TypedDict):
    uploadId: str
    path: str
    initiatedAt: str
    permissions: int
    parts: dict[str, UploadedPart]


class UploadPartList(TypedDict):
    uploadId: str
    parts: list[UploadedPart]


class UploadedPart(TypedDict):
    partNumber: int
    etag: str
    size: int
    uploadedAt: str


class Welcome(TypedDict):
    message: str
    documentation: str
    description: str


class FileUpload(TypedDict):
    file: bytes
    permissions: NotRequired[str]
