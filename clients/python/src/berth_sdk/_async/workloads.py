"""Agents, which are servers from an image, jobs, which do one piece of work and end, and the output of both."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any, AsyncIterator, Callable, Literal, Mapping, Sequence, cast
from urllib.parse import quote

import httpx

from .._core.errors import BerthError, ErrorFacts, NotFoundError, UnavailableError, is_passing
from .._generated import management as t
from .operations import AsyncOperations

_poll = 0.5
_waiting = {"UPLOADING", "BUILDING", "BUILT", "DEPLOYING"}
_ended = {"succeeded", "failed", "timeout", "cancelled"}
# Failures in a row, a second apart, each of them after the tries of one request.
_max_failures = 30

LoggedType = Literal["agents", "applications", "functions", "jobs", "models", "sandboxes"]


class AsyncAgents:
    """Agents of the workspace."""

    def __init__(self, api: AsyncOperations) -> None:
        self._api = api

    async def deploy(
        self,
        name: str,
        image: str,
        *,
        memory: int | None = None,
        env: Mapping[str, str] | None = None,
        public: bool | None = None,
        spec: Mapping[str, Any] | None = None,
        on_event: Callable[[str], None] | None = None,
    ) -> t.Agent:
        """Creates the agent, or deploys a new revision of it. Returns when it serves, and raises with the reason where it fails.
        `on_event` is called with each new event of the deployment."""
        made: dict[str, Any] = dict(spec or {})
        runtime: dict[str, Any] = {**(made.get("runtime") or {}), "image": image}
        if memory is not None:
            runtime["memory"] = memory
        if env is not None:
            runtime["envs"] = [{"name": key, "value": value} for key, value in env.items()]
        made["runtime"] = runtime
        if public is not None:
            made["public"] = public
        known = await self._find(name)
        seen = len(known.get("events", [])) if known is not None else 0
        if known is None:
            agent = await self._api.create_agent(
                body=cast(t.AgentInput, {"metadata": {"name": name}, "spec": made})
            )
        else:
            body = cast(t.AgentReplacement, {"metadata": {}, "spec": made})
            agent = await self._api.update_agent(agent_name=name, body=body)
        while True:
            events = agent.get("events", [])
            messages = [event["message"] for event in events[seen:] if "message" in event]
            seen = len(events)
            if on_event is not None:
                for message in messages:
                    on_event(message)
            if agent.get("status") not in _waiting:
                break
            await asyncio.sleep(_poll)
            agent = await self._api.get_agent(agent_name=name)
        if agent.get("status") == "FAILED":
            told = [event["message"] for event in agent.get("events", []) if "message" in event]
            raise UnavailableError(ErrorFacts("deployment_failed", told[-1] if told else "It failed."))
        return agent

    async def call(self, name: str, path: str = "/", *, method: str = "GET", **more: Any) -> httpx.Response:
        """A request to the agent, with the key. `more` is what httpx takes, for example `json`. Nothing is repeated: the agent may act
        on it."""
        agent = await self._api.get_agent(agent_name=name)
        workspace = agent["metadata"].get("workspace", "")
        address = f"{await self._api.gateway_url()}/{workspace}/agents/{quote(name, safe='')}"
        key = self._api.transport.key
        headers = {**({} if key is None else {"authorization": f"Bearer {key}"}), **more.pop("headers", {})}
        async with httpx.AsyncClient(timeout=None) as client:
            return await client.request(method, f"{address}/{path.lstrip('/')}", headers=headers, **more)

    async def _find(self, name: str) -> t.Agent | None:
        try:
            return await self._api.get_agent(agent_name=name)
        except NotFoundError:
            return None


class AsyncJobs:
    """Executions of jobs of the workspace."""

    def __init__(self, api: AsyncOperations) -> None:
        self._api = api

    async def run(
        self,
        name: str,
        tasks: Sequence[Mapping[str, Any]],
        *,
        on_progress: Callable[[t.JobExecution], None] | None = None,
    ) -> t.JobExecution:
        """Starts an execution with one task for each element, and returns its end, whatever that is. `on_progress` is called with each
        new state."""
        body = cast(t.CreateJobExecutionRequest, {"tasks": [dict(task) for task in tasks]})
        started = await self._api.create_job_execution(job_id=name, body=body)
        execution_id = started.get("executionId", "")
        last: Any = None
        while True:
            execution = await self._api.get_job_execution(job_id=name, execution_id=execution_id)
            state = (execution.get("status"), execution.get("stats"))
            if state != last and on_progress is not None:
                on_progress(execution)
            last = state
            if execution.get("status") in _ended:
                return execution
            await asyncio.sleep(2 * _poll)


class AsyncLogs:
    """What workloads write to their output."""

    def __init__(self, api: AsyncOperations) -> None:
        self._api = api

    async def tail(
        self,
        lines: int,
        *,
        resource_type: LoggedType | None = None,
        workloads: Sequence[str] | None = None,
        severity: str | None = None,
        search: str | None = None,
    ) -> list[t.FollowedLogEntry]:
        """The last lines, oldest first. `severity` is for example `ERROR,FATAL`."""
        page = await self._api.follow_logs(
            resource_type=resource_type, workload_ids=_joined(workloads), severity=severity, search=search, tail=lines
        )
        return page["logs"]

    async def follow(
        self,
        *,
        resource_type: LoggedType | None = None,
        workloads: Sequence[str] | None = None,
        severity: str | None = None,
        search: str | None = None,
        tail: int | None = None,
    ) -> AsyncIterator[t.FollowedLogEntry]:
        """The last lines, then each line once as it is stored, without end. `severity` is for example `ERROR,FATAL`."""
        ask = partial(
            self._api.follow_logs,
            resource_type=resource_type,
            workload_ids=_joined(workloads),
            severity=severity,
            search=search,
        )
        page = await ask(tail=tail)
        failures = 0
        while True:
            for line in page["logs"]:
                yield line
            try:
                page = await ask(after=page["after"])
                failures = 0
            except BerthError as error:
                failures += 1
                if not is_passing(error) or failures > _max_failures:
                    raise
                page = t.FollowedLogs(logs=[], after=page["after"])
            if not page["logs"]:
                await asyncio.sleep(2 * _poll)


def _joined(names: Sequence[str] | None) -> str | None:
    return None if names is None else ",".join(names)
