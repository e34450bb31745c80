# Operations of the management API. Written by `pnpm clients`.
from __future__ import annotations

from typing import Literal, Union

from .._generated import management as t
from .management import AsyncManagement


class AsyncOperations(AsyncManagement):
    async def cancel_job_execution(
        self,
        *,
        job_id: str,
        execution_id: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.JobExecution:
        """Cancel an execution; its record stays"""
        return await self.request(
            "DELETE", "/jobs/{jobId}/executions/{executionId}", params={"jobId": job_id, "executionId": execution_id},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def check_workspace_availability(
        self,
        *,
        body: t.CheckWorkspaceAvailabilityBody,
        with_reason: Union[bool, None] = None,
        timeout: Union[float, None] = None,
    ) -> Union[bool, t.WorkspaceAvailability]:
        """Ask whether a workspace name is free"""
        return await self.request(
            "POST", "/workspaces/availability", params={},
            query={"withReason": with_reason}, body=body, timeout=timeout,
        )

    async def create_agent(
        self,
        *,
        body: t.AgentInput,
        workspace: Union[str, None] = None,
        upload: Union[bool, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Agent:
        """Create an agent"""
        return await self.request(
            "POST", "/agents", params={},
            query={"workspace": workspace, "upload": upload}, body=body, timeout=timeout,
        )

    async def create_application(
        self,
        *,
        body: t.ApplicationInput,
        workspace: Union[str, None] = None,
        upload: Union[bool, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Application:
        """Create an application"""
        return await self.request(
            "POST", "/applications", params={},
            query={"workspace": workspace, "upload": upload}, body=body, timeout=timeout,
        )

    async def create_application_custom_domain(
        self,
        *,
        application_name: str,
        body: t.CustomDomainInput,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.CustomDomain:
        """Register a custom domain for an application"""
        return await self.request(
            "POST", "/applications/{applicationName}/customdomains", params={"applicationName": application_name},
            query={"workspace": workspace}, body=body, timeout=timeout,
        )

    async def create_custom_domain(
        self,
        *,
        body: t.CustomDomainInput,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.CustomDomain:
        """Create a custom domain"""
        return await self.request(
            "POST", "/customdomains", params={},
            query={"workspace": workspace}, body=body, timeout=timeout,
        )

    async def create_drive(
        self,
        *,
        body: t.DriveInput,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Drive:
        """Create a drive"""
        return await self.request(
            "POST", "/drives", params={},
            query={"workspace": workspace}, body=body, timeout=timeout,
        )

    async def create_drive_access_token(
        self,
        *,
        drive_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.DriveAccessToken:
        """Issue a short-lived token for one drive"""
        return await self.request(
            "POST", "/drives/{driveName}/access-token", params={"driveName": drive_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def create_egress_gateway(
        self,
        *,
        vpc_name: str,
        body: t.EgressGatewayInput,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.EgressGateway:
        """Create an egress gateway"""
        return await self.request(
            "POST", "/vpcs/{vpcName}/egressgateways", params={"vpcName": vpc_name},
            query={"workspace": workspace}, body=body, timeout=timeout,
        )

    async def create_egress_ip(
        self,
        *,
        vpc_name: str,
        gateway_name: str,
        body: t.EgressIPInput,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.EgressIP:
        """Create an egress ip"""
        return await self.request(
            "POST", "/vpcs/{vpcName}/egressgateways/{gatewayName}/ips", params={"vpcName": vpc_name, "gatewayName": gateway_name},
            query={"workspace": workspace}, body=body, timeout=timeout,
        )

    async def create_function(
        self,
        *,
        body: t.FunctionInput,
        workspace: Union[str, None] = None,
        upload: Union[bool, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Function:
        """Create a function"""
        return await self.request(
            "POST", "/functions", params={},
            query={"workspace": workspace, "upload": upload}, body=body, timeout=timeout,
        )

    async def create_image(
        self,
        *,
        body: t.ImageInput,
        workspace: Union[str, None] = None,
        upload: Union[bool, None] = None,
        skip_build: Union[bool, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.ImageRegistered:
        """Register an image of an outside registry"""
        return await self.request(
            "POST", "/images", params={},
            query={"workspace": workspace, "upload": upload, "skip-build": skip_build}, body=body, timeout=timeout,
        )

    async def create_integration_connection(
        self,
        *,
        body: t.IntegrationConnectionInput,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.IntegrationConnection:
        """Create an integration connection"""
        return await self.request(
            "POST", "/integrations/connections", params={},
            query={"workspace": workspace}, body=body, timeout=timeout,
        )

    async def create_job(
        self,
        *,
        body: t.JobInput,
        workspace: Union[str, None] = None,
        upload: Union[bool, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Job:
        """Create a job"""
        return await self.request(
            "POST", "/jobs", params={},
            query={"workspace": workspace, "upload": upload}, body=body, timeout=timeout,
        )

    async def create_job_execution(
        self,
        *,
        job_id: str,
        body: t.CreateJobExecutionRequest,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.CreateJobExecutionOutput:
        """Start an execution of a job"""
        return await self.request(
            "POST", "/jobs/{jobId}/executions", params={"jobId": job_id},
            query={"workspace": workspace}, body=body, timeout=timeout,
        )

    async def create_job_execution_by_address(
        self,
        *,
        workspace: str,
        job: str,
        body: t.CreateJobExecutionRequest,
        timeout: Union[float, None] = None,
    ) -> t.CreateJobExecutionOutput:
        """Start an execution of a job"""
        return await self.request(
            "POST", "/{workspace}/jobs/{job}/executions", params={"workspace": workspace, "job": job},
            query={}, body=body, at_root=True, timeout=timeout,
        )

    async def create_model(
        self,
        *,
        body: t.ModelInput,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Model:
        """Create a model"""
        return await self.request(
            "POST", "/models", params={},
            query={"workspace": workspace}, body=body, timeout=timeout,
        )

    async def create_policy(
        self,
        *,
        body: t.PolicyInput,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Policy:
        """Create a policy"""
        return await self.request(
            "POST", "/policies", params={},
            query={"workspace": workspace}, body=body, timeout=timeout,
        )

    async def create_preview(
        self,
        *,
        sandbox_name: str,
        body: t.PreviewInput,
        workspace: Union[str, None] = None,
        force: Union[bool, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Preview:
        """Create a preview"""
        return await self.request(
            "POST", "/sandboxes/{sandboxName}/previews", params={"sandboxName": sandbox_name},
            query={"workspace": workspace, "force": force}, body=body, timeout=timeout,
        )

    async def create_preview_token(
        self,
        *,
        sandbox_name: str,
        preview_name: str,
        body: t.PreviewTokenInput,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.PreviewToken:
        """Create a token that opens a private preview"""
        return await self.request(
            "POST", "/sandboxes/{sandboxName}/previews/{previewName}/tokens", params={"sandboxName": sandbox_name, "previewName": preview_name},
            query={"workspace": workspace}, body=body, timeout=timeout,
        )

    async def create_profile_key(
        self,
        *,
        body: t.ApiKeyInput,
        timeout: Union[float, None] = None,
    ) -> t.ApiKeyWithValue:
        """Create an API key for the caller; its value is shown once"""
        return await self.request(
            "POST", "/profile/api_keys", params={},
            query={}, body=body, timeout=timeout,
        )

    async def create_sandbox(
        self,
        *,
        body: t.SandboxInput,
        workspace: Union[str, None] = None,
        upload: Union[bool, None] = None,
        create_if_not_exist: Union[bool, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Sandbox:
        """Create a sandbox"""
        return await self.request(
            "POST", "/sandboxes", params={},
            query={"workspace": workspace, "upload": upload, "createIfNotExist": create_if_not_exist}, body=body, timeout=timeout,
        )

    async def create_service_account(
        self,
        *,
        body: t.CreateServiceAccountBody,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.ServiceAccountWithSecret:
        """Create a service account; its secret is shown once"""
        return await self.request(
            "POST", "/service_accounts", params={},
            query={"workspace": workspace}, body=body, timeout=timeout,
        )

    async def create_service_account_key(
        self,
        *,
        client_id: str,
        body: t.ApiKeyInput,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.ApiKeyWithValue:
        """Create an API key for a service account; its value is shown once"""
        return await self.request(
            "POST", "/service_accounts/{clientId}/api_keys", params={"clientId": client_id},
            query={"workspace": workspace}, body=body, timeout=timeout,
        )

    async def create_vpc(
        self,
        *,
        body: t.VPCInput,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.VPC:
        """Create a vpc"""
        return await self.request(
            "POST", "/vpcs", params={},
            query={"workspace": workspace}, body=body, timeout=timeout,
        )

    async def create_volume(
        self,
        *,
        body: t.VolumeInput,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Volume:
        """Create a volume"""
        return await self.request(
            "POST", "/volumes", params={},
            query={"workspace": workspace}, body=body, timeout=timeout,
        )

    async def create_volume_template(
        self,
        *,
        body: t.VolumeTemplateInput,
        workspace: Union[str, None] = None,
        upload: Union[bool, None] = None,
        version: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.VolumeTemplate:
        """Create a volume template"""
        return await self.request(
            "POST", "/volume_templates", params={},
            query={"workspace": workspace, "upload": upload, "version": version}, body=body, timeout=timeout,
        )

    async def create_workspace(
        self,
        *,
        body: t.WorkspaceInput,
        timeout: Union[float, None] = None,
    ) -> t.Workspace:
        """Create a workspace, with the caller as its admin"""
        return await self.request(
            "POST", "/workspaces", params={},
            query={}, body=body, timeout=timeout,
        )

    async def decline_workspace(
        self,
        *,
        workspace_name: str,
        timeout: Union[float, None] = None,
    ) -> t.PendingInvitation:
        """Decline an invitation"""
        return await self.request(
            "POST", "/workspaces/{workspaceName}/decline", params={"workspaceName": workspace_name},
            query={}, timeout=timeout,
        )

    async def delete_agent(
        self,
        *,
        agent_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Agent:
        """Delete an agent"""
        return await self.request(
            "DELETE", "/agents/{agentName}", params={"agentName": agent_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def delete_application(
        self,
        *,
        application_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Application:
        """Delete an application"""
        return await self.request(
            "DELETE", "/applications/{applicationName}", params={"applicationName": application_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def delete_budget(
        self,
        *,
        account_id: str,
        budget_name: str,
        timeout: Union[float, None] = None,
    ) -> t.BudgetSettings:
        """Delete a budget with its alerts and with callbacks that wait"""
        return await self.request(
            "DELETE", "/accounts/{accountId}/budgets/{budgetName}", params={"accountId": account_id, "budgetName": budget_name},
            query={}, timeout=timeout,
        )

    async def delete_custom_domain(
        self,
        *,
        domain_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.CustomDomain:
        """Delete a custom domain"""
        return await self.request(
            "DELETE", "/customdomains/{domainName}", params={"domainName": domain_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def delete_drive(
        self,
        *,
        drive_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.DeleteDriveAnswer:
        """Delete a drive"""
        return await self.request(
            "DELETE", "/drives/{driveName}", params={"driveName": drive_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def delete_egress_gateway(
        self,
        *,
        vpc_name: str,
        gateway_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.EgressGateway:
        """Delete an egress gateway"""
        return await self.request(
            "DELETE", "/vpcs/{vpcName}/egressgateways/{gatewayName}", params={"vpcName": vpc_name, "gatewayName": gateway_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def delete_egress_ip(
        self,
        *,
        vpc_name: str,
        gateway_name: str,
        ip_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.EgressIP:
        """Delete an egress ip"""
        return await self.request(
            "DELETE", "/vpcs/{vpcName}/egressgateways/{gatewayName}/ips/{ipName}", params={"vpcName": vpc_name, "gatewayName": gateway_name, "ipName": ip_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def delete_function(
        self,
        *,
        function_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Function:
        """Delete a function"""
        return await self.request(
            "DELETE", "/functions/{functionName}", params={"functionName": function_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def delete_image(
        self,
        *,
        resource_type: str,
        image_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Image:
        """Delete an image with all its tags"""
        return await self.request(
            "DELETE", "/images/{resourceType}/{imageName}", params={"resourceType": resource_type, "imageName": image_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def delete_image_tag(
        self,
        *,
        resource_type: str,
        image_name: str,
        tag_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Image:
        """Delete one tag of an image"""
        return await self.request(
            "DELETE", "/images/{resourceType}/{imageName}/tags/{tagName}", params={"resourceType": resource_type, "imageName": image_name, "tagName": tag_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def delete_integration_connection(
        self,
        *,
        connection_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.IntegrationConnection:
        """Delete an integration connection"""
        return await self.request(
            "DELETE", "/integrations/connections/{connectionName}", params={"connectionName": connection_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def delete_job(
        self,
        *,
        job_id: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Job:
        """Delete a job"""
        return await self.request(
            "DELETE", "/jobs/{jobId}", params={"jobId": job_id},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def delete_model(
        self,
        *,
        model_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Model:
        """Delete a model"""
        return await self.request(
            "DELETE", "/models/{modelName}", params={"modelName": model_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def delete_policy(
        self,
        *,
        policy_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Policy:
        """Delete a policy"""
        return await self.request(
            "DELETE", "/policies/{policyName}", params={"policyName": policy_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def delete_preview(
        self,
        *,
        sandbox_name: str,
        preview_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Preview:
        """Delete a preview"""
        return await self.request(
            "DELETE", "/sandboxes/{sandboxName}/previews/{previewName}", params={"sandboxName": sandbox_name, "previewName": preview_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def delete_preview_token(
        self,
        *,
        sandbox_name: str,
        preview_name: str,
        token_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.PreviewTokenDeleted:
        """Delete a token of a preview, named by its name or its value"""
        return await self.request(
            "DELETE", "/sandboxes/{sandboxName}/previews/{previewName}/tokens/{tokenName}", params={"sandboxName": sandbox_name, "previewName": preview_name, "tokenName": token_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def delete_profile_key(
        self,
        *,
        api_key_id: str,
        timeout: Union[float, None] = None,
    ) -> None:
        """Revoke one of the caller's API keys"""
        return await self.request(
            "DELETE", "/profile/api_keys/{apiKeyId}", params={"apiKeyId": api_key_id},
            query={}, timeout=timeout,
        )

    async def delete_sandbox(
        self,
        *,
        sandbox_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Sandbox:
        """Delete a sandbox"""
        return await self.request(
            "DELETE", "/sandboxes/{sandboxName}", params={"sandboxName": sandbox_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def delete_service_account(
        self,
        *,
        client_id: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.ServiceAccount:
        """Delete a service account and its credentials"""
        return await self.request(
            "DELETE", "/service_accounts/{clientId}", params={"clientId": client_id},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def delete_service_account_key(
        self,
        *,
        client_id: str,
        api_key_id: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> None:
        """Revoke an API key of a service account"""
        return await self.request(
            "DELETE", "/service_accounts/{clientId}/api_keys/{apiKeyId}", params={"clientId": client_id, "apiKeyId": api_key_id},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def delete_unused_images(
        self,
        *,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.DeleteUnusedImagesAnswer:
        """Delete the images that no workload refers to"""
        return await self.request(
            "DELETE", "/images", params={},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def delete_vpc(
        self,
        *,
        vpc_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.VPC:
        """Delete a vpc"""
        return await self.request(
            "DELETE", "/vpcs/{vpcName}", params={"vpcName": vpc_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def delete_volume(
        self,
        *,
        volume_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Volume:
        """Delete a volume"""
        return await self.request(
            "DELETE", "/volumes/{volumeName}", params={"volumeName": volume_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def delete_volume_template(
        self,
        *,
        volume_template_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.VolumeTemplate:
        """Delete a volume template"""
        return await self.request(
            "DELETE", "/volume_templates/{volumeTemplateName}", params={"volumeTemplateName": volume_template_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def delete_volume_template_version(
        self,
        *,
        volume_template_name: str,
        version_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.DeleteVolumeTemplateVersionAnswer:
        """Delete one version of a volume template"""
        return await self.request(
            "DELETE", "/volume_templates/{volumeTemplateName}/versions/{versionName}", params={"volumeTemplateName": volume_template_name, "versionName": version_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def delete_workspace(
        self,
        *,
        workspace_name: str,
        timeout: Union[float, None] = None,
    ) -> t.Workspace:
        """Delete a workspace with everything in it"""
        return await self.request(
            "DELETE", "/workspaces/{workspaceName}", params={"workspaceName": workspace_name},
            query={}, timeout=timeout,
        )

    async def follow_logs(
        self,
        *,
        workspace: Union[str, None] = None,
        resource_type: Union[Literal["agents", "applications", "functions", "jobs", "models", "sandboxes"], None] = None,
        workload_ids: Union[Union[str, list[str]], None] = None,
        severity: Union[str, None] = None,
        search: Union[str, None] = None,
        task_id: Union[str, None] = None,
        execution_id: Union[str, None] = None,
        after: Union[str, None] = None,
        tail: Union[int, None] = None,
        wait: Union[int, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.FollowedLogs:
        """Lines of workloads as they are stored, each of them once: asked again and again, with `after` of the answer before"""
        return await self.request(
            "GET", "/observability/logs/follow", params={},
            query={"workspace": workspace, "resourceType": resource_type, "workloadIds": workload_ids, "severity": severity, "search": search, "taskId": task_id, "executionId": execution_id, "after": after, "tail": tail, "wait": wait}, timeout=timeout,
        )

    async def get_account(
        self,
        *,
        account_id: str,
        timeout: Union[float, None] = None,
    ) -> t.Account:
        """Read one account"""
        return await self.request(
            "GET", "/accounts/{accountId}", params={"accountId": account_id},
            query={}, timeout=timeout,
        )

    async def get_account_metrics(
        self,
        *,
        account_id: str,
        start_time: str,
        end_time: str,
        resolution: Union[Literal["hourly", "daily", "weekly", "monthly"], None] = None,
        group_by: Union[str, None] = None,
        workspace: Union[str, None] = None,
        resource_type: Union[Literal["sandbox", "agent", "job", "mcp_server", "volume", "custom_domain"], None] = None,
        resource_name: Union[str, None] = None,
        resource_uuid: Union[str, None] = None,
        billing_dimension: Union[Literal["sandbox_compute_runtime_gbs", "sandbox_image_storage_gbs", "sandbox_snapshot_storage_gbs", "agent_compute_runtime_gbs", "agent_image_storage_gbs", "agent_async_requests_count", "job_compute_runtime_gbs", "job_image_storage_gbs", "mcp_server_compute_runtime_gbs", "mcp_server_image_storage_gbs", "volume_storage_gbs", "custom_domain_active_time_hours"], None] = None,
        format: Union[Literal["json", "csv"], None] = None,
        limit: Union[int, None] = None,
        cursor: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.AccountMetricsResponse:
        """Read cost and usage over time"""
        return await self.request(
            "GET", "/accounts/{accountId}/metrics", params={"accountId": account_id},
            query={"startTime": start_time, "endTime": end_time, "resolution": resolution, "groupBy": group_by, "workspace": workspace, "resourceType": resource_type, "resourceName": resource_name, "resourceUuid": resource_uuid, "billingDimension": billing_dimension, "format": format, "limit": limit, "cursor": cursor}, timeout=timeout,
        )

    async def get_agent(
        self,
        *,
        agent_name: str,
        workspace: Union[str, None] = None,
        show_secrets: Union[bool, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Agent:
        """Read one agent"""
        return await self.request(
            "GET", "/agents/{agentName}", params={"agentName": agent_name},
            query={"workspace": workspace, "show_secrets": show_secrets}, timeout=timeout,
        )

    async def get_application(
        self,
        *,
        application_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Application:
        """Read one application"""
        return await self.request(
            "GET", "/applications/{applicationName}", params={"applicationName": application_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def get_budget(
        self,
        *,
        account_id: str,
        budget_name: str,
        timeout: Union[float, None] = None,
    ) -> t.Budget:
        """Read one budget with the cost of the current month and the thresholds that it has reached"""
        return await self.request(
            "GET", "/accounts/{accountId}/budgets/{budgetName}", params={"accountId": account_id, "budgetName": budget_name},
            query={}, timeout=timeout,
        )

    async def get_changelog(
        self,
        *,
        timeout: Union[float, None] = None,
    ) -> t.Changelog:
        """Read the news of this deployment"""
        return await self.request(
            "GET", "/changelog", params={},
            query={}, public=True, timeout=timeout,
        )

    async def get_configuration(
        self,
        *,
        timeout: Union[float, None] = None,
    ) -> t.Configuration:
        """Read the regions and locations of this deployment"""
        return await self.request(
            "GET", "/configuration", params={},
            query={}, timeout=timeout,
        )

    async def get_connection_model(
        self,
        *,
        connection_name: str,
        model_id: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.IntegrationModel:
        """Describe a model that the provider offers to a connection"""
        return await self.request(
            "GET", "/integrations/connections/{connectionName}/models/{modelId}", params={"connectionName": connection_name, "modelId": model_id},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def get_current_usage(
        self,
        *,
        account_id: str,
        timeout: Union[float, None] = None,
    ) -> t.CurrentUsage:
        """Read the cost of the current month so far, and what the whole month is expected to cost"""
        return await self.request(
            "GET", "/accounts/{accountId}/usage/current", params={"accountId": account_id},
            query={}, timeout=timeout,
        )

    async def get_custom_domain(
        self,
        *,
        domain_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.CustomDomain:
        """Read one custom domain"""
        return await self.request(
            "GET", "/customdomains/{domainName}", params={"domainName": domain_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def get_delivery(
        self,
        *,
        delivery_id: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.DeliveryWithBody:
        """Read one callback with its body"""
        return await self.request(
            "GET", "/deliveries/{deliveryId}", params={"deliveryId": delivery_id},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def get_discovery(
        self,
        *,
        timeout: Union[float, None] = None,
    ) -> t.Discovery:
        """Read the addresses, the brand and the versions of this deployment"""
        return await self.request(
            "GET", "/.well-known/berth", params={},
            query={}, at_root=True, public=True, timeout=timeout,
        )

    async def get_drive(
        self,
        *,
        drive_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Drive:
        """Read one drive"""
        return await self.request(
            "GET", "/drives/{driveName}", params={"driveName": drive_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def get_drive_by_external_id(
        self,
        *,
        external_id: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Drive:
        """Find the newest drive with an external id"""
        return await self.request(
            "GET", "/drives/by-external-id/{externalId}", params={"externalId": external_id},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def get_drive_keys(
        self,
        *,
        timeout: Union[float, None] = None,
    ) -> t.JsonWebKeySet:
        """Read the public keys that verify drive tokens"""
        return await self.request(
            "GET", "/drives/jwks.json", params={},
            query={}, public=True, timeout=timeout,
        )

    async def get_egress_gateway(
        self,
        *,
        vpc_name: str,
        gateway_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.EgressGateway:
        """Read one egress gateway"""
        return await self.request(
            "GET", "/vpcs/{vpcName}/egressgateways/{gatewayName}", params={"vpcName": vpc_name, "gatewayName": gateway_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def get_egress_gateway_usage(
        self,
        *,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.EgressGatewayUsage:
        """Name the sandboxes that ask for each gateway"""
        return await self.request(
            "GET", "/egressgateways/usage", params={},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def get_egress_ip(
        self,
        *,
        vpc_name: str,
        gateway_name: str,
        ip_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.EgressIP:
        """Read one egress ip"""
        return await self.request(
            "GET", "/vpcs/{vpcName}/egressgateways/{gatewayName}/ips/{ipName}", params={"vpcName": vpc_name, "gatewayName": gateway_name, "ipName": ip_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def get_feature(
        self,
        *,
        feature_key: str,
        workspace: Union[str, None] = None,
        account: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Feature:
        """Ask whether one feature is on"""
        return await self.request(
            "GET", "/features/{featureKey}", params={"featureKey": feature_key},
            query={"workspace": workspace, "account": account}, timeout=timeout,
        )

    async def get_function(
        self,
        *,
        function_name: str,
        workspace: Union[str, None] = None,
        show_secrets: Union[bool, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Function:
        """Read one function"""
        return await self.request(
            "GET", "/functions/{functionName}", params={"functionName": function_name},
            query={"workspace": workspace, "show_secrets": show_secrets}, timeout=timeout,
        )

    async def get_image(
        self,
        *,
        resource_type: str,
        image_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Image:
        """Read one image with its tags; `_` stands for any type"""
        return await self.request(
            "GET", "/images/{resourceType}/{imageName}", params={"resourceType": resource_type, "imageName": image_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def get_integration(
        self,
        *,
        integration_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Integration:
        """Describe a provider"""
        return await self.request(
            "GET", "/integrations/{integrationName}", params={"integrationName": integration_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def get_integration_connection(
        self,
        *,
        connection_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.IntegrationConnection:
        """Read one integration connection"""
        return await self.request(
            "GET", "/integrations/connections/{connectionName}", params={"connectionName": connection_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def get_invocation(
        self,
        *,
        agent_name: str,
        invocation_id: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Invocation:
        """Read one asynchronous call of an agent"""
        return await self.request(
            "GET", "/agents/{agentName}/invocations/{invocationId}", params={"agentName": agent_name, "invocationId": invocation_id},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def get_job(
        self,
        *,
        job_id: str,
        workspace: Union[str, None] = None,
        show_secrets: Union[bool, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Job:
        """Read one job"""
        return await self.request(
            "GET", "/jobs/{jobId}", params={"jobId": job_id},
            query={"workspace": workspace, "show_secrets": show_secrets}, timeout=timeout,
        )

    async def get_job_execution(
        self,
        *,
        job_id: str,
        execution_id: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.JobExecution:
        """Read one execution"""
        return await self.request(
            "GET", "/jobs/{jobId}/executions/{executionId}", params={"jobId": job_id, "executionId": execution_id},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def get_model(
        self,
        *,
        model_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Model:
        """Read one model"""
        return await self.request(
            "GET", "/models/{modelName}", params={"modelName": model_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def get_policy(
        self,
        *,
        policy_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Policy:
        """Read one policy"""
        return await self.request(
            "GET", "/policies/{policyName}", params={"policyName": policy_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def get_preview(
        self,
        *,
        sandbox_name: str,
        preview_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Preview:
        """Read one preview"""
        return await self.request(
            "GET", "/sandboxes/{sandboxName}/previews/{previewName}", params={"sandboxName": sandbox_name, "previewName": preview_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def get_sandbox(
        self,
        *,
        sandbox_name: str,
        workspace: Union[str, None] = None,
        show_secrets: Union[bool, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Sandbox:
        """Read one sandbox"""
        return await self.request(
            "GET", "/sandboxes/{sandboxName}", params={"sandboxName": sandbox_name},
            query={"workspace": workspace, "show_secrets": show_secrets}, timeout=timeout,
        )

    async def get_sandbox_by_external_id(
        self,
        *,
        external_id: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Sandbox:
        """Find the newest sandbox with an external id"""
        return await self.request(
            "GET", "/sandboxes/by-external-id/{externalId}", params={"externalId": external_id},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def get_statement(
        self,
        *,
        account_id: str,
        month: str,
        format: Union[Literal["json", "csv"], None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Statement:
        """Read the statement of a month, three days after its end or later"""
        return await self.request(
            "GET", "/accounts/{accountId}/statements/{month}", params={"accountId": account_id, "month": month},
            query={"format": format}, timeout=timeout,
        )

    async def get_template(
        self,
        *,
        template_name: str,
        timeout: Union[float, None] = None,
    ) -> t.Template:
        """Read one deployment template"""
        return await self.request(
            "GET", "/templates/{templateName}", params={"templateName": template_name},
            query={}, timeout=timeout,
        )

    async def get_vpc(
        self,
        *,
        vpc_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.VPC:
        """Read one vpc"""
        return await self.request(
            "GET", "/vpcs/{vpcName}", params={"vpcName": vpc_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def get_volume(
        self,
        *,
        volume_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Volume:
        """Read one volume"""
        return await self.request(
            "GET", "/volumes/{volumeName}", params={"volumeName": volume_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def get_volume_by_external_id(
        self,
        *,
        external_id: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Volume:
        """Find the newest volume with an external id"""
        return await self.request(
            "GET", "/volumes/by-external-id/{externalId}", params={"externalId": external_id},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def get_volume_template(
        self,
        *,
        volume_template_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.VolumeTemplate:
        """Read one volume template"""
        return await self.request(
            "GET", "/volume_templates/{volumeTemplateName}", params={"volumeTemplateName": volume_template_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def get_workspace(
        self,
        *,
        workspace_name: str,
        count_resources: Union[bool, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Workspace:
        """Read one workspace"""
        return await self.request(
            "GET", "/workspaces/{workspaceName}", params={"workspaceName": workspace_name},
            query={"countResources": count_resources}, timeout=timeout,
        )

    async def invite_user(
        self,
        *,
        body: t.InviteUserBody,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.PendingInvitation:
        """Invite a person by e-mail"""
        return await self.request(
            "POST", "/users", params={},
            query={"workspace": workspace}, body=body, timeout=timeout,
        )

    async def join_workspace(
        self,
        *,
        workspace_name: str,
        timeout: Union[float, None] = None,
    ) -> t.PendingInvitationAccept:
        """Accept an invitation"""
        return await self.request(
            "POST", "/workspaces/{workspaceName}/join", params={"workspaceName": workspace_name},
            query={}, timeout=timeout,
        )

    async def leave_workspace(
        self,
        *,
        workspace_name: str,
        timeout: Union[float, None] = None,
    ) -> t.Workspace:
        """Leave a workspace"""
        return await self.request(
            "DELETE", "/workspaces/{workspaceName}/leave", params={"workspaceName": workspace_name},
            query={}, timeout=timeout,
        )

    async def list_account_audit(
        self,
        *,
        account_id: str,
        cursor: Union[str, None] = None,
        limit: Union[int, None] = None,
        subject: Union[str, None] = None,
        key_id: Union[str, None] = None,
        action: Union[str, None] = None,
        from_: Union[str, None] = None,
        to: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.AuditPage:
        """List who did what in the account and all of its workspaces, newest first"""
        return await self.request(
            "GET", "/accounts/{accountId}/audit", params={"accountId": account_id},
            query={"cursor": cursor, "limit": limit, "subject": subject, "keyId": key_id, "action": action, "from": from_, "to": to}, timeout=timeout,
        )

    async def list_account_quotas(
        self,
        *,
        account_id: str,
        timeout: Union[float, None] = None,
    ) -> list[t.Quota]:
        """List the limits of an account"""
        return await self.request(
            "GET", "/quotas/account/{accountId}", params={"accountId": account_id},
            query={}, timeout=timeout,
        )

    async def list_accounts(
        self,
        *,
        timeout: Union[float, None] = None,
    ) -> list[t.Account]:
        """List the accounts the caller can see"""
        return await self.request(
            "GET", "/accounts", params={},
            query={}, timeout=timeout,
        )

    async def list_agent_revisions(
        self,
        *,
        agent_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> list[t.RevisionMetadata]:
        """List the stored revisions of an agent"""
        return await self.request(
            "GET", "/agents/{agentName}/revisions", params={"agentName": agent_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def list_agents(
        self,
        *,
        workspace: Union[str, None] = None,
        cursor: Union[str, None] = None,
        limit: Union[int, None] = None,
        sort: Union[Literal["createdAt:desc", "createdAt:asc", "name:asc", "name:desc"], None] = None,
        q: Union[str, None] = None,
        anchor: Union[Literal["end"], None] = None,
        status: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.AgentList:
        """List the agents of the workspace"""
        return await self.request(
            "GET", "/agents", params={},
            query={"workspace": workspace, "cursor": cursor, "limit": limit, "sort": sort, "q": q, "anchor": anchor, "status": status}, timeout=timeout,
        )

    async def list_all_egress_gateways(
        self,
        *,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> list[t.EgressGateway]:
        """List the egress gateways of all VPCs"""
        return await self.request(
            "GET", "/egressgateways", params={},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def list_all_egress_ips(
        self,
        *,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> list[t.EgressIP]:
        """List the egress IPs of all gateways"""
        return await self.request(
            "GET", "/egressips", params={},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def list_application_revisions(
        self,
        *,
        application_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> list[t.AppRevision]:
        """List the stored revisions of an application"""
        return await self.request(
            "GET", "/applications/{applicationName}/revisions", params={"applicationName": application_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def list_applications(
        self,
        *,
        workspace: Union[str, None] = None,
        cursor: Union[str, None] = None,
        limit: Union[int, None] = None,
        sort: Union[Literal["createdAt:desc", "createdAt:asc", "name:asc", "name:desc"], None] = None,
        q: Union[str, None] = None,
        anchor: Union[Literal["end"], None] = None,
        status: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.ApplicationList:
        """List the applications of the workspace"""
        return await self.request(
            "GET", "/applications", params={},
            query={"workspace": workspace, "cursor": cursor, "limit": limit, "sort": sort, "q": q, "anchor": anchor, "status": status}, timeout=timeout,
        )

    async def list_audit(
        self,
        *,
        workspace: Union[str, None] = None,
        cursor: Union[str, None] = None,
        limit: Union[int, None] = None,
        subject: Union[str, None] = None,
        key_id: Union[str, None] = None,
        action: Union[str, None] = None,
        from_: Union[str, None] = None,
        to: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.AuditPage:
        """List who did what in the workspace, newest first"""
        return await self.request(
            "GET", "/audit", params={},
            query={"workspace": workspace, "cursor": cursor, "limit": limit, "subject": subject, "keyId": key_id, "action": action, "from": from_, "to": to}, timeout=timeout,
        )

    async def list_budgets(
        self,
        *,
        account_id: str,
        timeout: Union[float, None] = None,
    ) -> list[t.Budget]:
        """List the budgets of the account by name, each with the cost of the current month"""
        return await self.request(
            "GET", "/accounts/{accountId}/budgets", params={"accountId": account_id},
            query={}, timeout=timeout,
        )

    async def list_connection_endpoints(
        self,
        *,
        connection_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.EndpointConfigurations:
        """List the endpoints that models of a connection may use"""
        return await self.request(
            "GET", "/integrations/connections/{connectionName}/endpointConfigurations", params={"connectionName": connection_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def list_connection_models(
        self,
        *,
        connection_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> list[t.IntegrationModel]:
        """List the models that the provider offers to a connection"""
        return await self.request(
            "GET", "/integrations/connections/{connectionName}/models", params={"connectionName": connection_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def list_custom_domains(
        self,
        *,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> list[t.CustomDomain]:
        """List the custom domains of the workspace"""
        return await self.request(
            "GET", "/customdomains", params={},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def list_deliveries(
        self,
        *,
        workspace: Union[str, None] = None,
        cursor: Union[str, None] = None,
        limit: Union[int, None] = None,
        status: Union[Literal["waiting", "delivered", "given_up"], None] = None,
        timeout: Union[float, None] = None,
    ) -> t.DeliveryPage:
        """List the callbacks of the workspace, newest first; they are kept for 30 days after their end"""
        return await self.request(
            "GET", "/deliveries", params={},
            query={"workspace": workspace, "cursor": cursor, "limit": limit, "status": status}, timeout=timeout,
        )

    async def list_drives(
        self,
        *,
        workspace: Union[str, None] = None,
        external_id: Union[str, None] = None,
        cursor: Union[str, None] = None,
        limit: Union[int, None] = None,
        sort: Union[Literal["createdAt:desc", "createdAt:asc", "name:asc", "name:desc"], None] = None,
        q: Union[str, None] = None,
        anchor: Union[Literal["end"], None] = None,
        status: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.DriveList:
        """List the drives of the workspace"""
        return await self.request(
            "GET", "/drives", params={},
            query={"workspace": workspace, "externalId": external_id, "cursor": cursor, "limit": limit, "sort": sort, "q": q, "anchor": anchor, "status": status}, timeout=timeout,
        )

    async def list_egress_gateways(
        self,
        *,
        vpc_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> list[t.EgressGateway]:
        """List the egress gateways of the workspace"""
        return await self.request(
            "GET", "/vpcs/{vpcName}/egressgateways", params={"vpcName": vpc_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def list_egress_i_ps(
        self,
        *,
        vpc_name: str,
        gateway_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> list[t.EgressIP]:
        """List the egress ips of the workspace"""
        return await self.request(
            "GET", "/vpcs/{vpcName}/egressgateways/{gatewayName}/ips", params={"vpcName": vpc_name, "gatewayName": gateway_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def list_features(
        self,
        *,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Features:
        """List the features that are on for the workspace"""
        return await self.request(
            "GET", "/features", params={},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def list_function_revisions(
        self,
        *,
        function_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> list[t.RevisionMetadata]:
        """List the stored revisions of a function"""
        return await self.request(
            "GET", "/functions/{functionName}/revisions", params={"functionName": function_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def list_functions(
        self,
        *,
        workspace: Union[str, None] = None,
        cursor: Union[str, None] = None,
        limit: Union[int, None] = None,
        sort: Union[Literal["createdAt:desc", "createdAt:asc", "name:asc", "name:desc"], None] = None,
        q: Union[str, None] = None,
        anchor: Union[Literal["end"], None] = None,
        status: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.FunctionList:
        """List the functions of the workspace"""
        return await self.request(
            "GET", "/functions", params={},
            query={"workspace": workspace, "cursor": cursor, "limit": limit, "sort": sort, "q": q, "anchor": anchor, "status": status}, timeout=timeout,
        )

    async def list_images(
        self,
        *,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> list[t.Image]:
        """List the images of the workspace"""
        return await self.request(
            "GET", "/images", params={},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def list_integration_connections(
        self,
        *,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> list[t.IntegrationConnection]:
        """List the integration connections of the workspace"""
        return await self.request(
            "GET", "/integrations/connections", params={},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def list_invitations(
        self,
        *,
        timeout: Union[float, None] = None,
    ) -> list[t.PendingInvitationRender]:
        """List the invitations addressed to the caller"""
        return await self.request(
            "GET", "/profile/invitations", params={},
            query={}, timeout=timeout,
        )

    async def list_invocations(
        self,
        *,
        agent_name: str,
        workspace: Union[str, None] = None,
        cursor: Union[str, None] = None,
        limit: Union[int, None] = None,
        status: Union[Literal["queued", "running", "succeeded", "failed", "unknown"], None] = None,
        timeout: Union[float, None] = None,
    ) -> t.InvocationPage:
        """List the asynchronous calls of an agent, newest first; they are kept for 30 days after their end"""
        return await self.request(
            "GET", "/agents/{agentName}/invocations", params={"agentName": agent_name},
            query={"workspace": workspace, "cursor": cursor, "limit": limit, "status": status}, timeout=timeout,
        )

    async def list_job_execution_tasks(
        self,
        *,
        job_id: str,
        execution_id: str,
        workspace: Union[str, None] = None,
        cursor: Union[str, None] = None,
        limit: Union[int, None] = None,
        sort: Union[Literal["createdAt:desc", "createdAt:asc", "name:asc", "name:desc"], None] = None,
        q: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.JobExecutionTaskList:
        """List the tasks of an execution"""
        return await self.request(
            "GET", "/jobs/{jobId}/executions/{executionId}/tasks", params={"jobId": job_id, "executionId": execution_id},
            query={"workspace": workspace, "cursor": cursor, "limit": limit, "sort": sort, "q": q}, timeout=timeout,
        )

    async def list_job_executions(
        self,
        *,
        job_id: str,
        workspace: Union[str, None] = None,
        cursor: Union[str, None] = None,
        limit: Union[int, None] = None,
        sort: Union[Literal["createdAt:desc", "createdAt:asc", "name:asc", "name:desc"], None] = None,
        q: Union[str, None] = None,
        offset: Union[int, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.JobExecutionList:
        """List the executions of a job"""
        return await self.request(
            "GET", "/jobs/{jobId}/executions", params={"jobId": job_id},
            query={"workspace": workspace, "cursor": cursor, "limit": limit, "sort": sort, "q": q, "offset": offset}, timeout=timeout,
        )

    async def list_job_revisions(
        self,
        *,
        job_id: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> list[t.RevisionMetadata]:
        """List the stored revisions of a job"""
        return await self.request(
            "GET", "/jobs/{jobId}/revisions", params={"jobId": job_id},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def list_jobs(
        self,
        *,
        workspace: Union[str, None] = None,
        cursor: Union[str, None] = None,
        limit: Union[int, None] = None,
        sort: Union[Literal["createdAt:desc", "createdAt:asc", "name:asc", "name:desc"], None] = None,
        q: Union[str, None] = None,
        anchor: Union[Literal["end"], None] = None,
        status: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.JobList:
        """List the jobs of the workspace"""
        return await self.request(
            "GET", "/jobs", params={},
            query={"workspace": workspace, "cursor": cursor, "limit": limit, "sort": sort, "q": q, "anchor": anchor, "status": status}, timeout=timeout,
        )

    async def list_locations(
        self,
        *,
        timeout: Union[float, None] = None,
    ) -> list[t.Location]:
        """List the locations with their health"""
        return await self.request(
            "GET", "/locations", params={},
            query={}, timeout=timeout,
        )

    async def list_logs(
        self,
        *,
        workspace: Union[str, None] = None,
        resource_type: Union[Literal["agents", "applications", "functions", "jobs", "models", "sandboxes"], None] = None,
        workload_ids: Union[Union[str, list[str]], None] = None,
        start: Union[str, None] = None,
        end: Union[str, None] = None,
        type: Union[str, None] = None,
        severity: Union[str, None] = None,
        search: Union[str, None] = None,
        trace_id: Union[str, None] = None,
        task_id: Union[str, None] = None,
        execution_id: Union[str, None] = None,
        limit: Union[int, None] = None,
        offset: Union[int, None] = None,
        interval: Union[int, None] = None,
        timeout: Union[float, None] = None,
    ) -> dict[str, t.ResourceLogResponse]:
        """Lines of workloads, newest first, by the name of the workload"""
        return await self.request(
            "GET", "/observability/logs", params={},
            query={"workspace": workspace, "resourceType": resource_type, "workloadIds": workload_ids, "start": start, "end": end, "type": type, "severity": severity, "search": search, "traceId": trace_id, "taskId": task_id, "executionId": execution_id, "limit": limit, "offset": offset, "interval": interval}, timeout=timeout,
        )

    async def list_mcp_hub(
        self,
        *,
        timeout: Union[float, None] = None,
    ) -> list[t.MCPDefinition]:
        """List the ready-made MCP servers"""
        return await self.request(
            "GET", "/mcp/hub", params={},
            query={}, timeout=timeout,
        )

    async def list_metrics_groups(
        self,
        *,
        account_id: str,
        timeout: Union[float, None] = None,
    ) -> t.MetricsValues:
        """List the dimensions that metrics can be grouped by"""
        return await self.request(
            "GET", "/accounts/{accountId}/metrics/enums/group-by", params={"accountId": account_id},
            query={}, timeout=timeout,
        )

    async def list_metrics_resource_types(
        self,
        *,
        account_id: str,
        start_time: str,
        end_time: str,
        timeout: Union[float, None] = None,
    ) -> t.MetricsValues:
        """List the types of resources with usage in a window"""
        return await self.request(
            "GET", "/accounts/{accountId}/metrics/enums/resource-types", params={"accountId": account_id},
            query={"startTime": start_time, "endTime": end_time}, timeout=timeout,
        )

    async def list_model_revisions(
        self,
        *,
        model_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> list[t.RevisionMetadata]:
        """List the stored revisions of a model"""
        return await self.request(
            "GET", "/models/{modelName}/revisions", params={"modelName": model_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def list_models(
        self,
        *,
        workspace: Union[str, None] = None,
        cursor: Union[str, None] = None,
        limit: Union[int, None] = None,
        sort: Union[Literal["createdAt:desc", "createdAt:asc", "name:asc", "name:desc"], None] = None,
        q: Union[str, None] = None,
        anchor: Union[Literal["end"], None] = None,
        status: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.ModelList:
        """List the models of the workspace"""
        return await self.request(
            "GET", "/models", params={},
            query={"workspace": workspace, "cursor": cursor, "limit": limit, "sort": sort, "q": q, "anchor": anchor, "status": status}, timeout=timeout,
        )

    async def list_policies(
        self,
        *,
        workspace: Union[str, None] = None,
        cursor: Union[str, None] = None,
        limit: Union[int, None] = None,
        sort: Union[Literal["createdAt:desc", "createdAt:asc", "name:asc", "name:desc"], None] = None,
        q: Union[str, None] = None,
        anchor: Union[Literal["end"], None] = None,
        timeout: Union[float, None] = None,
    ) -> t.PolicyList:
        """List the policies of the workspace"""
        return await self.request(
            "GET", "/policies", params={},
            query={"workspace": workspace, "cursor": cursor, "limit": limit, "sort": sort, "q": q, "anchor": anchor}, timeout=timeout,
        )

    async def list_policy_usages(
        self,
        *,
        policy_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.PolicyUsages:
        """Name the resources that refer to a policy"""
        return await self.request(
            "GET", "/policies/{policyName}/usages", params={"policyName": policy_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def list_preview_tokens(
        self,
        *,
        sandbox_name: str,
        preview_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> list[t.PreviewToken]:
        """List the tokens of a preview with their values"""
        return await self.request(
            "GET", "/sandboxes/{sandboxName}/previews/{previewName}/tokens", params={"sandboxName": sandbox_name, "previewName": preview_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def list_previews(
        self,
        *,
        sandbox_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> list[t.Preview]:
        """List the previews of the workspace"""
        return await self.request(
            "GET", "/sandboxes/{sandboxName}/previews", params={"sandboxName": sandbox_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def list_profile_keys(
        self,
        *,
        timeout: Union[float, None] = None,
    ) -> list[t.ApiKey]:
        """List the caller's API keys"""
        return await self.request(
            "GET", "/profile/api_keys", params={},
            query={}, timeout=timeout,
        )

    async def list_public_ips(
        self,
        *,
        workspace: Union[str, None] = None,
        region: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.PublicIps:
        """List the shared outbound address ranges by region"""
        return await self.request(
            "GET", "/publicIps", params={},
            query={"workspace": workspace, "region": region}, timeout=timeout,
        )

    async def list_request_metrics(
        self,
        *,
        workspace: Union[str, None] = None,
        resource_type: Union[Literal["agents", "applications", "functions", "jobs", "models", "sandboxes"], None] = None,
        workload_ids: Union[Union[str, list[str]], None] = None,
        start: Union[str, None] = None,
        end: Union[str, None] = None,
        interval: Union[int, None] = None,
        timeout: Union[float, None] = None,
    ) -> dict[str, t.WorkloadRequestMetrics]:
        """Requests, errors, latency and bytes of workloads, by the name of the workload"""
        return await self.request(
            "GET", "/observability/metrics", params={},
            query={"workspace": workspace, "resourceType": resource_type, "workloadIds": workload_ids, "start": start, "end": end, "interval": interval}, timeout=timeout,
        )

    async def list_sandbox_hub(
        self,
        *,
        timeout: Union[float, None] = None,
    ) -> list[t.SandboxDefinition]:
        """List the ready-made sandbox images"""
        return await self.request(
            "GET", "/sandbox/hub", params={},
            query={}, timeout=timeout,
        )

    async def list_sandboxes(
        self,
        *,
        workspace: Union[str, None] = None,
        external_id: Union[str, None] = None,
        show_terminated: Union[bool, None] = None,
        cursor: Union[str, None] = None,
        limit: Union[int, None] = None,
        sort: Union[Literal["createdAt:desc", "createdAt:asc", "name:asc", "name:desc"], None] = None,
        q: Union[str, None] = None,
        anchor: Union[Literal["end"], None] = None,
        status: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.SandboxList:
        """List the sandboxes of the workspace"""
        return await self.request(
            "GET", "/sandboxes", params={},
            query={"workspace": workspace, "externalId": external_id, "showTerminated": show_terminated, "cursor": cursor, "limit": limit, "sort": sort, "q": q, "anchor": anchor, "status": status}, timeout=timeout,
        )

    async def list_service_account_keys(
        self,
        *,
        client_id: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> list[t.ApiKey]:
        """List the API keys of a service account"""
        return await self.request(
            "GET", "/service_accounts/{clientId}/api_keys", params={"clientId": client_id},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def list_service_accounts(
        self,
        *,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> list[t.ServiceAccount]:
        """List the service accounts of the workspace"""
        return await self.request(
            "GET", "/service_accounts", params={},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def list_statements(
        self,
        *,
        account_id: str,
        timeout: Union[float, None] = None,
    ) -> list[t.StatementSummary]:
        """List the monthly statements of the account, newest first"""
        return await self.request(
            "GET", "/accounts/{accountId}/statements", params={"accountId": account_id},
            query={}, timeout=timeout,
        )

    async def list_template_files(
        self,
        *,
        template_name: str,
        timeout: Union[float, None] = None,
    ) -> t.TemplateFiles:
        """Read all files of one deployment template"""
        return await self.request(
            "GET", "/templates/{templateName}/files", params={"templateName": template_name},
            query={}, timeout=timeout,
        )

    async def list_templates(
        self,
        *,
        timeout: Union[float, None] = None,
    ) -> list[t.Template]:
        """List the deployment templates"""
        return await self.request(
            "GET", "/templates", params={},
            query={}, timeout=timeout,
        )

    async def list_users(
        self,
        *,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> list[t.WorkspaceUser]:
        """List members and open invitations"""
        return await self.request(
            "GET", "/users", params={},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def list_vp_cs(
        self,
        *,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> list[t.VPC]:
        """List the vpcs of the workspace"""
        return await self.request(
            "GET", "/vpcs", params={},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def list_volume_templates(
        self,
        *,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> list[t.VolumeTemplate]:
        """List the volume templates of the workspace"""
        return await self.request(
            "GET", "/volume_templates", params={},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def list_volumes(
        self,
        *,
        workspace: Union[str, None] = None,
        external_id: Union[str, None] = None,
        cursor: Union[str, None] = None,
        limit: Union[int, None] = None,
        sort: Union[Literal["createdAt:desc", "createdAt:asc", "name:asc", "name:desc"], None] = None,
        q: Union[str, None] = None,
        anchor: Union[Literal["end"], None] = None,
        status: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.VolumeList:
        """List the volumes of the workspace"""
        return await self.request(
            "GET", "/volumes", params={},
            query={"workspace": workspace, "externalId": external_id, "cursor": cursor, "limit": limit, "sort": sort, "q": q, "anchor": anchor, "status": status}, timeout=timeout,
        )

    async def list_workspaces(
        self,
        *,
        timeout: Union[float, None] = None,
    ) -> list[t.Workspace]:
        """List the workspaces the caller is a member of"""
        return await self.request(
            "GET", "/workspaces", params={},
            query={}, timeout=timeout,
        )

    async def put_budget(
        self,
        *,
        account_id: str,
        budget_name: str,
        body: t.BudgetInput,
        timeout: Union[float, None] = None,
    ) -> t.BudgetWritten:
        """Create or replace a budget; the secret of its callbacks is shown once, and the cost of the month is not. What it counts cannot be changed"""
        return await self.request(
            "PUT", "/accounts/{accountId}/budgets/{budgetName}", params={"accountId": account_id, "budgetName": budget_name},
            query={}, body=body, timeout=timeout,
        )

    async def remove_user(
        self,
        *,
        sub_or_email: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> None:
        """Remove a member or withdraw an invitation"""
        return await self.request(
            "DELETE", "/users/{subOrEmail}", params={"subOrEmail": sub_or_email},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def replay_delivery(
        self,
        *,
        delivery_id: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.DeliveryWithBody:
        """Send a callback that has ended again, under the same id and with all its tries"""
        return await self.request(
            "POST", "/deliveries/{deliveryId}/replay", params={"deliveryId": delivery_id},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def start_sandbox(
        self,
        *,
        sandbox_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.SandboxControl:
        """Wake a sandbox now"""
        return await self.request(
            "PUT", "/sandboxes/{sandboxName}/start", params={"sandboxName": sandbox_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def stop_sandbox(
        self,
        *,
        sandbox_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.SandboxControl:
        """Put a sandbox to sleep now"""
        return await self.request(
            "PUT", "/sandboxes/{sandboxName}/stop", params={"sandboxName": sandbox_name},
            query={"workspace": workspace}, timeout=timeout,
        )

    async def update_agent(
        self,
        *,
        agent_name: str,
        body: t.AgentReplacement,
        workspace: Union[str, None] = None,
        upload: Union[bool, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Agent:
        """Change an agent"""
        return await self.request(
            "PUT", "/agents/{agentName}", params={"agentName": agent_name},
            query={"workspace": workspace, "upload": upload}, body=body, timeout=timeout,
        )

    async def update_application(
        self,
        *,
        application_name: str,
        body: t.ApplicationReplacement,
        workspace: Union[str, None] = None,
        upload: Union[bool, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Application:
        """Change an application"""
        return await self.request(
            "PUT", "/applications/{applicationName}", params={"applicationName": application_name},
            query={"workspace": workspace, "upload": upload}, body=body, timeout=timeout,
        )

    async def update_custom_domain(
        self,
        *,
        domain_name: str,
        body: t.CustomDomainReplacement,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.CustomDomain:
        """Change a custom domain"""
        return await self.request(
            "PUT", "/customdomains/{domainName}", params={"domainName": domain_name},
            query={"workspace": workspace}, body=body, timeout=timeout,
        )

    async def update_drive(
        self,
        *,
        drive_name: str,
        body: t.DriveReplacement,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Drive:
        """Create or change a drive"""
        return await self.request(
            "PUT", "/drives/{driveName}", params={"driveName": drive_name},
            query={"workspace": workspace}, body=body, timeout=timeout,
        )

    async def update_function(
        self,
        *,
        function_name: str,
        body: t.FunctionReplacement,
        workspace: Union[str, None] = None,
        upload: Union[bool, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Function:
        """Change a function"""
        return await self.request(
            "PUT", "/functions/{functionName}", params={"functionName": function_name},
            query={"workspace": workspace, "upload": upload}, body=body, timeout=timeout,
        )

    async def update_integration_connection(
        self,
        *,
        connection_name: str,
        body: t.IntegrationConnectionReplacement,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.IntegrationConnection:
        """Change an integration connection"""
        return await self.request(
            "PUT", "/integrations/connections/{connectionName}", params={"connectionName": connection_name},
            query={"workspace": workspace}, body=body, timeout=timeout,
        )

    async def update_job(
        self,
        *,
        job_id: str,
        body: t.JobReplacement,
        workspace: Union[str, None] = None,
        upload: Union[bool, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Job:
        """Change a job"""
        return await self.request(
            "PUT", "/jobs/{jobId}", params={"jobId": job_id},
            query={"workspace": workspace, "upload": upload}, body=body, timeout=timeout,
        )

    async def update_model(
        self,
        *,
        model_name: str,
        body: t.ModelReplacement,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Model:
        """Change a model"""
        return await self.request(
            "PUT", "/models/{modelName}", params={"modelName": model_name},
            query={"workspace": workspace}, body=body, timeout=timeout,
        )

    async def update_policy(
        self,
        *,
        policy_name: str,
        body: t.PolicyReplacement,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Policy:
        """Change a policy"""
        return await self.request(
            "PUT", "/policies/{policyName}", params={"policyName": policy_name},
            query={"workspace": workspace}, body=body, timeout=timeout,
        )

    async def update_preview(
        self,
        *,
        sandbox_name: str,
        preview_name: str,
        body: t.PreviewReplacement,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Preview:
        """Change a preview"""
        return await self.request(
            "PUT", "/sandboxes/{sandboxName}/previews/{previewName}", params={"sandboxName": sandbox_name, "previewName": preview_name},
            query={"workspace": workspace}, body=body, timeout=timeout,
        )

    async def update_sandbox(
        self,
        *,
        sandbox_name: str,
        body: t.SandboxReplacement,
        workspace: Union[str, None] = None,
        upload: Union[bool, None] = None,
        restart: Union[bool, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Sandbox:
        """Change a sandbox"""
        return await self.request(
            "PUT", "/sandboxes/{sandboxName}", params={"sandboxName": sandbox_name},
            query={"workspace": workspace, "upload": upload, "restart": restart}, body=body, timeout=timeout,
        )

    async def update_service_account(
        self,
        *,
        client_id: str,
        body: t.UpdateServiceAccountBody,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.ServiceAccount:
        """Change a service account"""
        return await self.request(
            "PUT", "/service_accounts/{clientId}", params={"clientId": client_id},
            query={"workspace": workspace}, body=body, timeout=timeout,
        )

    async def update_user_role(
        self,
        *,
        sub_or_email: str,
        body: t.UpdateUserRoleBody,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.WorkspaceUser:
        """Change the role of a member"""
        return await self.request(
            "PUT", "/users/{subOrEmail}", params={"subOrEmail": sub_or_email},
            query={"workspace": workspace}, body=body, timeout=timeout,
        )

    async def update_volume(
        self,
        *,
        volume_name: str,
        body: t.VolumeReplacement,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.Volume:
        """Change a volume"""
        return await self.request(
            "PUT", "/volumes/{volumeName}", params={"volumeName": volume_name},
            query={"workspace": workspace}, body=body, timeout=timeout,
        )

    async def update_volume_template(
        self,
        *,
        volume_template_name: str,
        body: t.VolumeTemplateReplacement,
        workspace: Union[str, None] = None,
        upload: Union[bool, None] = None,
        version: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.VolumeTemplate:
        """Create or change a volume template"""
        return await self.request(
            "PUT", "/volume_templates/{volumeTemplateName}", params={"volumeTemplateName": volume_template_name},
            query={"workspace": workspace, "upload": upload, "version": version}, body=body, timeout=timeout,
        )

    async def update_workspace(
        self,
        *,
        workspace_name: str,
        body: t.WorkspaceChange,
        timeout: Union[float, None] = None,
    ) -> t.Workspace:
        """Change the settings of a workspace"""
        return await self.request(
            "PUT", "/workspaces/{workspaceName}", params={"workspaceName": workspace_name},
            query={}, body=body, timeout=timeout,
        )

    async def verify_custom_domain(
        self,
        *,
        domain_name: str,
        workspace: Union[str, None] = None,
        timeout: Union[float, None] = None,
    ) -> t.CustomDomain:
        """Look up the DNS records of a domain now"""
        return await self.request(
            "POST", "/customdomains/{domainName}/verify", params={"domainName": domain_name},
            query={"workspace": workspace}, timeout=timeout,
        )
