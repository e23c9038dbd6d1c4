import { realpath, stat } from 'node:fs/promises'
import type { AgentSession } from '@parley/contracts'

/** What a person has to know who goes on with a session whose folder is gone, or is not the one they are in. */
export async function folderNote(
  { context: { workingDir }, agentSnapshot }: Pick<AgentSession, 'context' | 'agentSnapshot'>,
  here: string,
): Promise<string | undefined> {
  // Without tools a folder is only where a talk began.
  if (!agentSnapshot.tools?.length) return undefined
  const found = await stat(workingDir).catch(() => undefined)
  if (!found?.isDirectory()) {
    return `The folder that this session works in is gone: ${workingDir}. Its tools do nothing without it. Make it again, or start a new session with \`parley chat\` in the right folder.`
  }
  const [theirs, ours] = await Promise.all([workingDir, here].map((path) => realpath(path).catch(() => path)))
  return theirs === ours
    ? undefined
    : `This session works in ${workingDir}, which is not the folder that you are in.`
}
