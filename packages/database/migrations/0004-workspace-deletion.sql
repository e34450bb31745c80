-- Deleting a workspace looks for what refers to it. The listing indexes are partial and cannot answer that, so without
-- these two every deletion would read all resources and all executions of the deployment.
create index resources_by_workspace on resources (workspace_id);
create index executions_by_workspace on executions (workspace_id);
