import { type WorkflowDefinition, WorkflowFile } from '@parley/contracts'
import { parseStrictYaml } from '../files/parse-strict-yaml.ts'
import { flawsOf } from './flaws-of.ts'

// An exported session of 10,000 long turns is about as long.
const LONGEST = 64_000_000

/** The workflow that a `.relavium.yaml` file holds, sure to be a graph that can be run from its input to its end. */
export async function parseWorkflow(
  text: string,
  { file }: { readonly file: string },
): Promise<WorkflowDefinition> {
  const { workflow } = await parseStrictYaml(text, {
    file,
    schema: WorkflowFile,
    longest: LONGEST,
    check: ({ workflow: read }) =>
      flawsOf(read).map(({ path, message }) => ({ path: ['workflow', ...path], message })),
  })
  return workflow
}
