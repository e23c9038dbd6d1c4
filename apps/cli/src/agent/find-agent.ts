import { stat } from 'node:fs/promises'
import { type Agent, KebabId, nearest, PlatformError } from '@parley/contracts'

export const OFFLINE_AGENT: Agent = {
  id: 'offline',
  name: 'Offline',
  model: 'offline',
  provider: 'offline',
  system_prompt: '',
}

/** The agents that the program brings along. */
const KNOWN: readonly Agent[] = [OFFLINE_AGENT]

/** The agent that a known id, else an `.agent.yaml` file, stands for. A file that has such an id for a name is written ./so. */
export async function findAgent(given: string): Promise<Agent> {
  const known = KNOWN.find(({ id }) => id === given)
  if (known) return known
  if (KebabId.safeParse(given).success && !(await isThere(given))) throw unknown(given)
  // Most conversations need no YAML.
  const { readAgentFile } = await import('./read-agent-file.ts')
  return readAgentFile(given)
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

function unknown(given: string): PlatformError {
  const ids = KNOWN.map(({ id }) => id)
  const meant = nearest(given, ids)
  return new PlatformError('agent_not_found', {
    message: `There is no agent "${given}"${meant === undefined ? '.' : `; did you mean "${meant}"?`}`,
    mend: `Known by name: ${ids.join(', ')}. Any other is named by its file, such as helper.agent.yaml.`,
    given,
  })
}
