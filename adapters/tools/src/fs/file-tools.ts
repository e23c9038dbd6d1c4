import type { AnyTool, Secret, ToolSession } from '@parley/engine'
import type { ToolPolicy } from '../tool-policy.ts'
import { editFile } from './edit-file.ts'
import type { FileHost } from './file-host.ts'
import { hiddenValues } from './hidden-values.ts'
import { listDirectory } from './list-directory.ts'
import { openScope } from './open-scope.ts'
import { readFile } from './read-file.ts'
import { searchFiles } from './search-files.ts'
import { seenFiles } from './seen-files.ts'
import { writeFile } from './write-file.ts'

export interface FileToolsHost {
  readonly session: Pick<ToolSession, 'id' | 'context' | 'readMedia'>
  readonly policy: Pick<ToolPolicy, 'tier' | 'root'>
  /** The folder of Parley's own data, which no tool reaches in any tier. */
  readonly home?: string
  /** All that must not be shown. */
  readonly secrets?: () => readonly Secret[]
}

/** The tools that read and write files, within what the session may reach. */
export function fileTools({ session, policy, home, secrets = () => [] }: FileToolsHost): readonly AnyTool[] {
  const host: FileHost = {
    session,
    seen: seenFiles(session.id),
    hidden: hiddenValues(secrets),
    openScope: () => openScope(session.context, policy, home),
  }
  return [readFile(host), writeFile(host), editFile(host), listDirectory(host), searchFiles(host)]
}
