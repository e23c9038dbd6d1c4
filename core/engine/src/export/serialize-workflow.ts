import type { Json, WorkflowDefinition, WorkflowFile } from '@parley/contracts'
import { writeYaml } from '../files/write-yaml.ts'

/** The text of a `.relavium.yaml` file: keys sorted, lists as they are. Parsed and written again it is the same bytes. */
export function serializeWorkflow(workflow: WorkflowDefinition): string {
  const schema_version: WorkflowFile['schema_version'] = '1.0'
  // What a schema of ours has read consists of JSON alone.
  return writeYaml({ schema_version, workflow: workflow as Json })
}
